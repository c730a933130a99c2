import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type HttpResponse, SourceError } from '../../src/connectors/contract/contract.ts'
import type { SourceLimit } from '../../src/connectors/contract/limits.ts'
import type { LimitedCall } from '../../src/connectors/contract/rate-limiter.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { ObservedDatabase } from './observed-database.ts'
import { answer } from './two-limiters.ts'
import { VirtualClock } from './virtual-clock.ts'

const home = databaseForTests()

let clock: VirtualClock
let observed: ObservedDatabase
let limiter: SharedRateLimiter
let errors: unknown[]

beforeEach(async () => {
  await home.database.query('truncate source_limits, source_pauses, source_breakers')
  clock = new VirtualClock()
  observed = new ObservedDatabase(clock.watch(home.database))
  errors = []
  limiter = new SharedRateLimiter(observed.db, { clock, onError: (error) => errors.push(error) })
})

const CALL: LimitedCall = { connectorKey: 'books', limits: [], entity: 'bakery', place: { host: 'api' }, timeoutMs: 30_000 }
const ONE_AT_ONCE: SourceLimit[] = [{ name: 'at once', scope: 'app', concurrent: 1 }]
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)
const pass = (ms: number): Promise<void> => clock.runUntil(clock.sleep(ms))
const at = (afterMs: number): Date => new Date(clock.databaseTime().getTime() - clock.nowMs() + afterMs)
const rows = async (query: string) => (await home.database.query(query)).rows
/** Status of the response, or the error. */
const run = async (send: () => HttpResponse | Promise<HttpResponse>, call: Partial<LimitedCall> = {}): Promise<unknown> =>
  await clock.runUntil(limiter.run({ ...CALL, ...call }, async () => await send())).then(
    ({ status }) => status,
    (error: unknown) => error,
  )
const ok = () => answer(200)
const never = (): never => {
  throw new Error('a call was made')
}
const breaker = async (state: string, untilMs: number, probesOut = 0) =>
  await home.database.query(
    `insert into source_breakers (connector_key, endpoint, state, until, probes_out, updated_at) values ('books', 'api', $1, $2, $3, $2)`,
    [state, at(untilMs), probesOut],
  )

