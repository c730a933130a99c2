import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { Registry } from 'prom-client'
import { PasswordHashing } from '../../src/api/access/password-hashing.ts'
import { createUser } from '../../src/api/access/user-accounts.ts'
import { type ApiSettings, defaultApiSettings } from '../../src/api/context/settings.ts'
import { createPageCache } from '../../src/api/read-cache/create-page-cache.ts'
import type { RouteDeps } from '../../src/api/routes/route-deps.ts'
import { createApi } from '../../src/api/server.ts'
import { createSources, type SourceOptions } from '../../src/connectors/sources.ts'
import type { PauseState } from '../../src/jobs/pause-watch.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import type { Role } from '../../src/store/access/users.ts'
import type { Keys } from '../../src/store/keys/keys.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { testDatabase } from './database.ts'
import { testKeys } from './keys.ts'

/** The cheapest cost that is allowed: tests log in often. */
const TEST_HASH_COST = { memoryKiB: 19 * 1024, passes: 2, lanes: 1 }
export const PASSWORD = 'violet-harbour-teapot-91'

const ADDRESS = 'http://127.0.0.1:8080'
const NO_SOURCES: SourceOptions = {
  settings: {},
  simulators: {},
  createKit: () => {
    throw new Error('there are no sources')
  },
}

/** A server over a database of its own, with a clock that only moves when told. */
export interface TestApi {
  app: FastifyInstance
  deps: RouteDeps
  instanceId: string
  /** Lines that were logged, as JSON text. */
  logged: string[]
  moveClock(ms: number): void
  /** Creates a user; the address is made up when left out. */
  addUser(options?: { role?: Role; email?: string; instanceId?: string }): Promise<{ id: string; email: string }>
  addInstance(): Promise<string>
  /** Another process on the same database. */
  another(): FastifyInstance
  close(): Promise<void>
}

export async function testApi(settings: Partial<ApiSettings> = {}, pause?: PauseState, given?: Keys): Promise<TestApi> {
  const { database, drop } = await testDatabase()
  const keys = given ?? (await testKeys())
  const logged: string[] = []
  let nowMs = Date.parse('2026-11-20T12:00:00Z')
  const now = () => new Date(nowMs)
  const makeDeps = (): RouteDeps => {
    const sealer = createSealer(keys)
    const log = pino({ level: 'debug' }, collector(logged))
    const hashToken = tokenHasher(keys)
    return {
      database,
      keys,
      sealer,
      log,
      metrics: new Registry(),
      settings: { ...defaultApiSettings(ADDRESS), hashCost: TEST_HASH_COST, ...settings },
      now,
      sync: { database, sealer, log, hide: () => undefined, now, hashToken, baseUrl: ADDRESS, sources: createSources([], NO_SOURCES) },
      pageCache: createPageCache(database, { maxBytes: 1_000_000 }),
      webhooks: { database, sealer, callbackRules: { allowPrivate: false } },
      ...(pause ? { pause } : {}),
    }
  }
  const deps = makeDeps()
  const apps = [createApi(deps)]
  const hashing = new PasswordHashing(TEST_HASH_COST)

  async function addInstance(): Promise<string> {
    const id = randomUUID()
    await createInstance(database, { id, name: 'Maple Lending' })
    return id
  }

  const instanceId = await addInstance()
  return {
    app: apps[0] ?? createApi(deps),
    deps,
    instanceId,
    logged,
    moveClock: (ms) => {
      nowMs += ms
    },
    addInstance,
    addUser: async (options = {}) => {
      const email = options.email ?? `${randomUUID()}@example.com`
      const account = { email, name: 'Avery Tremblay', role: options.role ?? 'admin', password: PASSWORD }
      const { id } = await createUser({ database, hashing, now: deps.now }, options.instanceId ?? instanceId, account)
      return { id, email }
    },
    another: () => {
      const app = createApi(makeDeps())
      apps.push(app)
      return app
    },
    close: async () => {
      for (const app of apps) await app.close()
      await drop()
    },
  }
}

/** Logs in; the answer as it came. */
export function logInAt(app: FastifyInstance, email: string, password = PASSWORD, remoteAddress = '203.0.113.7') {
  return app.inject({ method: 'POST', url: '/admin/api/v1/auth/login', payload: { email, password }, remoteAddress })
}

/** The header of a fresh login. */
export async function bearerOf(api: TestApi, email: string): Promise<{ authorization: string }> {
  const response = await logInAt(api.app, email)
  const { access_token: token } = response.json<{ access_token: string }>()
  return { authorization: `Bearer ${token}` }
}

function collector(lines: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'))
      done()
    },
  })
}
