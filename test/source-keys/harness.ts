import type { FastifyInstance } from 'fastify'
import { request } from 'undici'
import { serveSimulator } from '../../simulators/simulator.ts'
import { createXeroSimulator, type XeroSimulator } from '../../simulators/xero/index.ts'
import { createApi } from '../../src/api/server.ts'
import { bankFiles } from '../../src/connectors/bank-files/index.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { xero } from '../../src/connectors/xero/index.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { SecretRedactor } from '../../src/model/secret-redactor.ts'
import { createLog } from '../../src/process/log.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { beginAuthorization, completeRedirect, startRedirect } from '../../src/sync/authorize/authorize.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { apiDeps } from '../harness/app/api-deps.ts'
import { callbackOf } from '../harness/app/callback-of.ts'
import { runSyncJob } from '../harness/app/jobs.ts'
import { openNewLink } from '../harness/app/owner-link.ts'
import { ResponseValidator } from '../harness/app/response-validator.ts'
import { syncDeps } from '../harness/app/sync-deps.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { addUser, tokenOf } from '../harness/app/users.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { testKeys } from '../harness/keys.ts'
import { readDocument } from '../harness/test-answers.ts'

const BASE = 'https://counting.example.com'
const NO_LIMITS = { perSession: 0, perInstance: 0, perNetwork: 0 }

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

/** One of several processes that share only the database. */
export interface Process {
  deps: SyncDeps
  app: FastifyInstance
  call(customer: Customer, method: string, url: string, body?: object): Promise<Answer>
}

export interface SourceKeysHarness {
  home: TestDatabase
  simulator: XeroSimulator
  /** Apps registered at Xero: id and secret. May be changed at any time. */
  apps: Record<string, string>
  /** Log lines of all processes. */
  logged: string[]
  openProcess(): Process
  addCustomer(process: Process): Promise<Customer>
  /** Id of the app with which the owner's browser is sent to Xero. */
  /** Redirect address that a link sends along. */
  addressOfLink(process: Process, customer: Customer, companyId: string): Promise<string | null>
  appOfLink(process: Process, customer: Customer, companyId: string): Promise<string | null>
  /** An owner connects books at Xero; returns the connection's id. */
  connect(process: Process, customer: Customer, companyId: string): Promise<string>
  addCompany(customer: Customer): Promise<string>
  /** Runs one sync; returns the connection's status after it. */
  sync(process: Process, customer: Customer, connectionId: string): Promise<number>
  /** Makes Xero unreachable, or reachable again. */
  setReachable(isReachable: boolean): void
  close(): Promise<void>
}

/** Production deployment with a simulated Xero, with or without the operator's keys. */
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
    const rateLimiter = new SharedRateLimiter(database, { onError: (error) => log.warn({ err: error }, 'rate limiter') })
    const sources = createSources([xero, bankFiles], {
      settings: { xero: { hosts, ...(options.operator ? { app: options.operator } : {}) } },
      simulators: {},
      createKit: (app, reached) => {
        const kit = createKit({ egress, app, hosts: reached, now: () => new Date(), allowPrivate: true })
        const http: typeof kit.http = async (call) => await kit.http(isReachable ? call : { ...call, url: 'http://127.0.0.1:1/' })
        return { ...kit, http }
      },
      rateLimiter,
    })
    const deps = syncDeps({ database, keys, sources, log, hide: (value) => secrets.add(value), baseUrl: BASE })
    const app = createApi(apiDeps({ sync: deps, keys, log, settings: { requestLimits: NO_LIMITS }, allowPrivate: true }))
    closers.push(
      () => database.end(),
      () => rateLimiter.close(),
      () => app.close(),
    )
    let validator: ResponseValidator | undefined
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
        validator ??= new ResponseValidator(await readDocument(app))
        validator.check(method, url, answer)
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
      const instanceId = await addInstance(deps.database, 'Érable Lending')
      const { email } = await addUser(deps.database, instanceId)
      return { instanceId, email, token: await tokenOf(app, email) }
    },
    addCompany: ({ instanceId }) => addCompany(home.database, instanceId),
    addressOfLink: async (process, customer, companyId) =>
      new URL((await begin(process, customer, companyId)).url).searchParams.get('redirect_uri'),
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
      const linked = await completeRedirect(process.deps, {
        state,
        linkToken,
        callback: callbackOf(String(answer.headers.location)),
        query,
      })
      const [first] = Array.isArray(linked) ? linked : []
      if (!first) throw new Error('nothing was linked')
      return first.connectionId
    },
    sync: async ({ deps }, { instanceId }, connectionId) => {
      await runSyncJob(deps, { instanceId, connectionId })
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
