import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { deleteCompany } from '../../src/store/connections/companies.ts'
import { listTimeline } from '../../src/store/connections/connection-timeline.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { dropDeadRevocations } from '../../src/sync/credentials/revocation.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { runJob, takeJobs } from '../harness/app/jobs.ts'
import { openSyncHarness, type SyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const DAY_MS = 86_400_000
const UNTOLD = 'the source could not be told; the access may still be shown there'
const books = new ScriptedSource('books')
let harness: SyncHarness
let id: string

beforeEach(async () => {
  harness = await openSyncHarness([books])
  books.disconnects = 0
  books.accounts = [{ id: '1', name: 'Cash', balance: '1.00' }]
  id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
  await disconnect(harness.deps, harness.scopeOf(books))
})
afterEach(async () => await harness.close())

async function count(sql: string): Promise<number> {
  const { rows } = await harness.deps.database.query<{ count: number }>(`select count(*)::int as count from ${sql}`)
  return rows[0]?.count ?? 0
}

const timeline = async () => (await listTimeline(harness.deps.database, harness.instanceId, id)).map(({ detail }) => detail)

it('a source that asks for a wait of five hours keeps no data here: it is erased, the event is sent, the company can be deleted', async () => {
  books.disconnectFault = new SourceError('rateLimited', 'day limit', { retryAfterMs: 5 * 3_600_000 })
  expect(await harness.erase(id)).toEqual({ done: true })
  expect((await count('record_versions')) + (await count('raw_pages'))).toBe(0)
  expect(await count(`events where kind = 'Disconnected'`)).toBe(1)
  const deleted = await inTransaction(harness.deps.database, (db) => deleteCompany(db, harness.instanceId, harness.companyId))
  expect(deleted).toBe('deleted')
  expect(await harness.revoke(id)).toMatchObject({ done: false, inMs: 5 * 3_600_000, isFailure: false })
})

it('a source is told of the end of a company that has been deleted in the meantime', async () => {
  books.disconnectFault = null
  await harness.erase(id)
  await inTransaction(harness.deps.database, (db) => deleteCompany(db, harness.instanceId, harness.companyId))
  expect(await harness.revoke(id)).toEqual({ done: true })
  expect(books.disconnects).toBe(1)
})

it('an unavailable source is retried over most of a day, with increasing waits', async () => {
  books.disconnectFault = new SourceError('unavailable', 'HTTP 503')
  const { rows } = await harness.deps.database.query(`select payload from jobs where kind = 'revoke'`)
  let waitedMs = 0
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
    const outcome = await harness.revoke(id, { attempt })
    if (outcome.done) throw new Error('given up early')
    expect(outcome.isFailure).toBe(true)
    waitedMs += outcome.inMs
    await harness.deps.database.query(`insert into jobs (instance_id, kind, key, payload) values ($1, 'revoke', $2, $3)`, [
      harness.instanceId,
      `revoke/${attempt}`,
      rows[0]?.payload,
    ])
  }
  expect(waitedMs).toBeGreaterThan(DAY_MS / 2)
  expect(waitedMs).toBeLessThan(DAY_MS)
  expect(await harness.revoke(id, { attempt: MAX_ATTEMPTS })).toEqual({ done: true })
  expect(await timeline()).toContain(UNTOLD)
})