describe('a call at its source', () => {
  it.each<[string, HttpResponse | Error, number]>([
    ['a success', answer(200), 0],
    ['the last refusal', answer(499), 0],
    ['the first fault', answer(500), 1],
    ['another fault', answer(599), 1],
    ['a call that took the source too long', answer(408), 1],
    ['a refusal beside it', answer(407), 0],
    ['another beside it', answer(409), 0],
    ['an outage', new SourceError('unavailable', 'reset'), 1],
    ['a bad answer', new SourceError('badData', 'cut'), 0],
    ['a fault of ours', new Error('ours'), 0],
  ])('that ends in %s is handed on, and counts as %3$s failures', async (_what, outcome, failures) => {
    const result = await run(() => {
      if (outcome instanceof Error) throw outcome
      return outcome
    })
    expect(result).toBe(outcome instanceof Error ? outcome : outcome.status)
    await pass(1_000)
    expect(await rows('select connector_key as client, endpoint, calls, failures from source_breakers')).toEqual([
      { client: 'books', endpoint: 'api', calls: [1], failures: [failures] },
    ])
  })

  it('hands its response on as it came', async () => {
    const response = { status: 207, headers: { etag: 'a' }, body: Buffer.from('text') }
    expect(await clock.runUntil(limiter.run(CALL, async () => response))).toBe(response)
  })

  it('counts from when it was sent, not from when it had to wait', async () => {
    await limiter.pause({ connectorKey: 'books' }, 'bakery', 3_000)
    await run(async () => {
      await clock.sleep(400)
      return ok()
    })
    await pass(1_000)
    const [counts] = observed.statements.findLast(({ name }) => name === 'exchange-call-counts')?.values ?? []
    expect(JSON.parse(String(counts))).toEqual([{ source: 'books', endpoint: 'api', calls: 1, failures: 0, begunAgoMs: 1_400 }])
  })

  it('for an app of its own counts there for the limits, and for the source in the breaker', async () => {
    const limits: SourceLimit[] = [
      { name: 'app', scope: 'app', calls: 60, perMs: 60_000 },
      { name: 'books', scope: 'entity', calls: 60, perMs: 60_000 },
    ]
    await run(ok, { app: 'own', limits, place: { origin: 'https://one.example' } })
    await pass(1_000)
    expect(await rows('select connector_key as client, scope, name from source_limits order by name')).toEqual([
      { client: 'books#own', scope: '', name: 'app' },
      { client: 'books#own', scope: hashOf('books\nbakery'), name: 'books' },
    ])
    expect(await rows('select connector_key as client, endpoint from source_breakers')).toEqual([
      { client: 'books', endpoint: `~${hashOf('https://one.example')}` },
    ])
  })

  it('takes a lease that is long enough for it', async () => {
    const limits: SourceLimit[] = [{ name: 'minute', scope: 'app', calls: 60, perMs: 60_000 }]
    await run(ok, { limits, timeoutMs: 90_000 })
    const [exchange] = observed.statements.filter(({ name }) => name === 'exchange-source-permits')
    expect(exchange?.values.slice(3)).toEqual([5, 96_000, at(0)])
  })

  it('without limits asks for no permit', async () => {
    await run(ok)
    expect(observed.take()).toEqual(['exchange-call-counts'])
  })

  it('of a limiter without a clock goes by that of the database', async () => {
    const own = new SharedRateLimiter(observed.db, { onError: (error) => errors.push(error) })
    const limits: SourceLimit[] = [{ name: 'minute', scope: 'app', calls: 60, perMs: 60_000 }]
    await own.run({ ...CALL, limits }, async () => ok())
    await own.close()
    expect(observed.statements.map(({ name, values }) => [name, values.at(-1)])).toEqual([
      ['exchange-call-counts', null],
      ['exchange-source-permits', null],
      ...[expect.anything(), expect.anything()],
    ])
    expect(new Set(observed.take().slice(2))).toEqual(new Set(['exchange-call-counts', 'exchange-source-permits']))
  })
})

describe('a pause', () => {
  const pauses = async () => await rows('select connector_key as client, scope, until from source_pauses')

  it.each<[string, SourceLimit[], string | null, string]>([
    ['the books', [], 'bakery', hashOf('books\nbakery')],
    [
      'the books, where one limit is theirs',
      [...ONE_AT_ONCE, { name: 'own', scope: 'entity', concurrent: 2 }],
      'bakery',
      hashOf('books\nbakery'),
    ],
    ['the app, where all limits are its own', ONE_AT_ONCE, 'bakery', ''],
    ['the app, where no books are called', [], null, ''],
  ])('that a response asks for is one of %s', async (_what, limits, entity, scope) => {
    expect(await run(() => answer(429, { 'retry-after': '7' }), { app: 'own', limits, entity })).toBe(429)
    expect(await pauses()).toEqual([{ client: 'books#own', scope, until: at(7_000) }])
  })

  it.each([[answer(429, { 'retry-after': '0' })], [answer(428, { 'retry-after': '7' })], [answer(430, { 'retry-after': '7' })]])(
    'is not asked for by %j',
    async (response) => {
      await run(() => response)
      expect(await pauses()).toEqual([])
    },
  )

  it('that a connector asks for is one of its app and books, of 31 days at most', async () => {
    await limiter.pause({ connectorKey: 'books', app: 'own' }, 'bakery', 7_000)
    await limiter.pause({ connectorKey: 'books' }, null, 32 * 86_400_000)
    expect(await pauses()).toEqual([
      { client: 'books#own', scope: hashOf('books\nbakery'), until: at(7_000) },
      { client: 'books', scope: '', until: at(31 * 86_400_000) },
    ])
    expect(await run(never)).toMatchObject({ name: 'SourcePaused', isDown: false, retryAfterMs: 31 * 86_400_000 })
  })
})

