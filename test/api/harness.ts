import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { Registry } from 'prom-client'
import { PasswordHashing } from '../../src/api/access/password-hashing.ts'
import { createUser } from '../../src/api/access/user-accounts.ts'
import { type ApiSettings, defaultApiSettings } from '../../src/api/context/settings.ts'
import { createPageCache } from '../../src/api/read-cache/create-page-cache.ts'
import { createApi } from '../../src/api/server.ts'
import { toChildServiceId, toServiceId } from '../../src/model/catalogue.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import type { Role } from '../../src/store/access/users.ts'
import { ensureChildService } from '../../src/store/connections/child-services.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { testKeys } from '../harness/keys.ts'
import type { ApiDocument, DocumentedOperation } from '../harness/test-answers.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { type Answer, ResponseValidator } from './response-validator.ts'

const PASSWORD = 'violet-harbour-teapot-91'
const ROLES = ['admin', 'developer', 'integration', 'viewer'] as const
const BASE = 'http://127.0.0.1:8480'

interface Called extends Answer {
  json(): Record<string, never>
}

/** An API over a whole house with published data; each answer is held against the OpenAPI document. */
export interface ApiHarness {
  syncHarness: SyncHarness
  app: FastifyInstance
  /** The same API on other parts. */
  openOn(deps: SyncDeps, pageCacheBytes?: number): FastifyInstance
  books: ScriptedSource
  bank: ScriptedSource
  document: ApiDocument
  /** Holds what `call` was answered against the document. */
  validator: ResponseValidator
  operations: { path: string; method: string; operation: DocumentedOperation }[]
  emails: Record<Role, string>
  password: string
  tokens: Record<Role, string>
  connectionId: string
  /** Operations that have given no answer of success yet, of those whose path below the API's address is wanted. */
  listUnseen(isWanted: (path: string) => boolean): string[]
  call(method: string, url: string, options?: { role?: Role | null; body?: unknown; headers?: Record<string, string> }): Promise<Called>
  /** Another customer of the same deployment, with an admin's token. */
  openOtherInstance(): Promise<{ instanceId: string; token: string }>
  /** A bank of the directory that this instance has reached; gives the child service's id. */
  addChildService(): Promise<string>
  close(): Promise<void>
}

/** `others` are further sources that a test connects itself. */
export async function openApiHarness(others: ScriptedSource[] = [], settings: Partial<ApiSettings> = {}): Promise<ApiHarness> {
  const books = new ScriptedSource('books')
  const bank = new ScriptedSource('bank', 'Banking')
  const directory = { ...bank.description, key: 'directory', hasInstitutions: true }
  const harness = await openSyncHarness([books, bank, ...others], [directory])
  const keys = await testKeys()
  const { database, sealer } = harness.deps
  const hashCost = { memoryKiB: 19 * 1024, passes: 2, lanes: 1 }
  const openOn = (deps: SyncDeps, pageCacheBytes = 10_000_000) =>
    createApi({
      database: deps.database,
      keys,
      sealer,
      log: pino({ level: 'silent' }),
      metrics: new Registry(),
      settings: { ...defaultApiSettings(BASE), hashCost, requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 }, ...settings },
      now: () => new Date(),
      sync: deps,
      pageCache: createPageCache(deps.database, { maxBytes: pageCacheBytes }),
      webhooks: { database: deps.database, sealer, callbackRules: { allowPrivate: true } },
    })
  const app = openOn(harness.deps)
  const document = (await app.inject({ url: '/admin/api/openapi.json' })).json<ApiDocument>()
  const judge = new ResponseValidator(document)
  const hashing = new PasswordHashing(hashCost)
  const emails: Record<string, string> = {}
  const tokens: Record<string, string> = {}
  for (const role of ROLES) {
    const email = `${role}-${randomUUID().slice(0, 8)}@example.com`
    emails[role] = email
    await createUser({ database, hashing, now: () => new Date() }, harness.instanceId, { email, name: role, role, password: PASSWORD })
    const answer = await app.inject({ method: 'POST', url: '/admin/api/v1/auth/login', payload: { email, password: PASSWORD } })
    tokens[role] = answer.json<{ access_token: string }>().access_token
  }
  books.accounts = Array.from({ length: 12 }, (_, i) => ({ id: String(100 + i), name: `Account ${i}` }))
  bank.accounts = [{ id: 'chequing', name: 'Chequing', balance: '1234.50' }]
  const connectionId = await harness.connect(books)
  await harness.sync(connectionId, { reason: 'first', isAwaited: true })
  await harness.sync(await harness.connect(bank), { reason: 'first' })
  const operations = listOperations(document)
  return {
    syncHarness: harness,
    app,
    openOn,
    books,
    bank,
    document,
    validator: judge,
    operations,
    emails: emails as Record<Role, string>,
    password: PASSWORD,
    tokens: tokens as Record<Role, string>,
    connectionId,
    listUnseen: (isWanted) =>
      operations
        .filter(({ path, operation }) => isWanted(path.replace('/admin/api/v1', '')) && !judge.succeeded.has(operation.operationId))
        .map(({ operation }) => operation.operationId),
    call: async (method, url, { role = 'admin', body, headers = {} } = {}) => {
      const answer = await app.inject({
        method: method as 'GET',
        url: `/admin/api/v1${url}`,
        headers: { ...(role === null ? {} : { authorization: `Bearer ${tokens[role]}` }), ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      })
      const operation = findOperation(operations, method, `/admin/api/v1${url.split('?')[0]}`)
      const fault = operation && judge.fault(operation.operationId, answer)
      if (fault) throw new Error(fault)
      return answer as unknown as Called
    },
    openOtherInstance: async () => {
      const instanceId = randomUUID()
      const email = `neighbour-${randomUUID().slice(0, 8)}@example.com`
      await createInstance(database, { id: instanceId, name: 'Neighbour' })
      await createUser({ database, hashing, now: () => new Date() }, instanceId, {
        email,
        name: 'Neighbour',
        role: 'admin',
        password: PASSWORD,
      })
      const answer = await app.inject({ method: 'POST', url: '/admin/api/v1/auth/login', payload: { email, password: PASSWORD } })
      return { instanceId, token: answer.json<{ access_token: string }>().access_token }
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

/** The id of the service of the scripted directory. */
export const DIRECTORY_SERVICE = toServiceId('directory')

export function listOperations(document: ApiDocument): ApiHarness['operations'] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
}

export function findOperation(operations: ApiHarness['operations'], method: string, url: string): DocumentedOperation | undefined {
  const fits = (path: string) => new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(url)
  const found = operations.filter((one) => one.method === method && fits(one.path))
  return (found.find((one) => one.path === url) ?? found[0])?.operation
}
