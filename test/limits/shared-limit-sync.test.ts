import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { SharedLimitSync, type TrackedCall } from '../../src/sync/rate-limits/shared-limit-sync.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { ObservedDatabase } from './observed-database.ts'
import { VirtualClock } from './virtual-clock.ts'

const home = databaseForTests()
const EXCHANGE = 'exchange-call-counts'
const DOWN = 'fails and is left alone for a while'
const FREE = { waitMs: 0, reason: DOWN, isDown: true }
const asked = (waitMs: number) => ({ waitMs, reason: 'asked to wait', isDown: false })

let clock: VirtualClock
let observed: ObservedDatabase
let limits: SharedLimitSync
let errors: unknown[]

beforeEach(async () => {
  await home.database.query('truncate source_breakers, source_pauses')
  clock = new VirtualClock()
  observed = new ObservedDatabase(clock.watch(home.database))
  errors = []
  limits = new SharedLimitSync(observed.db, clock, (error) => errors.push(error))
})

const CALL: TrackedCall = { connectorKey: 'books', client: 'books#own', scope: 'bakery', endpoint: 'api', timeoutMs: 30_000 }
const pass = (ms: number): Promise<void> => clock.runUntil(clock.sleep(ms))
const at = (afterMs: number): Date => new Date(clock.databaseTime().getTime() - clock.nowMs() + afterMs)
const exchanges = () =>
  observed.statements
    .filter(({ name }) => name === EXCHANGE)
    .map(({ values }) => values.map((value) => (typeof value === 'string' ? JSON.parse(value) : value)))
const addPause = async (client: string, scope: string, untilMs: number) =>
  await home.database.query('insert into source_pauses (connector_key, scope, until) values ($1, $2, $3)', [client, scope, at(untilMs)])
const addBreaker = async (state: string, untilMs: number, more: { endpoint?: string; opened?: number; probes?: number } = {}) =>
  await home.database.query(
    `insert into source_breakers (connector_key, endpoint, state, until, opened, probes_out, updated_at) values ('books', $1, $2, $3, $4, $5, $3)`,
    [more.endpoint ?? 'api', state, at(untilMs), more.opened ?? 1, more.probes ?? 0],
  )
const breakers = async () =>
  (
    await home.database.query(
      `select connector_key as client, endpoint, state, opened, probes_out as out, probes_good as good from source_breakers`,
    )
  ).rows

describe('what the processes tell each other', () => {
  it('is asked for with the app, its books and the time, and is good for a second', async () => {
    await limits.check(CALL)
    await pass(1_000)
    await limits.check(CALL)
    expect(exchanges()).toEqual([
      [
        [],
        [
          { connectorKey: 'books#own', scope: '' },
          { connectorKey: 'books#own', scope: 'bakery' },
        ],
        at(0),
      ],
    ])
    await pass(1)
    await limits.check(CALL)
    expect(exchanges().map((each) => each[2])).toEqual([at(0), at(1_001)])
  })

  it.each<[string, Partial<TrackedCall>, number]>([
    ['the same books', {}, 0],
    ['another address of the source', { endpoint: 'token' }, 0],
    ['no books of the same app', { scope: '' }, 0],
    ['other books', { scope: 'garage' }, 1],
    ['the books of another app', { client: 'books' }, 1],
  ])('is known of %s, or asked for at once', async (_what, change, count) => {
    await limits.check(CALL)
    observed.take()
    await limits.check({ ...CALL, ...change })
    expect(exchanges()).toHaveLength(count)
  })

  it('is about books that were called in the last minute', async () => {
    await limits.check(CALL)
    await pass(1)
    await limits.check({ ...CALL, scope: 'garage' })
    await pass(59_999)
    await limits.check({ ...CALL, client: 'other', scope: '' })
    await pass(1)
    await limits.check({ ...CALL, client: 'more', scope: '' })
    const scopes = exchanges().map(([, each]) => each.map(({ connectorKey, scope }: Record<string, string>) => `${connectorKey} ${scope}`))
    expect(scopes.slice(2)).toEqual([
      ['books#own ', 'books#own bakery', 'books#own garage', 'other '],
      ['books#own ', 'books#own garage', 'other ', 'more '],
    ])
  })

  it('is asked for again after it could not be asked', async () => {
    observed.fail(EXCHANGE, new Error('the database is away'))
    await expect(limits.check(CALL)).rejects.toThrow('the database is away')
    await addPause('books#own', '', 9_000)
    expect(await limits.check(CALL)).toEqual(asked(9_000))
  })

  it('is asked for once more, not for each, by those who come while it is asked for', async () => {
    const release = observed.hold(EXCHANGE)
    const all = ['bakery', 'garage', 'florist'].map(async (scope) => await limits.check({ ...CALL, scope }))
    release()
    expect(await Promise.all(all)).toEqual([FREE, FREE, FREE])
    expect(exchanges()[0]?.[1]).toHaveLength(4)
    const second = observed.hold(EXCHANGE)
    const first = limits.check({ ...CALL, scope: 'first' })
    await expect.poll(() => exchanges().length).toBe(2)
    const later = ['a', 'b', 'c'].map(async (scope) => await limits.check({ ...CALL, scope }))
    await turn()
    expect(exchanges(), 'one after the other').toHaveLength(2)
    second()
    await Promise.all([first, ...later])
    expect(exchanges().map(([, scopes]) => scopes.length)).toEqual([4, 5, 8])
  })
})

