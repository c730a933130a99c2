import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { Status } from '../../src/model/statuses.ts'
import { type ReplayReport, readReplayReport } from '../../src/store/records/replay-reports.ts'
import { handleReplayJob } from '../../src/sync/replay/replay.ts'
import { quarantineOf, runsOf } from '../harness/app/runs.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ChangingSource } from './changing-source.ts'
import { replay, requestReplay, workOnce } from './replays.ts'

const books = new ChangingSource('books')
let harness: SyncHarness
let id: string
let errors: unknown[][]

beforeEach(async () => {
  books.changes = {}
  books.faults = []
  books.accounts = Array.from({ length: 40 }, (_, n) => ({ id: String(1_000 + n), name: `Account ${n}` }))
  harness = await openSyncHarness([books])
  harness.deps.readLeaseMs = 0
  errors = []
  harness.deps.log.error = (...line: unknown[]) => void errors.push(line)
  id = await harness.connect(books)
})
afterEach(async () => await harness.close())

const report = (requested: string): Promise<ReplayReport> => readReplayReport(harness.deps.database, harness.instanceId, requested)
const newestRun = async () => (await runsOf(harness, id, 1))[0]
const failing = (fault: Error) => {
  harness.deps.crashPoint = async (reached) => {
    if (reached === 'before-replayed-page-commit') throw fault
  }
}
const ANOTHER = { done: false, inMs: 0, isFailure: false, reason: 'there may be another request' }

describe('a job of replays', () => {
  beforeEach(async () => void (await harness.sync(id, { reason: 'first' })))

  it('is done once nothing waits, and asks for the next request after each', async () => {
    expect(await workOnce(harness, id)).toEqual({ done: true })
    const requested = [await requestReplay(harness), await requestReplay(harness)]
    expect([await workOnce(harness, id), await workOnce(harness, id), await workOnce(harness, id)]).toEqual([
      ANOTHER,
      ANOTHER,
      { done: true },
    ])
    for (const one of requested) expect((await report(one)).connections).toMatchObject({ done: 1, waiting: 0, failed: 0 })
  })

  it('waits five seconds for a run, and counts that as no failure', async () => {
    books.faults = [new Error('cut off')]
    await harness.sync(id).catch(() => undefined)
    await requestReplay(harness)
    expect(await workOnce(harness, id)).toEqual({ done: false, inMs: 5_000, isFailure: false, reason: 'the connection is being read' })
    expect(errors.filter(([, text]) => text === 'replay failed')).toEqual([])
  })

  it('is taken up in half a second where its connection has ended meanwhile', async () => {
    await requestReplay(harness)
    const { openLarge } = harness.deps.sealer
    harness.deps.sealer.openLarge = async (context, sealed) => {
      await harness.deps.database.query('update connections set status = $2 where id = $1', [id, Status.Disconnected])
      return await openLarge(context, sealed)
    }
    expect(await workOnce(harness, id)).toEqual({ done: false, inMs: 500, isFailure: false, reason: 'the connection has ended' })
    expect(errors).toEqual([])
  })

  it('that a stopping worker leaves goes on at once in another', async () => {
    const requested = await requestReplay(harness)
    const job = { instanceId: harness.instanceId, payload: { connectionId: id }, attempts: 1 }
    const signal = { isStopping: () => true, advance: () => undefined }
    expect(await handleReplayJob(harness.deps, job, signal)).toEqual({
      ...{ done: false, inMs: 0, isFailure: false, reason: 'the worker stopped' },
    })
    expect([await report(requested), errors]).toMatchObject([{ connections: { waiting: 1, failed: 0 }, counts: { pages: 0 } }, []])
  })

  it('that fails is tried again, and fails for good with its last attempt, with nothing published', async () => {
    const requested = await requestReplay(harness)
    const fault = new Error('a secret of the books')
    failing(fault)
    books.release({ name: () => 'New' })
    const retried = await workOnce(harness, id, MAX_ATTEMPTS - 1)
    expect(retried).toEqual({ done: false, inMs: expect.any(Number), isFailure: true, reason: 'the replay failed' })
    expect([retried.done === false && retried.inMs > 0, (await report(requested)).connections.waiting]).toEqual([true, 1])
    expect(errors).toEqual([[{ connectionId: id, attempt: MAX_ATTEMPTS - 1, err: fault }, 'replay failed']])
    expect(await workOnce(harness, id, MAX_ATTEMPTS)).toEqual(ANOTHER)
    const message = 'the replay failed inside Countinghouse'
    expect(await report(requested)).toMatchObject({
      connections: { failed: 1, waiting: 0 },
      failures: [{ connectionId: id, error: message }],
    })
    expect(await newestRun()).toMatchObject({ reason: 'replay', state: 'failed', errorKind: 'badData', error: message })
    expect(errors).toHaveLength(2)
  })

  it('whose mapping refuses too much fails at once, which is no fault of ours', async () => {
    const requested = await requestReplay(harness)
    books.release({
      name: () => {
        throw new RangeError('no')
      },
    })
    expect(await workOnce(harness, id)).toEqual(ANOTHER)
    const [failure] = (await report(requested)).failures
    expect(failure?.error).toContain('40 of 40')
    expect([(await newestRun())?.error, errors]).toEqual([failure?.error, []])
  })

  it('of a dry run that fails leaves the run of a sync alone', async () => {
    books.faults = [new Error('cut off')]
    await harness.sync(id).catch(() => undefined)
    await requestReplay(harness, { isDryRun: true })
    failing(new Error('a fault'))
    await workOnce(harness, id, MAX_ATTEMPTS)
    expect(await newestRun()).toMatchObject({ reason: 'schedule', state: 'running', error: null })
  })
})

