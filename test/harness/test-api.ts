import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import type { ApiSettings } from '../../src/api/context/settings.ts'
import type { RouteDeps } from '../../src/api/routes/route-deps.ts'
import { createApi } from '../../src/api/server.ts'
import type { ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import type { PauseState } from '../../src/jobs/pause-watch.ts'
import type { Role } from '../../src/store/access/users.ts'
import type { Keys } from '../../src/store/keys/keys.ts'
import { apiDeps } from './app/api-deps.ts'
import { sourcesWithKits, syncDeps } from './app/sync-deps.ts'
import { addInstance } from './app/tenants.ts'
import { addUser, tokenOf } from './app/users.ts'
import { testDatabase } from './database.ts'
import { testKeys } from './keys.ts'

export { logInAt, PASSWORD } from './app/users.ts'

const ADDRESS = 'http://127.0.0.1:8080'

/** A server with a separate database and a clock that only moves on request. */
export interface TestApi {
  app: FastifyInstance
  deps: RouteDeps
  instanceId: string
  /** Logged lines, as JSON text. */
  logged: string[]
  moveClock(ms: number): void
  /** Creates a user; the address defaults to a generated one. */
  addUser(options?: { role?: Role; email?: string; instanceId?: string }): Promise<{ id: string; email: string }>
  addInstance(): Promise<string>
  /** Another process on the same database. */
  another(): FastifyInstance
  close(): Promise<void>
}

export async function testApi(
  settings: Partial<ApiSettings> = {},
  pause?: PauseState,
  given?: Keys,
  descriptions: readonly ConnectorDescription[] = [],
): Promise<TestApi> {
  const { database, drop } = await testDatabase()
  const keys = given ?? (await testKeys())
  const logged: string[] = []
  let nowMs = Date.parse('2026-11-20T12:00:00Z')
  const now = () => new Date(nowMs)
  const makeDeps = (): RouteDeps => {
    const log = pino({ level: 'debug' }, collector(logged))
    const sync = syncDeps({ database, keys, sources: sourcesWithKits(descriptions), log, now, baseUrl: ADDRESS })
    return { ...apiDeps({ sync, keys, log, settings }), ...(pause ? { pause } : {}) }
  }
  const deps = makeDeps()
  const app = createApi(deps)
  const apps = [app]
  const open = () => addInstance(database, 'Maple Lending')
  const instanceId = await open()
  return {
    app,
    deps,
    instanceId,
    logged,
    moveClock: (ms) => {
      nowMs += ms
    },
    addInstance: open,
    addUser: async ({ instanceId: wanted = instanceId, ...options } = {}) => await addUser(database, wanted, { now, ...options }),
    another: () => {
      const other = createApi(makeDeps())
      apps.push(other)
      return other
    },
    close: async () => {
      for (const each of apps) await each.close()
      await drop()
    },
  }
}

/** Authorization header of a new login. */
export async function bearerOf(api: TestApi, email: string): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${await tokenOf(api.app, email)}` }
}

function collector(lines: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'))
      done()
    },
  })
}
