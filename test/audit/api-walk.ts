import { Secret, TOTP } from 'otpauth'
import { issueAdminLink } from '../../src/api/access/account/admin-link.ts'
import type { SimulatorState } from '../../src/api/routes/sandbox-controls.ts'
import { createApi } from '../../src/api/server.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { appendWaitingEvents } from '../../src/store/webhooks/event-feeds.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { apiDeps } from '../harness/app/api-deps.ts'
import { runJob, takeJobs } from '../harness/app/jobs.ts'
import { addUser, PASSWORD } from '../harness/app/users.ts'
import { testKeys } from '../harness/keys.ts'
import { settingsFor } from '../identity-provider/harness.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import type { Answered, Step } from './watch.ts'

const PREFIX = '/admin/api/v1'
const NEW_PASSWORD = 'orchard-lantern-58-mist'
const SIMULATOR: SimulatorState = { key: 'books', url: 'http://127.0.0.1', faults: ['down'], armed: [], clockMovedMs: 0 }
const CAUGHT = {
  ...{ key: 'mail-1', mailId: null, at: new Date('2026-11-20T14:30:00Z'), from: 'books@example.com', to: 'owner@example.com' },
  ...{ subject: 'Connect your books', text: 'Open the link.', html: '' },
}

/** Calls one operation: `Walk` of `watch.ts`, or another that wants to see every operation called. */
export interface Caller {
  step(operationId: string, step: Step): Promise<Answered>
}

/** The API over the published data of `books`, and a walk through all its operations that change something. */
export class ApiWalk {
  readonly app: ReturnType<typeof createApi>
  /** Path parameters that are known, by name. */
  readonly ids: Record<string, string>
  caller: Caller = {
    step: () => {
      throw new Error('nobody calls')
    },
  }
  readonly #harness: SyncHarness
  readonly #database: Database
  readonly #deps: ReturnType<typeof apiDeps>
  readonly #email: string
  #bearer = ''

  /** `others` are connected too. */
  static async open(books = scriptedBooks(), others: readonly ScriptedSource[] = []): Promise<ApiWalk> {
    const directory = { ...new ScriptedSource('bank', 'Banking').description, key: 'directory', hasInstitutions: true }
    const keyed = { ...books.description, key: 'keyed', appKeys: ['clientId'] }
    const harness = await openSyncHarness([books, ...others], [directory, keyed])
    const { sealer, hashToken, database } = harness.deps
    const sync = { ...harness.deps, mail: { sealer, hashToken }, feeds: { dir: '/tmp', allowPrivate: true } }
    const settings = { requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }
    const deps = apiDeps({ sync, keys: await testKeys(), settings, allowPrivate: true })
    await database.query(`update instances set kind = 'test'`)
    const { email } = await addUser(database, harness.instanceId, { email: 'avery@example.com' })
    for (const source of [books, ...others]) await harness.sync(await harness.connect(source), { reason: 'first', isAwaited: true })
    return new ApiWalk(harness, deps, email, harness.serviceId(books), books.description.key)
  }

  private constructor(harness: SyncHarness, deps: ReturnType<typeof apiDeps>, email: string, serviceId: string, key: string) {
    const controls = async () => SIMULATOR
    const sandbox = { list: async () => [SIMULATOR], fault: controls, clearFaults: controls, moveClock: controls }
    this.app = createApi({ ...deps, sandbox, catcher: { list: () => [CAUGHT], find: () => null } } as never)
    this.ids = { companyId: harness.companyId, serviceId, key, sourceKey: 'keyed' }
    this.#harness = harness
    this.#database = harness.deps.database
    this.#deps = deps
    this.#email = email
  }

  get database(): Database {
    return this.#database
  }

  async close(): Promise<void> {
    await this.app.close()
    await this.#harness.close()
  }

  /** Calls every operation that changes something. */
  async walk(): Promise<void> {
    this.#bearer = await this.logIn()
    await this.#walkCompanies()
    await this.#walkExports()
    await this.#walkOwners()
    await this.#walkWebhooks()
    await this.#walkSettings()
    await this.#walkPeople()
    await this.#walkAccess()
  }

  /** The header of a new login. */
  async logIn(): Promise<string> {
    return `Bearer ${(await this.#step('login', { email: this.#email, password: PASSWORD })).access_token}`
  }

  #step(operationId: string, body?: object, given: Record<string, string | undefined> = {}, headers: Record<string, string> = {}) {
    return this.caller.step(operationId, {
      ids: { ...this.ids, ...given },
      headers: { authorization: this.#bearer, ...headers },
      ...(body ? { body } : {}),
    })
  }