describe('a page that is replayed', () => {
  it('keeps a record that never had an id set aside', async () => {
    books.accounts.push({ id: '', name: '', isNameless: true })
    await harness.sync(id, { reason: 'first' })
    expect((await replay(harness, id)).counts).toMatchObject({ records: 40, setAside: 1, changed: 0, added: 0 })
    expect(await quarantineOf(harness, id)).toMatchObject([{ origId: expect.stringMatching(/^#.*\/40$/), reason: 'no id' }])
  })

  it('counts a record that is on it twice once, as the source says it is', async () => {
    books.accounts.push({ id: 'twice', name: 'Newer', version: '2' }, { id: 'twice', name: 'Older', version: '1' })
    await harness.sync(id, { reason: 'first' })
    books.release({ name: (account) => account.name.toUpperCase() })
    expect((await replay(harness, id)).counts).toMatchObject({ records: 41, changed: 41 })
    const { rows } = await harness.deps.database.query<{ doc: string }>(
      `select doc from record_versions where connection_id = $1 and orig_id = 'twice' and valid_to is null`,
      [id],
    )
    expect(rows.map(({ doc }) => JSON.parse(doc).name)).toEqual(['NEWER'])
  })

  it('counts the values of its records that the mapping does not know', async () => {
    books.accounts.push({ id: 'x', name: 'odd one' }, { id: 'y', name: 'odd one' }, { id: 'z', name: 'odd two' })
    await harness.sync(id, { reason: 'first' })
    await replay(harness, id)
    expect(await newestRun()).toMatchObject({
      reason: 'replay',
      unmapped: [
        { entity: 'Accounts', field: 'typeSystem', word: 'odd one', count: 2 },
        { entity: 'Accounts', field: 'typeSystem', word: 'odd two', count: 1 },
      ],
    })
  })

  it('of any length is compared whole', async () => {
    books.pageSize = 3_000
    books.accounts = Array.from({ length: 2_001 }, (_, n) => ({ id: String(10_000 + n), name: `Account ${n}` }))
    await harness.sync(id, { reason: 'first' })
    books.release({ name: (account) => (/ (0|1999|2000)$/.test(account.name) ? 'New' : account.name) })
    expect((await replay(harness, id)).counts).toMatchObject({ pages: 1, records: 2_001, changed: 3 })
  })
})