describe('a source that others try again', () => {
  it('is called once they have closed its breaker, with the permit that was given back meanwhile', async () => {
    await breaker('half-open', 60_000, 3)
    const startedMs: number[] = []
    const waiting = run(
      () => {
        startedMs.push(clock.nowMs())
        return ok()
      },
      { limits: ONE_AT_ONCE },
    )
    expect(await waiting).toMatchObject({ name: 'SourcePaused', isDown: true })
    expect(startedMs).toEqual([])
    await pass(250)
    expect(await rows('select taken from source_limits')).toEqual([{ taken: [] }])
  })

  it.each([
    ['a probe that cannot be claimed', true],
    ['a probe that can', false],
  ])('gives its permit back after %s', async (_what, isFailing) => {
    await breaker('open', 0)
    const fault = new Error('the database is away')
    if (isFailing) observed.fail('source_breakers', fault)
    expect(await run(ok, { limits: ONE_AT_ONCE })).toBe(isFailing ? fault : 200)
    expect(await run(ok, { limits: ONE_AT_ONCE })).toBe(200)
    await pass(250)
    expect(await rows('select taken from source_limits')).toEqual([{ taken: [] }])
  })

  it('waits for five seconds and looks again, as long as that is in time', async () => {
    await breaker('half-open', 60_000, 3)
    const limits: SourceLimit[] = []
    const calledMs: number[] = []
    const call = limiter.run({ ...CALL, limits }, async () => {
      calledMs.push(clock.nowMs())
      return ok()
    })
    await pass(4_999)
    await home.database.query(`update source_breakers set state = 'closed'`)
    expect((await clock.runUntil(call)).status).toBe(200)
    expect(calledMs).toEqual([5_000])
  })

  it('is tried with a report to its breaker', async () => {
    await breaker('open', 0)
    expect(await run(() => answer(503))).toBe(503)
    expect(await rows('select state, opened, probes_out as out from source_breakers')).toEqual([{ state: 'open', opened: 1, out: 1 }])
    expect(await run(never)).toMatchObject({ name: 'SourcePaused', isDown: true, retryAfterMs: 30_000 })
  })
})

describe('a limiter', () => {
  it('counts those that wait by source, and forgets one that fails', async () => {
    await limiter.pause({ connectorKey: 'books' }, 'bakery', 60_000)
    expect(await run(never)).toMatchObject({ name: 'SourcePaused' })
    const held = observed.hold('exchange-call-counts')
    await pass(2_000)
    const other = limiter.run({ ...CALL, connectorKey: 'other' }, async () => ok())
    await expect.poll(() => Object.fromEntries(limiter.waiting())).toEqual({ books: 0, other: 1 })
    held()
    await clock.runUntil(other)
    expect(Object.fromEntries(limiter.waiting())).toEqual({ books: 0, other: 0 })
  })

  it('returns its leases and reports its counts when it ends', async () => {
    const limits: SourceLimit[] = [{ name: 'minute', scope: 'app', calls: 60, perMs: 60_000 }]
    await run(ok, { limits })
    await clock.runUntil(limiter.close())
    expect(await rows('select taken from source_limits')).toEqual([{ taken: [1] }])
    expect(await rows('select calls from source_breakers')).toEqual([{ calls: [1] }])
  })

  it.each(['exchange-call-counts', 'exchange-source-permits'])('reports a failure of %s beside its calls', async (name) => {
    const fault = new Error('the database is away')
    await run(ok, { limits: ONE_AT_ONCE })
    observed.fail(name, fault)
    await pass(2_000)
    expect(errors).toEqual([fault])
  })
})