describe('a call', () => {
  it.each<[string, string, string, object]>([
    ['of the books', 'books#own', 'bakery', asked(9_000)],
    ['of the whole app', 'books#own', '', asked(9_000)],
    ['of other books', 'books#own', 'garage', FREE],
    ['of another app', 'books', 'bakery', FREE],
  ])('waits for a pause %s', async (_what, client, scope, expected) => {
    await addPause(client, scope, 9_000)
    expect(await limits.check(CALL)).toEqual(expected)
  })

  it.each([
    [7_000, 9_000],
    [9_000, 7_000],
  ])('waits for the longer of the pauses of the app (%s ms) and of the books (%s ms)', async (app, books) => {
    await addPause('books#own', '', app)
    await addPause('books#own', 'bakery', books)
    expect(await limits.check(CALL)).toEqual(asked(9_000))
  })

  it('waits until a breaker may be tried, for its address, whichever the app', async () => {
    await addBreaker('open', 22_000)
    await pass(2_000)
    expect(await limits.check(CALL)).toEqual({ waitMs: 20_000, reason: DOWN, isDown: true })
    expect(limits.knownWait({ ...CALL, client: 'books' })).toEqual({ waitMs: 20_000, reason: DOWN, isDown: true })
    expect(limits.knownWait({ ...CALL, endpoint: 'token' })).toEqual(FREE)
    expect(limits.knownWait({ ...CALL, connectorKey: 'other' })).toEqual(FREE)
    await pass(20_500)
    expect(limits.knownWait(CALL)).toEqual(FREE)
  })

  it('waits for the pause before the breaker, and no longer than until it ends', async () => {
    await addBreaker('open', 20_000)
    await addPause('books#own', 'bakery', 9_000)
    expect(await limits.check(CALL)).toEqual(asked(9_000))
    await pass(8_999)
    expect(limits.knownWait(CALL)).toEqual(asked(1))
    await pass(1)
    expect(limits.knownWait(CALL)).toEqual({ waitMs: 11_000, reason: DOWN, isDown: true })
  })

  it('is free as soon as others have closed the breaker', async () => {
    await addBreaker('open', 20_000)
    await limits.check(CALL)
    await home.database.query(`update source_breakers set state = 'closed'`)
    await pass(1_001)
    expect(await limits.check(CALL)).toEqual(FREE)
  })
})

describe('a probe', () => {
  it('is none while the breaker is closed, and costs nothing', async () => {
    await limits.check(CALL)
    observed.take()
    expect([await limits.probe(CALL), observed.take()]).toEqual([null, []])
  })

  it('is claimed for the address and the time of the call', async () => {
    await addBreaker('open', 20_000, { opened: 4 })
    await limits.check(CALL)
    await pass(20_000)
    observed.statements.length = 0
    expect(await limits.probe(CALL)).toEqual({ opened: 4 })
    expect(observed.statements).toEqual([{ name: 'source_breakers', values: ['books', 'api', at(20_000), 3, 35] }])
    expect(await breakers()).toEqual([{ client: 'books', endpoint: 'api', state: 'half-open', opened: 4, out: 1, good: 0 }])
  })

  it.each([
    ['half-open', 60_000, 5_000],
    ['open', 4_000, 5_000],
    ['open', 20_000, 20_000],
  ])('that others make (breaker %s for %s ms) is waited for: %s ms', async (state, untilMs, waitMs) => {
    await addBreaker(state, untilMs, { probes: 3 })
    await limits.check(CALL)
    expect(await limits.probe(CALL)).toBe(waitMs)
    expect(observed.take()).toEqual([EXCHANGE, 'source_breakers', EXCHANGE])
  })

  it('is none where another process has closed the breaker meanwhile', async () => {
    await addBreaker('half-open', 60_000)
    await limits.check(CALL)
    await home.database.query(`update source_breakers set state = 'closed'`)
    expect(await limits.probe(CALL)).toBeNull()
  })

  it.each([
    [true, { state: 'half-open', opened: 4, out: 1, good: 1 }],
    [false, { state: 'open', opened: 5, out: 1, good: 1 }],
  ])('reports its outcome at once (good: %s), to the breaker as it was opened, and reads what follows', async (isGood, expected) => {
    await addBreaker('open', 0, { opened: 4 })
    await limits.check(CALL)
    const probe = await limits.probe(CALL)
    observed.take()
    await limits.recordResult(CALL, typeof probe === 'number' ? null : probe, 0, isGood)
    expect(observed.statements).toEqual([
      { name: 'source_breakers', values: ['books', 'api', 4, isGood, at(0), 3, 30] },
      { name: EXCHANGE, values: ['[]', expect.any(String), at(0)] },
    ])
    expect(await breakers()).toEqual([{ client: 'books', endpoint: 'api', ...expected }])
    expect(limits.knownWait(CALL).waitMs).toBe(isGood ? 0 : 30_000)
    await pass(5_000)
    expect(observed.take(), 'it counts as a probe only').toHaveLength(2)
  })
})

