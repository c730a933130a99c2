import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS, type SourceLimit, withNumbers } from '../../src/connectors/contract/limits.ts'
import { SourcePaused } from '../../src/connectors/contract/rate-limiter.ts'
import { quickbooks } from '../../src/connectors/quickbooks/index.ts'
import { xero } from '../../src/connectors/xero/index.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { CountingProvider } from './counting-provider.ts'
import { VirtualClock } from './virtual-clock.ts'

const WORKERS = 8
const OK = { status: 200, headers: {}, body: new Uint8Array() }

/** Small and deterministic, so that a failure can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A worker as the database sees it, with a separate pool and rate limiter. */
interface Worker {
  gate: SharedRateLimiter
  pool: Database
  isAlive: boolean
}

interface Load {
  key: string
  limits: readonly SourceLimit[]
  provider: CountingProvider
  entity: string
  fromMs: number
  untilMs: number
}

describe('a simulated day of eight workers', () => {
  const clock = new VirtualClock()
  const random = randomOf(20_261_121)
  const home = databaseForTests()
  const workers: Worker[] = []

  const openWorker = (): Worker => {
    const pool = openDatabase(home.url, { max: 3 })
    const worker: Worker = { pool, isAlive: true, gate: undefined as never }
    const db = clock.watch(pool, () => worker.isAlive)
    worker.gate = new SharedRateLimiter(db, { clock, onError: () => undefined })
    workers.push(worker)
    return worker
  }

  beforeAll(() => {
    for (let index = 0; index < WORKERS; index++) openWorker()
  })
  afterAll(async () => {
    await Promise.all(workers.map(({ pool }) => pool.end()))
  })

  /** Calls endlessly, as in a first sync; a call that has to wait returns when told to. */
  const callOn = async (worker: Worker, load: Load): Promise<void> => {
    await clock.sleep(load.fromMs)
    while (clock.nowMs() < load.untilMs && worker.isAlive) {
      await callOnce(worker, load).catch(async (error: unknown) => {
        if (!worker.isAlive) return
        if (!(error instanceof SourcePaused)) throw error
        await clock.sleep(Math.max(1_000, error.retryAfterMs ?? 0))
      })
    }
  }

  const callOnce = async (worker: Worker, { key, limits, provider, entity }: Load): Promise<void> => {
    await worker.gate.run({ connectorKey: key, limits, entity, place: { host: 'api' }, timeoutMs: 30_000 }, async () => {
      await clock.sleep(10 + random() * (random() < 0.01 ? 3_000 : 120))
      const leave = provider.arrive(entity, clock.nowMs())
      await clock.sleep(30 + random() * 400)
      leave()
      await clock.sleep(10 + random() * 120)
      return OK
    })
  }

  it('exceeds no limit and uses nine tenths of it, while workers are killed', async () => {
    const xeroLimits = xero.limits ?? []
    // A month is counted like a day, and its cap would end the longest of these proofs early.
    const qboLimits = withNumbers(quickbooks.limits ?? [], { month: 2_000_000 })
    const xeroSide = new CountingProvider(xeroLimits, { offMs: 34_567, driftPpm: 50 })
    const qboSide = new CountingProvider(qboLimits, { offMs: -12_345, driftPpm: -50 })
    const xeroLoad = { key: 'xero', limits: xeroLimits, provider: xeroSide }
    const qboLoad = { key: 'quickbooks', limits: qboLimits, provider: qboSide }
    const saturatedMs = effort.saturatedMinutes * MINUTE_MS
    let firstHour = 0
    const jobs = workers.flatMap((worker, index) => [
      ...(index < 3 ? [callOn(worker, { ...xeroLoad, entity: 'bakery', fromMs: index, untilMs: DAY_MS + 3 * HOUR_MS })] : []),
      ...(index < 4 ? [1, 2, 3].map(() => callOn(worker, { ...qboLoad, entity: 'garage', fromMs: index, untilMs: saturatedMs })) : []),
      callOn(worker, { ...xeroLoad, entity: `shop ${index}`, fromMs: index * HOUR_MS, untilMs: index * HOUR_MS + 20_000 }),
    ])
    const [victim] = workers
    jobs.push(
      clock.sleep(3 * MINUTE_MS).then(async () => {
        if (victim) victim.isAlive = false
        await callOn(openWorker(), { ...xeroLoad, entity: 'bakery', fromMs: 0, untilMs: DAY_MS })
      }),
      clock.sleep(HOUR_MS).then(() => {
        firstHour = xeroSide.served.get('bakery') ?? 0
      }),
    )
    await clock.runUntil(Promise.all(jobs))

    const day = xeroSide.most('day', 'bakery')
    const perMinute = (qboSide.served.get('garage') ?? 0) / effort.saturatedMinutes
    const calls = [xeroSide, qboSide].flatMap((side) => [...side.served.values()]).reduce((sum, count) => sum + count, 0)
    reportFigure('limits: calls of a simulated day', calls)
    reportFigure('limits: calls over a limit', xeroSide.total() + qboSide.total())
    reportFigure('limits: Xero, share of the first hour used', (firstHour / 3_600).toFixed(3))
    reportFigure('limits: Xero, share of the day used', (day / 5_000).toFixed(3))
    reportFigure('limits: QuickBooks, share of the minutes used', (perMinute / 500).toFixed(3))
    reportFigure('limits: statements per call', (clock.asked / calls).toFixed(2))
    expect([...xeroSide.tooMany, ...qboSide.tooMany]).toEqual([])
    expect(firstHour).toBeGreaterThanOrEqual(0.9 * 3_600)
    expect(day).toBeGreaterThanOrEqual(0.9 * 5_000)
    expect(perMinute).toBeGreaterThanOrEqual(0.9 * 500)
  }, 7_200_000)
})
