import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { ApiSettings } from '../../src/api/context/settings.ts'
import { createApi } from '../../src/api/server.ts'
import { toChildServiceId, toServiceId } from '../../src/model/catalogue.ts'
import type { Role } from '../../src/store/access/users.ts'
import { ensureChildService } from '../../src/store/connections/child-services.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { apiDeps } from '../harness/app/api-deps.ts'
import { type Answer, type Operation, ResponseValidator } from '../harness/app/response-validator.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { addUser, PASSWORD, tokenOf } from '../harness/app/users.ts'
import { testKeys } from '../harness/keys.ts'
import { type ApiDocument, readDocument } from '../harness/test-answers.ts'
import { type OpenDatabase, openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const NO_LIMITS = { perSession: 0, perInstance: 0, perNetwork: 0 }

interface Called extends Answer {
  body: string
  rawPayload: Buffer
  json(): Record<string, never>
}

/** The API over published data of two sources; each response is checked against the OpenAPI document. */
export interface ApiHarness {
  syncHarness: SyncHarness
  app: FastifyInstance
  /** The same API with other dependencies. */
  openOn(deps: SyncDeps, pageCacheBytes?: number): FastifyInstance
  books: ScriptedSource
  bank: ScriptedSource
  document: ApiDocument
  /** Validator of the responses to `call`. */
  validator: ResponseValidator
  operations: readonly Operation[]
  emails: Record<Role, string>
  password: string
  tokens: Record<Role, string>
  connectionId: string
  /** Operations without a successful response so far, among those whose path below the API's address matches. */
  listUnseen(isWanted: (path: string) => boolean): string[]
  call(method: string, url: string, options?: { role?: Role | null; body?: unknown; headers?: Record<string, string> }): Promise<Called>
  /** Another customer of the same deployment, with the token of an admin. */
  openOtherInstance(): Promise<{ instanceId: string; token: string }>
  /** Adds a bank of the directory to this instance; returns the child service's id. */
  addChildService(): Promise<string>
  close(): Promise<void>
}

/** `others` are additional sources that a test connects itself. `open` gives the database. */
export async function openApiHarness(
  others: ScriptedSource[] = [],
  settings: Partial<ApiSettings> = {},
  open?: OpenDatabase,
): Promise<ApiHarness> {
  const books = new ScriptedSource('books')
  const bank = new ScriptedSource('bank', 'Banking')
  const directory = { ...bank.description, key: 'directory', hasInstitutions: true }
  const harness = await openSyncHarness([books, bank, ...others], [directory], undefined, {}, open)
  const keys = await testKeys()
  const { database } = harness.deps
  const openOn = (sync: SyncDeps, pageCacheBytes = 10_000_000) =>
    createApi(apiDeps({ sync, keys, settings: { requestLimits: NO_LIMITS, ...settings }, pageCacheBytes, allowPrivate: true }))
  const app = openOn(harness.deps)
  const document = await readDocument(app)
  const validator = new ResponseValidator(document)
  const { operations } = validator

  async function logIn(role: Role, wantedInstance = harness.instanceId): Promise<{ email: string; token: string }> {
    const email = `${role}-${randomUUID().slice(0, 8)}@example.com`
    await addUser(database, wantedInstance, { role, email })
    return { email, token: await tokenOf(app, email) }
  }

  const [admin, developer, integration, viewer] = [
    await logIn('admin'),
    await logIn('developer'),
    await logIn('integration'),
    await logIn('viewer'),
  ]
  const tokens = { admin: admin.token, developer: developer.token, integration: integration.token, viewer: viewer.token }
  const emails = { admin: admin.email, developer: developer.email, integration: integration.email, viewer: viewer.email }
  books.accounts = Array.from({ length: 12 }, (_, i) => ({ id: String(100 + i), name: `Account ${i}` }))
  bank.accounts = [{ id: 'chequing', name: 'Chequing', balance: '1234.50' }]
  const connectionId = await harness.connect(books)
  await harness.sync(connectionId, { reason: 'first', isAwaited: true })
  await harness.sync(await harness.connect(bank), { reason: 'first' })
  return {
    syncHarness: harness,
    app,
    openOn,
    books,
    bank,
    document,
    validator,
    operations,
    emails,
    password: PASSWORD,
    tokens,
    connectionId,
    listUnseen: (isWanted) =>
      operations
        .filter(({ path, operation }) => isWanted(path.replace('/admin/api/v1', '')) && !validator.succeeded.has(operation.operationId))
        .map(({ operation }) => operation.operationId),
    call: async (method, url, { role = 'admin', body, headers = {} } = {}) => {
      const answer = await app.inject({
        method: method as 'GET',
        url: `/admin/api/v1${url}`,
        headers: { ...(role === null ? {} : { authorization: `Bearer ${tokens[role]}` }), ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      })
      validator.check(method, url, answer)
      return answer as unknown as Called
    },
    openOtherInstance: async () => {
      const instanceId = await addInstance(database, 'Neighbour')
      return { instanceId, token: (await logIn('admin', instanceId)).token }
    },
    addChildService: async () => {
      const id = toChildServiceId(harness.instanceId, 'directory', 'bank-1')
      await ensureChildService(database, harness.instanceId, { id, connectorKey: 'directory', institutionId: 'bank-1', name: 'Bank One' })
      return id
    },
    close: async () => {
      await app.close()
      await harness.close()
    },
  }
}

/** Id of the scripted directory's service. */
export const DIRECTORY_SERVICE = toServiceId('directory')