describe('the outcomes of calls', () => {
  const record = async (begunAtMs: number, isGood: boolean, call: Partial<TrackedCall> = {}) =>
    await limits.recordResult({ ...CALL, ...call }, null, begunAtMs, isGood)

  it('are counted by address and second, and reported together a second after the first of them', async () => {
    await pass(5_000)
    await record(4_000, true)
    await record(4_999, false)
    await record(3_999, false)
    await record(4_500, true, { endpoint: 'token' })
    await record(4_500, false, { connectorKey: 'other', client: 'books#own' })
    await pass(999)
    await record(5_500, true)
    expect(observed.take()).toEqual([])
    await pass(1)
    expect(exchanges().map(([counts]) => counts)).toEqual([
      [
        { source: 'books', endpoint: 'api', calls: 2, failures: 1, begunAgoMs: 2_000 },
        { source: 'books', endpoint: 'api', calls: 1, failures: 1, begunAgoMs: 2_001 },
        { source: 'books', endpoint: 'token', calls: 1, failures: 0, begunAgoMs: 1_500 },
        { source: 'other', endpoint: 'api', calls: 1, failures: 1, begunAgoMs: 1_500 },
        { source: 'books', endpoint: 'api', calls: 1, failures: 0, begunAgoMs: 500 },
      ],
    ])
    observed.take()
    await pass(500)
    await record(6_500, false)
    await pass(999)
    expect(observed.take()).toEqual([])
    await pass(1)
    expect(exchanges().map(([counts]) => counts)).toEqual([
      [{ source: 'books', endpoint: 'api', calls: 1, failures: 1, begunAgoMs: 1_000 }],
    ])
    await pass(10_000)
    expect(observed.take(), 'once').toHaveLength(1)
  })

  it('go with an exchange that a call asks for, and not a second time', async () => {
    await record(0, true)
    await limits.check(CALL)
    expect(exchanges().map(([counts]) => counts.length)).toEqual([1])
    await pass(1_000)
    await clock.runUntil(limits.close())
    expect(exchanges()).toHaveLength(1)
  })

  it('that cannot be reported are an error of their own', async () => {
    const fault = new Error('the database is away')
    observed.fail(EXCHANGE, fault)
    await record(0, true)
    await pass(1_000)
    expect(errors).toEqual([fault])
  })

  it('that could not be reported go with the next exchange, each second by its earliest', async () => {
    observed.fail(EXCHANGE, new Error('the database is away'))
    await record(200, false)
    await pass(1_000)
    await record(100, false)
    await record(300, true)
    await record(1_000, true)
    observed.take()
    await clock.runUntil(limits.close())
    expect(exchanges().map(([counts]) => counts)).toEqual([
      [
        { source: 'books', endpoint: 'api', calls: 3, failures: 2, begunAgoMs: 900 },
        { source: 'books', endpoint: 'api', calls: 1, failures: 0, begunAgoMs: 0 },
      ],
    ])
    observed.take()
    await clock.runUntil(limits.close())
    expect(observed.take(), 'once').toEqual([])
  })

  it.each([
    [60_000, [1]],
    [60_001, []],
  ])('that could not be reported for %d ms: %j of them are reported', async (ms, reported) => {
    observed.fail(EXCHANGE, new Error('the database is away'))
    await record(0, false)
    await pass(ms)
    observed.take()
    await clock.runUntil(limits.close())
    expect(exchanges().map(([counts]) => counts.map(({ calls }: { calls: number }) => calls))).toEqual([reported])
  })

  it('are reported at the end, and those that come after it are not', async () => {
    await record(0, true)
    await record(0, false)
    await limits.close()
    expect(exchanges().map(([counts]) => counts)).toEqual([[{ source: 'books', endpoint: 'api', calls: 2, failures: 1, begunAgoMs: 0 }]])
    await record(0, true)
    await pass(1_000)
    expect(exchanges()).toHaveLength(1)
  })

  it('that are none are not reported at the end', async () => {
    await limits.close()
    expect(observed.take()).toEqual([])
  })
})
