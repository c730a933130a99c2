import { afterEach, beforeEach, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { deleteCompany } from '../../src/store/connections/companies.ts'
import { listTimeline } from '../../src/store/connections/connection-timeline.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { dropDeadRevocations } from '../../src/sync/credentials/revocation.ts'
import { openSyncHarness, type SyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const DAY_MS = 86_400_000
const books = new ScriptedSource('books')
let harness: SyncHarness
let id: string

beforeEach(async () => {
  harness = await openSyncHarness([books])
  books.disconnects = 0
  books.accounts = [{ id: '1', name: 'Cash', balance: '1.00' }]
  id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
  await disconnect(harness.deps, { instanceId: harness.instanceId, companyId: harness.companyId, serviceId: harness.serviceId(books) })
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
  expect(await timeline()).toContain('the source could not be told; the access may still be shown there')
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
