import { beforeEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { Status } from '../../src/model/statuses.ts'
import { afterFailure } from '../../src/sync/runs/failure.ts'
import { GoneAtSource } from '../../src/sync/runs/fetch-page.ts'
import { RunOvertaken } from '../../src/sync/runs/run.ts'
import { TooManySetAside } from '../../src/sync/runs/set-aside.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { companyActions, openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books]))
const query = async (text: string, values: unknown[]) => (await harness.deps.database.query(text, values)).rows

let connectionId: string
let ended: object[]
let logged: string[]

/** A published connection, in a run that has read a page. */
beforeEach(async () => {
  const { deps, instanceId } = harness
  const actions = companyActions(deps, instanceId, await addCompany(deps.database, instanceId))
  books.accounts = ['1', '2'].map((id) => ({ id, name: `Account ${id}` }))
  connectionId = await actions.connect(books)
  await actions.sync(connectionId, { reason: 'first' })
  await query('delete from events where instance_id = $1', [instanceId])
  books.pageSize = 1
  books.faults = [null, new SourceError('unavailable', 'HTTP 503')]
  await actions.sync(connectionId, { reason: 'refresh' })
  books.faults = []
  books.pageSize = 1_000
  ended = []
  logged = []
})

async function fail(error: unknown, attempt = 1, reason?: 'first') {
  const note = (level: string) => (_fields: Record<string, unknown>, message: string) => void logged.push(`${level}: ${message}`)
  const deps = {
    ...harness.deps,
    log: { info: note('info'), warn: note('warn'), error: note('error') },
    onRunEnded: (run: object) => void ended.push(run),
  }
  const failed = { instanceId: harness.instanceId, connectionId, attempt, ...(reason ? { reason } : {}) }
  return await afterFailure(deps, failed, error)
}

const connection = async () =>
  (
    await query(
      `select status, fault, fault_code as "faultCode", trouble ->> 'code' as trouble, trouble ->> 'message' as words from connections where id = $1`,
      [connectionId],
    )
  )[0]
const run = async () =>
  (
    await query(`select state, error_kind as kind, error from sync_runs where connection_id = $1 order by started_at desc, id limit 1`, [
      connectionId,
    ])
  )[0]
const events = async () =>
  (await query(`select kind, body from events where session_id = $1`, [connectionId])).map(({ kind, body }) => [
    kind,
    JSON.parse(body).Data,
  ])
const READING = { status: Status.Structured, fault: null, faultCode: null }
const RUNNING = { state: 'running', kind: null, error: null }
/** Between the shortest and the longest time, in milliseconds. */
const within = (fromMs: number, toMs: number) => ({
  asymmetricMatch: (value: unknown) => typeof value === 'number' && value >= fromMs && value <= toMs,
})

describe('a failed attempt that is repeated', () => {
  it.each<[string, Error, number, object, string]>([
    ['an outage', new SourceError('unavailable', 'HTTP 503'), 1, { inMs: within(500, 4_500), isFailure: true }, 'sourceUnavailable'],
    ['what cannot be read', new SourceError('badData', 'cut'), 1, { inMs: within(500, 4_500), isFailure: true }, 'badData'],
    ['a limit', new SourceError('rateLimited', '429'), 1, { inMs: within(1_000, 4_500), isFailure: false }, 'sourceLimited'],
    [
      'a limit until then',
      new SourceError('rateLimited', '429', { retryAfterMs: 7_000 }),
      1,
      { inMs: 7_000, isFailure: false },
      'sourceLimited',
    ],
    [
      'a limit until now',
      new SourceError('rateLimited', '429', { retryAfterMs: 0 }),
      1,
      { inMs: 1_000, isFailure: false },
      'sourceLimited',
    ],
    [
      'a limit after many',
      new SourceError('rateLimited', '429', { retryAfterMs: 9 }),
      MAX_ATTEMPTS,
      { inMs: 1_000, isFailure: false },
      'sourceLimited',
    ],
  ])('after %s leaves the status, says why, and keeps the run', async (_what, error, attempt, outcome, trouble) => {
    expect(await fail(error, attempt)).toEqual({ done: false, reason: error.message, ...outcome })
    expect(await connection()).toEqual({ ...READING, trouble, words: error.message })
    expect([await run(), await events(), ended, logged]).toEqual([RUNNING, [], [], [`warn: ${error.message}`]])
  })

  it('after a fault of ours tells nothing of it, and logs it', async () => {
    const words = 'the sync failed inside Countinghouse'
    expect(await fail(new Error('secret words'), MAX_ATTEMPTS - 1)).toMatchObject({ done: false, isFailure: true, reason: words })
    expect(await connection()).toEqual({ ...READING, trouble: 'internal', words })
    expect([await run(), logged]).toEqual([RUNNING, ['error: sync failed']])
  })

  it('by a worker that was overtaken changes nothing', async () => {
    const before = [await connection(), await run()]
    expect(await fail(new RunOvertaken('other'))).toEqual({ done: true })
    expect([[await connection(), await run()], logged]).toEqual([before, []])
  })

  it('whose keys are refused waits for whoever set them, and raises no event', async () => {
    const error = new SourceError('unavailable', 'invalid_client', { isClientRefused: true, retryAfterMs: 60_000 })
    expect(await fail(error, MAX_ATTEMPTS)).toEqual({ done: false, inMs: 60_000, isFailure: false, reason: 'invalid_client' })
    expect(await connection()).toEqual({ ...READING, trouble: 'keysRefused', words: 'invalid_client' })
    expect([await events(), (await query('select connector_key from source_alarms', [])).length]).toEqual([[], 1])
    await query('delete from source_alarms', [])
  })
})

describe('a run whose place at the source is in doubt', () => {
  const gone = () => new GoneAtSource(new SourceError('unavailable', 'HTTP 404'), null)
  it.each<[string, Error, number, string]>([
    ['gone, at the first attempt', gone(), 1, 'running'],
    ['gone, at the second', gone(), 2, 'abandoned'],
    ['unreadable, at the third attempt', new SourceError('badData', 'cut'), 3, 'running'],
    ['unreadable, at the fourth', new SourceError('badData', 'cut'), 4, 'abandoned'],
    ['unavailable, at the fourth', new SourceError('unavailable', 'HTTP 503'), 4, 'running'],
  ])('begins anew or goes on: %s', async (_what, error, attempt, state) => {
    expect(await fail(error, attempt)).toMatchObject({ done: false })
    expect((await run())?.state).toBe(state)
  })
})

describe('a run that is given up', () => {
  const words = 'the sync failed inside Countinghouse'
  it.each<[string, Error, number, number, string, string, string]>([
    ['access that was taken away', new SourceError('reconnect', 'no'), 1, Status.Deauthorized, 'reconnect', 'accessWithdrawn', 'no'],
    [
      'the last attempt at an outage',
      new SourceError('unavailable', '503'),
      MAX_ATTEMPTS,
      Status.LoadingError,
      'unavailable',
      'sourceUnavailable',
      '503',
    ],
    ['the last attempt to read', new SourceError('badData', 'cut'), MAX_ATTEMPTS, Status.LoadingError, 'badData', 'badData', 'cut'],
    ['too many set aside', new TooManySetAside('20 of 30'), 1, Status.StructuringError, 'badData', 'tooManySetAside', '20 of 30'],
    ['the last fault of ours', new Error('secret'), MAX_ATTEMPTS, Status.StructuringError, 'internal', 'internal', words],
  ])('after %s says so on the connection, the run and in an event', async (_what, error, attempt, status, kind, code, text) => {
    expect(await fail(error, attempt)).toEqual({ done: true })
    expect(await connection()).toEqual({ status, fault: text, faultCode: code, trouble: null, words: null })
    expect(await run()).toEqual({ state: 'failed', kind, error: text })
    expect((await events()).map(([name]) => name)).toEqual(['Error'])
    expect(ended).toMatchObject([{ category: 'Accounting', result: 'failed' }])
    const [due] = await query('select update_scheduled_at > now() as "isLater" from connections where id = $1', [connectionId])
    expect(due).toEqual({ isLater: true })
  })

  it('is given up once, and its event is raised once', async () => {
    const error = new SourceError('reconnect', 'no')
    expect([await fail(error), await fail(error)]).toEqual([{ done: true }, { done: true }])
    expect([(await events()).length, ended.length]).toEqual([1, 1])
  })

  it('of a connection that has ended changes nothing', async () => {
    await query('update connections set status = 26 where id = $1', [connectionId])
    expect(await fail(new SourceError('reconnect', 'no'))).toEqual({ done: true })
    expect([await connection(), await run(), await events()]).toMatchObject([{ status: 26, fault: null }, RUNNING, []])
  })

  it('before it began has no run to end, and still an event', async () => {
    await query(`update sync_runs set state = 'published' where connection_id = $1 and state = 'running'`, [connectionId])
    expect(await fail(new SourceError('reconnect', 'no'), 1, 'first')).toEqual({ done: true })
    expect([(await events()).length, ended]).toEqual([1, []])
  })
})
