import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { request } from 'undici'
import { serveSimulator } from '../../simulators/simulator.ts'
import { createXeroSimulator, type XeroSimulator } from '../../simulators/xero/index.ts'
import { PasswordHashing } from '../../src/api/access/password-hashing.ts'
import { createUser } from '../../src/api/access/user-accounts.ts'
import { defaultApiSettings } from '../../src/api/context/settings.ts'
import { createPageCache } from '../../src/api/read-cache/create-page-cache.ts'
import { createApi } from '../../src/api/server.ts'
import { bankFiles } from '../../src/connectors/bank-files/index.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { createKit } from '../../src/connectors/toolkit/kit.ts'
import { xero } from '../../src/connectors/xero/index.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { SecretRedactor } from '../../src/model/secret-redactor.ts'
import { createLog } from '../../src/process/log.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { beginAuthorization, completeRedirect, startRedirect } from '../../src/sync/authorize/authorize.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { findOperation, listOperations } from '../api/harness.ts'
import { type Answer as JudgedAnswer, ResponseValidator } from '../api/response-validator.ts'
import { openNewLink } from '../harness/app/owner-link.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { testKeys } from '../harness/keys.ts'
import type { ApiDocument } from '../harness/test-answers.ts'

const BASE = 'https://counting.example.com'
const PASSWORD = 'violet-harbour-teapot-91'
const HASH_COST = { memoryKiB: 19 * 1024, passes: 2, lanes: 1 }

/** The organisation that owners share. */
const DENTIST = 'b0de4d4b-5f6a-4c71-9a3e-000000000101'

interface Answer {
  status: number
  text: string
  body: Record<string, unknown>
}

/** A customer of the deployment, with its admin. */
export interface Customer {
  instanceId: string
  email: string
  token: string
}

/** One of several processes on one database: nothing is shared but what lies there. */
export interface Process {
  deps: SyncDeps
  app: FastifyInstance
  call(customer: Customer, method: string, url: string, body?: object): Promise<Answer>
}

export interface SourceKeysHarness {
  home: TestDatabase
  simulator: XeroSimulator
  /** Apps that are registered at Xero: id and secret. May be changed at any time. */
  apps: Record<string, string>
  /** Everything that any process logged. */
  logged: string[]
  openProcess(): Process
  addCustomer(process: Process): Promise<Customer>
  /** Which app the owner's browser is sent to Xero for. */
  appOfLink(process: Process, customer: Customer, companyId: string): Promise<string | null>
  /** An owner connects books at Xero; gives the connection's id. */
  connect(process: Process, customer: Customer, companyId: string): Promise<string>
  addCompany(customer: Customer): Promise<string>
  /** Works one sync off, now; gives the connection's status after it. */
  sync(process: Process, customer: Customer, connectionId: string): Promise<number>
  /** Xero is down, or back. */
  setReachable(isReachable: boolean): void
  close(): Promise<void>
}

/** Holds each answer against the OpenAPI document. */
class AnswerChecker {
  readonly #validator: ResponseValidator
  readonly #operations: ReturnType<typeof listOperations>

  constructor(document: ApiDocument) {
    this.#validator = new ResponseValidator(document)
    this.#operations = listOperations(document)
  }

