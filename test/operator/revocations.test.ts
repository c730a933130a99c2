import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { claimJobs, type Job } from '../../src/store/jobs/jobs.ts'
import type { Keys } from '../../src/store/keys/keys.ts'
import { findErasure } from '../../src/store/operators/erasures.ts'
import { dropDeadRevocations } from '../../src/sync/credentials/revocation.ts'
import { eraseInstance, requestErasure } from '../../src/sync/instances/erase.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { erasureJob, signalOf } from '../harness/app/jobs.ts'
import { testKeys } from '../harness/keys.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const books = new ScriptedSource('books')
const WORKER = '6f1f6a60-7d0e-4a5c-8f5e-3a0c7a7d9b11'
let harness: SyncHarness
let keys: Keys
let erasureId: string

beforeEach(async () => {
  keys = await testKeys()
  harness = await openSyncHarness([books], [], keys)
  books.disconnectFault = new SourceError('unavailable', 'HTTP 503')
  books.accounts = [{ id: '1', name: 'Cash', balance: '1.00' }]
  const id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
  const instance = { id: harness.instanceId, name: 'Maple Lending', kind: 'live' }
  erasureId = (await inTransaction(harness.deps.database, (db) => requestErasure(db, instance)))?.id ?? ''
})
afterEach(async () => await harness.close())

/** Runs the job as the worker does, stopped after `checks` safe points. */
async function erase(checks = Number.POSITIVE_INFINITY) {
  let left = checks
  const isStopping = () => {
    left -= 1
    return left < 0
  }
  return await eraseInstance({ ...harness.deps, signing: keys.signing, settleMs: 0 }, erasureJob(erasureId), isStopping)
}

async function claim() {
  const jobs = await claimJobs(harness.deps.database, { worker: WORKER, kinds: ['revoke'], limit: 5, leaseMs: 60_000, after: null, cap: 5 })
  return jobs.map((job) => ({ ...job, attempts: MAX_ATTEMPTS }))
}

const revoke = async (job: Job) => await syncHandlers(harness.deps).revoke(job, signalOf(job))

const counts = async () => {
  const found = await findErasure(harness.deps.database, erasureId)
  return [found?.revocations, found?.unrevoked, found?.completedAt !== null]
}

it('an erasure waits until objects of disconnected data are deleted where exports were delivered', async () => {
  await erase()
  await harness.deps.database.query(`delete from jobs where kind = 'revoke'`)
  for (const kind of ['eraseDelivered', 'removeDelivered', 'abortUpload']) {
    await harness.deps.database.query(`insert into jobs (instance_id, kind, key) values ($1, $2, 'x')`, [harness.instanceId, kind])
    expect(await erase()).toMatchObject({ done: false })
    await harness.deps.database.query('delete from jobs where kind = $1', [kind])
  }
  expect(await erase()).toEqual({ done: true })
})

describe('the receipt of an erasure counts a source that could not be told, once', () => {
  it('when the revocation is given up, and its worker is killed before the job is done', async () => {
    expect(await erase()).toMatchObject({ done: false })
    const [job] = await claim()
    if (!job) throw new Error('no revocation was queued')
    expect(await revoke(job)).toEqual({ done: true })
    expect(await revoke(job)).toEqual({ done: true })
    expect(await erase()).toEqual({ done: true })
    expect(await counts()).toEqual([1, 1, true])
  })

  it('when the workers of the revocation have died, also for a day before the erasure comes to it', async () => {
    await erase()
    await harness.deps.database.query(
      `update jobs set state = 'dead', died_at = clock_timestamp() - interval '2 days' where kind = 'revoke'`,
    )
    await dropDeadRevocations(harness.deps.database)
    expect(await erase()).toEqual({ done: true })
    expect(await counts()).toEqual([1, 1, true])
  })

  it('when it still waits after 25 hours, wherever the erasure is stopped and repeated', async () => {
    await erase()
    await harness.deps.database.query(`update instance_erasures set requested_at = requested_at - interval '26 hours'`)
    for (const checks of [0, 1, 5, 20]) expect(await erase(checks)).toMatchObject({ done: false })
    expect(await erase()).toEqual({ done: true })
    expect(await counts()).toEqual([1, 1, true])
  })
})

it('a source that was told is not counted', async () => {
  books.disconnectFault = null
  await erase()
  for (const job of await claim()) await revoke(job)
  await harness.deps.database.query(`delete from jobs where kind = 'revoke'`)
  expect(await erase()).toEqual({ done: true })
  expect(await counts()).toEqual([1, 0, true])
})

it('a revocation that an owner asked for before counts too', async () => {
  const other = await openSyncHarness([books], [], keys)
  await other.deps.database.query(`insert into jobs (instance_id, kind, key, payload) values ($1, 'revoke', 'x', '{}')`, [other.instanceId])
  const instance = { id: other.instanceId, name: 'Maple Lending', kind: 'live' }
  const begun = await inTransaction(other.deps.database, (db) => requestErasure(db, instance))
  expect(await findErasure(other.deps.database, begun?.id ?? '')).toMatchObject({ revocations: 1, unrevoked: 0 })
  await other.close()
})