describe('the next attempt of a revocation', () => {
  const NOW = new Date('2026-03-01T12:00:00Z')
  const MINUTE_MS = 60_000
  /** Outcome of an attempt at `NOW`, of a revocation that is given up `leftMs` later. */
  async function attempt(fault: Error, attempts: number, leftMs = DAY_MS) {
    books.disconnectFault = fault
    const [job] = await takeJobs(harness.deps.database, 'revoke')
    if (!job) throw new Error('no revocation is queued')
    const payload = { ...job.payload, giveUpAt: new Date(NOW.getTime() + leftMs).toISOString() }
    const handlers = syncHandlers({ ...harness.deps, now: () => NOW })
    return await runJob(handlers.revoke, { ...job, payload, attempts })
  }
  const unavailable = new SourceError('unavailable', 'HTTP 503')

  it.each([
    [1, 1],
    [2, 4],
    [3, 16],
    [4, 64],
    [5, 256],
    [6, 360],
    [MAX_ATTEMPTS - 1, 360],
  ])('after failure %i comes %i minutes later', async (attempts, minutes) => {
    const failed = { done: false, inMs: minutes * MINUTE_MS, isFailure: true, reason: 'HTTP 503' }
    expect(await attempt(unavailable, attempts)).toEqual(failed)
  })

  it.each([
    ['says when', new SourceError('rateLimited', '429', { retryAfterMs: 90_000 }), 90_000, 90_000],
    ['says “now”', new SourceError('rateLimited', '429', { retryAfterMs: 0 }), 1_000, 1_000],
    ['does not say when', new SourceError('rateLimited', '429'), 1_000, 8_500],
  ])('after a limit is no failure, and never at once: the source %s', async (_what, fault, fromMs, toMs) => {
    const outcome = await attempt(fault, 2)
    expect(outcome).toMatchObject({ done: false, isFailure: false, reason: '429' })
    const inMs = outcome.done ? 0 : outcome.inMs
    expect([inMs >= fromMs, inMs <= toMs]).toEqual([true, true])
  })

  it('is the last one where the day ends before it', async () => {
    expect(await attempt(unavailable, 3, 5 * MINUTE_MS)).toMatchObject({ done: false, inMs: 5 * MINUTE_MS })
  })

  it('tells nothing of an error of our own', async () => {
    expect(await attempt(new Error('secret words'), 1)).toMatchObject({ done: false, reason: 'the source could not be told' })
  })

  it.each([0, -1])('is none %i ms after the day, and the history says that the access may be left', async (leftMs) => {
    expect(await attempt(unavailable, 1, leftMs)).toEqual({ done: true })
    expect(await timeline()).toContain(UNTOLD)
  })

  it('is none after the last of all attempts', async () => {
    expect(await attempt(unavailable, MAX_ATTEMPTS)).toEqual({ done: true })
    const { rows } = await harness.deps.database.query(
      `select to_status, detail, detail_code from connection_timeline order by at desc limit 1`,
    )
    expect(rows).toEqual([{ to_status: 26, detail: UNTOLD, detail_code: 'sourceNotTold' }])
  })
})

it('credentials wait for their revocation sealed, for a day', async () => {
  const [job] = await takeJobs(harness.deps.database, 'revoke')
  const { farewell, giveUpAt } = job?.payload ?? {}
  expect(Buffer.from(String(farewell), 'base64').toString('latin1')).not.toContain(books.validToken)
  const { rows } = await harness.deps.database.query<{ created_at: Date }>(
    `select at as created_at from connection_timeline order by at desc limit 1`,
  )
  expect((Date.parse(String(giveUpAt)) - (rows[0]?.created_at.getTime() ?? 0)) / DAY_MS).toBeCloseTo(1, 2)
})

it('a source that cannot be told of the end is not called, and the history says nothing of it', async () => {
  const { connector } = books
  const { disconnect: _none, ...without } = connector
  Object.defineProperty(books, 'connector', { configurable: true, value: without })
  try {
    expect(await harness.revoke(id)).toEqual({ done: true })
  } finally {
    Reflect.deleteProperty(books, 'connector')
  }
  expect([books.disconnects, (await timeline()).includes(UNTOLD)]).toEqual([0, false])
})

it('a source that asks for more than a day is given up then, and the credentials are deleted', async () => {
  books.disconnectFault = new SourceError('rateLimited', 'month limit', { retryAfterMs: 20 * DAY_MS })
  const first = await harness.revoke(id)
  expect(!first.done && first.inMs).toBeLessThanOrEqual(DAY_MS)
  await harness.deps.database.query(
    `insert into jobs (instance_id, kind, key, payload) values ($1, 'revoke', 'revoke/late', jsonb_build_object('connectionId', $2::text,
       'connectorKey', 'books', 'sourceKeysId', null, 'farewell', '', 'giveUpAt', clock_timestamp() - interval '1 second'))`,
    [harness.instanceId, id],
  )
  expect(await harness.revoke(id)).toEqual({ done: true })
})

it('credentials that the source no longer knows are given up at once', async () => {
  books.disconnectFault = new SourceError('reconnect', 'invalid_grant')
  expect(await harness.revoke(id)).toEqual({ done: true })
})

it('credentials of a revocation whose workers all died are deleted after a day', async () => {
  await harness.deps.database.query(
    `update jobs set state = 'dead', died_at = clock_timestamp() - interval '23 hours' where kind = 'revoke'`,
  )
  expect(await dropDeadRevocations(harness.deps.database)).toBe(0)
  await harness.deps.database.query(`update jobs set died_at = clock_timestamp() - interval '25 hours' where kind = 'revoke'`)
  expect([await dropDeadRevocations(harness.deps.database), await count(`jobs where kind = 'revoke'`)]).toEqual([1, 0])
})

it('the data of an ended connection does not wait among the calls to its source', async () => {
  const { rows } = await harness.deps.database.query(`select kind, provider from jobs where kind in ('erase', 'revoke') order by kind`)
  expect(rows).toEqual([
    { kind: 'erase', provider: '' },
    { kind: 'revoke', provider: 'books' },
  ])
})