  hold(method: string, url: string, answer: JudgedAnswer): void {
    const operation = findOperation(this.#operations, method, `/admin/api/v1${url.split('?')[0]}`)
    const fault = operation && this.#validator.fault(operation.operationId, answer)
    if (fault) throw new Error(fault)
  }
}

/** A production deployment whose Xero stands on loopback, with or without keys of the operator's. */
export async function openSourceKeysHarness(options: { operator?: Record<string, string> } = {}): Promise<SourceKeysHarness> {
  const home = await testDatabase()
  const keys = await testKeys()
  const apps: Record<string, string> = {}
  const running = await serveSimulator((given) => createXeroSimulator({ ...given, clients: apps }))
  const egress = createEgress({ allowPrivate: true })
  const logged: string[] = []
  const secrets = new SecretRedactor()
  const log = createLog({ level: 'debug', secrets, stream: { write: (line: string) => void logged.push(line) } })
  const closers: (() => Promise<unknown>)[] = []
  const hosts = { authorize: running.url, token: running.url, api: running.url }
  let isReachable = true

  const openProcess = (): Process => {
    const database = openDatabase(home.url, { max: 4, onLost: () => undefined })
    const sealer = createSealer(keys)
    const gate = new SharedRateLimiter(database, { onError: (error) => log.warn({ err: error }, 'gate') })
    const now = () => new Date()
    const deps: SyncDeps = {
      database,
      sealer,
      sources: createSources([xero, bankFiles], {
        settings: { xero: { hosts, ...(options.operator ? { app: options.operator } : {}) } },
        simulators: {},
        createKit: (app, reached) => {
          const kit = createKit({ egress, app, hosts: reached, now, allowPrivate: true })
          const http: typeof kit.http = async (call) => await kit.http(isReachable ? call : { ...call, url: 'http://127.0.0.1:1/' })
          return { ...kit, http }
        },
        rateLimiter: gate,
      }),
      log,
      hide: (value) => secrets.add(value),
      now,
      hashToken: tokenHasher(keys),
      baseUrl: BASE,
    }
    const app = createApi({
      database,
      keys,
      sealer,
      log,
      metrics: new Registry(),
      settings: { ...defaultApiSettings(BASE), hashCost: HASH_COST, requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } },
      now,
      sync: deps,
      pageCache: createPageCache(database, { maxBytes: 1_000_000 }),
      webhooks: { database, sealer, callbackRules: { allowPrivate: true } },
    })
    closers.push(
      () => database.end(),
      () => gate.close(),
      () => app.close(),
    )
    let judge: AnswerChecker | undefined
    return {
      deps,
      app,
      call: async ({ token }, method, url, body) => {
        const answer = await app.inject({
          method: method as 'GET',
          url: `/admin/api/v1${url}`,
          headers: { authorization: `Bearer ${token}` },
          ...(body === undefined ? {} : { payload: body }),
        })
        judge ??= new AnswerChecker((await app.inject({ url: '/admin/api/openapi.json' })).json<ApiDocument>())
        judge.hold(method, url, answer)
        const isJson = String(answer.headers['content-type']).includes('json')
        return { status: answer.statusCode, text: answer.payload, body: isJson ? answer.json() : {} }
      },
    }
  }

  const begin = async ({ deps }: Process, { instanceId, email }: Customer, companyId: string) => {
    const { open, linkToken } = await openNewLink(deps, { instanceId, companyId, serviceId: toServiceId('xero') }, email)
    const { connectionId } = await beginAuthorization(deps.database, open)
    const started = await startRedirect(deps, open, { connectionId, linkToken, locale: 'en' })
    if (started.step !== 'redirect') throw new Error('Xero connects by redirect')
    return { url: started.url, linkToken }
  }

  return {
    home,
    simulator: running.simulator,
    apps,
    logged,
    openProcess,
    addCustomer: async ({ deps, app }) => {
      const instanceId = randomUUID()
      const email = `${randomUUID()}@example.com`
      await createInstance(deps.database, { id: instanceId, name: 'Érable Lending' })
      const account = { email, name: 'Avery', role: 'admin' as const, password: PASSWORD }
      await createUser({ database: deps.database, hashing: new PasswordHashing(HASH_COST), now: deps.now }, instanceId, account)
      const answer = await app.inject({ method: 'POST', url: '/admin/api/v1/auth/login', payload: { email, password: PASSWORD } })
      return { instanceId, email, token: answer.json<{ access_token: string }>().access_token }
    },
    addCompany: async ({ instanceId }) => {
      return await addCompany(home.database, instanceId)
    },
    appOfLink: async (process, customer, companyId) =>
      new URL((await begin(process, customer, companyId)).url).searchParams.get('client_id'),
    connect: async (process, customer, companyId) => {
      const { url, linkToken } = await begin(process, customer, companyId)
      const page = `${url}&login=priya`
      await (await request(page)).body.dump()
      const answer = await request(page, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ businessId: DENTIST, decision: 'allow' }).toString(),
      })
      await answer.body.dump()
      const { searchParams } = new URL(String(answer.headers.location))
      const { state = '', ...query } = Object.fromEntries(searchParams)
      const linked = await completeRedirect(process.deps, { state, linkToken, query })
      const [first] = Array.isArray(linked) ? linked : []
      if (!first) throw new Error('nothing was linked')
      return first.connectionId
    },
    sync: async ({ deps }, { instanceId }, connectionId) => {
      const payload = { connectionId, reason: 'schedule' }
      await syncHandlers(deps).sync(
        { id: randomUUID(), instanceId, kind: 'sync', key: `connection/${connectionId}`, payload, attempts: 1 },
        { isStopping: () => false },
      )
      const { rows } = await home.database.query<{ status: number }>('select status from connections where id = $1', [connectionId])
      return rows[0]?.status ?? 0
    },
    setReachable: (wanted) => {
      isReachable = wanted
    },
    close: async () => {
      for (const close of closers.reverse()) await close()
      await Promise.all([running.close(), egress.close()])
      await home.drop()
    },
  }
}
