import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HttpResponse, type Kit, SourceError } from '../../src/connectors/contract/contract.ts'
import type { SourceLimit } from '../../src/connectors/contract/limits.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { answer } from './two-limiters.ts'

/** Books whose pages are fetched with the kit, as by real connectors. */
class CallingSource extends ScriptedSource {
  override get connector() {
    const { pulls, ...rest } = super.connector
    return {
      ...rest,
      disconnect: async (kit: Kit) => {
        await kit.http({ url: `${API}/revoke` })
        this.disconnects += 1
      },
      pulls: pulls.map((pull) => ({
        ...pull,
        fetch: async (...[session, cursor]: Parameters<typeof pull.fetch>) => {
          const response = await session.kit.http({ url: `${API}/books` })
          if (response.status >= 500) throw new SourceError('unavailable', `status ${response.status}`)
          return await pull.fetch(session, cursor)
        },
      })),
    }
  }
}

const API = 'https://books.example'
const LIMITS: SourceLimit[] = [{ name: 'day', scope: 'entity', hosts: ['api'], calls: 2, perMs: 86_400_000 }]

let harness: SyncHarness
let source: CallingSource
let calls: string[]
let respond: () => HttpResponse

beforeEach(async () => {
  source = new CallingSource()
  Object.assign(source.description, { limits: LIMITS, hosts: { api: API } })
  source.accounts = [{ id: '1', name: 'Cash' }]
  calls = []
  respond = () => answer(200)
  harness = await openSyncHarness([source])
  harness.deps.sources = reach()
})
afterEach(async () => await harness.close())

/** The sources with a separate rate limiter, as in another process. */
function reach() {
  return createSources([source.description], {
    settings: {},
    simulators: {},
    rateLimiter: new SharedRateLimiter(harness.deps.database, { onError: () => undefined }),
    createKit: (app, hosts) => ({
      app,
      hosts,
      now: () => new Date(),
      http: async ({ url }) => {
        calls.push(url)
        return respond()
      },
    }),
  })
}

async function statusOf(connectionId: string): Promise<{ status: number; fault: string | null }> {
  const { rows } = await harness.deps.database.query(`select status, fault from connections where id = $1`, [connectionId])
  return rows[0]
}

describe('a sync at the limit of its source', () => {
  it('releases its worker and returns when there is room, which is not a failure of the connection', async () => {
    const connectionId = await harness.connect(source)
    await harness.sync(connectionId)
    await harness.sync(connectionId)
    const before = await statusOf(connectionId)
    expect(calls).toHaveLength(2)
    const outcome = await harness.sync(connectionId, { attempt: 8 })
    expect(outcome).toMatchObject({ done: false, isFailure: false })
    expect(!outcome.done && outcome.inMs).toBeGreaterThan(86_000_000)
    expect(calls).toHaveLength(2)
    expect(await statusOf(connectionId)).toEqual(before)
  })

  it('calls nothing while the source asks to be left alone, whatever the reason given to its connector', async () => {
    const connectionId = await harness.connect(source)
    source.faults = [new SourceError('rateLimited', 'code 45', { retryAfterMs: 90_000 })]
    expect(await harness.sync(connectionId)).toMatchObject({ done: false, inMs: 90_000, isFailure: false })
    const outcome = await harness.sync(connectionId)
    expect(outcome).toMatchObject({ done: false, isFailure: false })
    expect(!outcome.done && outcome.inMs).toBeGreaterThan(60_000)
    expect(calls).toHaveLength(1)
  })

  it('waits without a fault while the breaker of its source is open', async () => {
    const connectionId = await harness.connect(source)
    await harness.sync(connectionId)
    const before = await statusOf(connectionId)
    await harness.deps.database.query(
      `insert into source_breakers (connector_key, endpoint, state, until, updated_at)
       select 'scripted', 'api', 'open', now + interval '30 seconds', now from clock_timestamp() as now
       on conflict (connector_key, endpoint) do update set state = excluded.state, until = excluded.until`,
    )
    harness.deps.sources = reach()
    const outcome = await harness.sync(connectionId, { attempt: 8 })
    expect(outcome).toMatchObject({ done: false, isFailure: false })
    expect(await statusOf(connectionId)).toEqual(before)
    expect(calls).toHaveLength(1)
  })

  it('erases a disconnect at once, and tells the source when there is room', async () => {
    const connectionId = await harness.connect(source)
    await harness.sync(connectionId)
    await harness.sync(connectionId)
    await disconnect(harness.deps, harness.scopeOf(source))
    expect(await harness.erase(connectionId)).toEqual({ done: true })
    const told = await harness.revoke(connectionId)
    expect(told).toMatchObject({ done: false, isFailure: false })
    expect(!told.done && told.inMs).toBeGreaterThan(3_600_000)
    expect(source.disconnects).toBe(0)
  })
})
