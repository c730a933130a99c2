import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type HttpResponse, SourceError } from '../../src/connectors/contract/contract.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { forgetFailures } from '../../src/store/sources/source-recovery.ts'
import { systemClock } from '../../src/sync/rate-limits/rate-limiter-clock.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { answer } from './two-limiters.ts'

const API = 'https://books.example'

class CallingSource extends ScriptedSource {
  override get connector() {
    const { pulls, ...rest } = super.connector
    return {
      ...rest,
      pulls: pulls.map((pull) => ({
        ...pull,
        fetch: async (...[session, cursor]: Parameters<typeof pull.fetch>) => {
          const response = await session.kit.http({ url: `${API}/books` })
          if (response.status === 429) throw new SourceError('rateLimited', 'day limit', { retryAfterMs: 5 * 3_600_000 })
          if (response.status >= 500) throw new SourceError('unavailable', `status ${response.status}`)
          return await pull.fetch(session, cursor)
        },
      })),
    }
  }
}

let harness: SyncHarness
let source: CallingSource
let aheadMs = 0
const clock = { ...systemClock, nowMs: () => performance.now() + aheadMs }
let respond: () => HttpResponse

beforeEach(async () => {
  source = new CallingSource()
  Object.assign(source.description, { hosts: { api: API } })
  source.accounts = [{ id: '1', name: 'Cash' }]
  harness = await openSyncHarness([source])
  harness.deps.sources = createSources([source.description], {
    settings: {},
    simulators: {},
    rateLimiter: new SharedRateLimiter(harness.deps.database, { clock, onError: () => undefined }),
    createKit: (app, hosts) => ({ app, hosts, now: () => new Date(), http: async () => respond() }),
  })
})
afterEach(async () => await harness.close())

it('a pause caused by a fault ends with the fault, also in a process that cached it', async () => {
  respond = () => answer(429)
  const connectionId = await harness.connect(source)
  expect(await harness.sync(connectionId, { reason: 'first' })).toMatchObject({ done: false, inMs: 5 * 3_600_000 })
  respond = () => answer(200)
  expect(await harness.sync(connectionId), 'nobody has said that the source is well').toMatchObject({ done: false })
  await forgetFailures(harness.deps.database, { client: 'scripted', connectorKey: 'scripted', instanceId: harness.instanceId })
  aheadMs += 2_000
  expect(await harness.sync(connectionId)).toEqual({ done: true })
})

it('jobs waiting for a fault are due once it is gone, with all their attempts; others keep waiting', async () => {
  const { database } = harness.deps
  const instanceId = randomUUID()
  await database.query(
    `insert into jobs (instance_id, kind, key, provider, run_at, attempts) select $1, 'sync', provider, provider, clock_timestamp() + interval '5 hours', 7
     from unnest('{scripted,other}'::text[]) provider`,
    [instanceId],
  )
  await database.query(
    `insert into jobs (instance_id, kind, key, provider, run_at, attempts) values ($1, 'sync', 'theirs', 'scripted', clock_timestamp() + interval '5 hours', 7)`,
    [randomUUID()],
  )
  await database.query(
    `insert into source_breakers (connector_key, endpoint, state, until, updated_at) select client, 'api', 'open', clock_timestamp() + interval '1 hour', clock_timestamp()
     from unnest('{scripted,scripted#ours,scripted#ours/keys,scripted#theirs}'::text[]) client`,
  )
  await forgetFailures(database, { client: 'scripted#ours', connectorKey: 'scripted', instanceId })
  const { rows } = await database.query(`select key, attempts, run_at <= clock_timestamp() as "isDue" from jobs order by key desc`)
  expect(rows).toEqual([
    { key: 'theirs', attempts: 7, isDue: false },
    { key: 'scripted', attempts: 0, isDue: true },
    { key: 'other', attempts: 7, isDue: false },
  ])
  const open = await database.query(`select connector_key as client from source_breakers where state = 'open' order by 1`)
  expect(open.rows).toEqual([{ client: 'scripted' }, { client: 'scripted#theirs' }])
})