  async #walkCompanies() {
    const company = await this.#step('createCompany', { name: 'Café Laurier', country: 'CA', city: 'Montréal' })
    await this.#step('updateCompany', { name: 'Café Laurier inc.', country: 'CA', city: 'Laval' }, { companyId: company.id })
    await this.#step('deleteCompany', undefined, { companyId: company.id })
    await this.#step('getConnectionLink')
    await this.#step('sendConnectionLink', { to: 'owner@example.com', language: 'en' })
    for (const action of ['refreshConnection', 'acceptDeletions', 'suspendConnection', 'resumeConnection']) await this.#step(action)
    for (const what of ['Service', 'Connection']) {
      await this.#step(`update${what}Schedule`, { everyMinutes: 360 })
      await this.#step(`reset${what}Schedule`)
    }
    const { id: replayId } = await this.#step('startReplay', { dryRun: true })
    await this.#step('getReplay', undefined, { replayId })
  }

  async #walkExports() {
    const exported = await this.#step('requestExport', { category: 'Accounting', entity: 'Accounts', format: 'csv' })
    for (const job of await takeJobs(this.#database, 'export')) await runJob(syncHandlers(this.#harness.deps).export, job)
    const lake = {
      name: 'Lake',
      endpoint: 'https://s3.example.com',
      region: 'ca-central-1',
      bucket: 'books',
      accessKeyId: 'example-key-id',
      secretAccessKey: 'example-secret',
    }
    const destination = await this.#step('createExportDestination', lake)
    await this.#step('sendExport', { destinationId: destination.id }, { exportId: exported.id })
    const login = { host: 'db.example.com', database: 'warehouse', user: 'loader', password: 'example-secret' }
    const database = await this.#step('createExportDestination', { kind: 'postgres', name: 'Warehouse', schema: 'countinghouse', ...login })
    await this.#step('replicateToDestination', { cursor: null }, { destinationId: database.id })
    await this.#step('deleteExportDestination', undefined, { destinationId: destination.id })
    await this.#step('deleteExport', undefined, { exportId: exported.id })
  }

  async #walkOwners() {
    await this.#step('revokeOwnerAddresses')
    await this.#database.query(`insert into owner_addresses (instance_id, company_id, address, locale) values ($1, $2, $3, 'en')`, [
      this.#harness.instanceId,
      this.ids.companyId,
      this.#harness.deps.sealer.seal(
        { instanceId: this.#harness.instanceId, table: 'owner_addresses', rowId: this.ids.companyId ?? '', column: 'address' },
        Buffer.from('owner@example.com'),
      ),
    ])
    await this.#step('sendOwnerPage')
    await this.#step('updateMailSettings', { writesToOwners: true })
    await this.#step('updateMcpAccess', { isEnabled: true })
    const pages = await this.#step('getOwnerPages')
    const { logo: _logo, contrast: _contrast, ...settings } = pages
    await this.#step('updateOwnerPages', { ...settings, publicName: 'Maple', purposes: [] })
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    await this.#step('updateLogo', { content: png })
    await this.#step('deleteLogo')
  }

  async #walkWebhooks() {
    const subscription = await this.#step(
      'createSubscription',
      { callbackUrl: 'http://127.0.0.1:9/a' },
      { eventName: 'NormalizedData', eventNameOrSubscriptionId: 'NormalizedData' },
    )
    const path = { subscriptionId: subscription.id, eventNameOrSubscriptionId: subscription.id }
    await this.#step('updateSubscription', { event: 'RawData' }, path)
    await this.#step('rotateSubscriptionSecret', {}, path)
    await this.#step('promoteSubscriptionSecret', {}, path)
    await this.#step('retireSubscriptionSecrets', undefined, path)
    await this.#step('revokeSubscriptionSecrets', undefined, path)
    await this.#step('testSubscription', undefined, path)
    await this.#step('replayEvents', { undeliveredSince: '2020-01-01' }, path)
    await inTransaction(this.#database, (db) => appendWaitingEvents(db, this.#harness.instanceId))
    const { rows } = await this.#database.query<{ event: string; delivery: string | null; kind: string }>(
      `select (select id from events where instance_id = $1 and only_for is null limit 1) as event, (select id from deliveries where instance_id = $1 limit 1) as delivery`,
      [this.#harness.instanceId],
    )
    await this.#step('replayEvent', undefined, { eventId: rows[0]?.event ?? '' })
    const delivered = await this.#database.query<{ id: string }>('select id from deliveries where instance_id = $1 limit 1', [
      this.#harness.instanceId,
    ])
    await this.#step('replayDelivery', undefined, { deliveryId: delivered.rows[0]?.id ?? '' })
    await this.#database.query(
      `update subscriptions set status = 'disabled', disabled_reason = 'gone', disabled_position = 0, disabled_at = now()`,
    )
    await this.#step('enableSubscription', {}, path)
    await this.#step('deleteSubscription', undefined, path)
  }

  async #walkSettings() {
    const receiver = await this.#step('createReceiver', { event: 'NormalizedData' })
    await this.app.inject({ method: 'POST', url: new URL(receiver.address ?? '').pathname, payload: {} })
    await this.#step('updateReceiver', { behaviour: 'gone' }, { receiverId: receiver.id })
    await this.#step('deleteReceivedRequests', undefined, { receiverId: receiver.id })
    await this.#step('deleteReceiver', undefined, { receiverId: receiver.id })

    const provider = { ...settingsFor('https://login.example.com'), clientId: 'app' }
    await this.#step('updateIdentityProvider', provider)
    await this.#step('updateIdentityProvider', { ...provider, groupsClaim: 'groups' })
    await this.#step('checkIdentityProvider', {})
    await this.#step('deleteIdentityProvider')
    await this.#step('findSignIn', { account: 'avery@example.com' })

    const feed = { name: 'Month ends', source: { kind: 'folder', path: 'inbox' } }
    const { id: feedId = '' } = await this.#step('createFileFeed', feed)
    await this.#step('updateFileFeed', { ...feed, name: 'Quarter ends' }, { feedId })
    await this.#step('scanFileFeed', undefined, { feedId })
    await this.#step('deleteFileFeed', undefined, { feedId })

    await this.#step('updateSource', { isHidden: true }, { sourceKey: this.ids.key })
    await this.#step('updateSource', { isHidden: false }, { sourceKey: this.ids.key })
    await this.#step('updateSourceKeys', { keys: { clientId: 'mine' } })
    await this.#step('testSourceKeys')
    await this.#step('deleteSourceKeys')
  }

  async #walkPeople() {
    const asked = await this.#step('requestInstitution', { serviceId: toServiceId('directory'), name: 'Caisse de Rimouski', country: 'CA' })
    await this.#step('answerInstitutionRequest', { answer: 'Available from Monday on.' }, { requestId: asked.id })

    const dead = `insert into jobs (instance_id, kind, key, state, died_at) values ($1, 'sync', $2, 'dead', clock_timestamp()) returning id`
    const job = await this.#database.query<{ id: string }>(dead, [this.#harness.instanceId, 'dead-1'])
    await this.#database.query(dead, [this.#harness.instanceId, 'dead-2'])
    await this.#step('redriveJob', undefined, { jobId: job.rows[0]?.id ?? '' })
    await this.#step('redriveJobs', { kind: 'sync' })
    await this.#step('armFault', { name: 'down' })
    await this.#step('clearFaults')
    await this.#step('moveClock', { seconds: 60 })

    const user = await this.#step('createUser', { email: 'noor@example.com', name: 'Noor Haddad', role: 'viewer' })
    await this.#step('inviteUser', {}, { userId: user.id })
    await this.#step('updateUser', { name: 'Noor Haddad', role: 'developer', isEnabled: true }, { userId: user.id })
    await this.#step('deleteUser', undefined, { userId: user.id })
    await this.#step('updateGroupRoles', { groupRoles: [{ group: 'Finance', role: 'viewer' }] })
    const apiKey = await this.#step('createApiKey', { name: 'Import', scopes: ['data:read'] })
    await this.#step('rotateApiKey', {}, { keyId: apiKey.id })
    await this.#step('revokeApiKey', undefined, { keyId: apiKey.id })

    await this.#step('disconnectConnection')
  }

  async #walkAccess() {
    const other = await this.logIn()
    const [, claims = ''] = other.split('.')
    const { sid = '' } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sid?: string }
    await this.#step('endSession', undefined, { sessionId: sid })
    await this.#step('changePassword', { password: PASSWORD, newPassword: NEW_PASSWORD })
    const { secret = '' } = await this.#step('beginTwoStep', { password: NEW_PASSWORD })
    const codeAt = (ms: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + ms })
    const { recoveryCodes: [first = ''] = [] } = await this.#step('confirmTwoStep', { code: codeAt(0) })
    const password = NEW_PASSWORD
    const begun = await this.app.inject({ method: 'POST', url: `${PREFIX}/auth/login`, payload: { email: this.#email, password } })
    const challenge = begun.json<{ access_token: string }>().access_token
    const { refreshToken } = await this.#step('completeLogin', { code: codeAt(30_000) }, {}, { authorization: `Bearer ${challenge}` })
    await this.#step('refreshToken', { refreshToken })
    const { recoveryCodes: [second = ''] = [] } = await this.#step('renewRecoveryCodes', { password, recoveryCode: first })
    await this.#step('disableTwoStep', { password, recoveryCode: second })
    await this.#step('requestPasswordReset', { email: this.#email })
    const access = { ...this.#deps, hashes: tokenHasher(this.#deps.keys, '') }
    const { address } = await issueAdminLink(access, this.#email, 'http://127.0.0.1:8480')
    await this.#step('logout')
    await this.#step('resetPassword', { token: new URL(address).hash.slice(1), password: PASSWORD })
  }
}

function scriptedBooks(): ScriptedSource {
  const books = new ScriptedSource('books')
  books.accounts = [{ id: '100', name: 'Account' }]
  return books
}
