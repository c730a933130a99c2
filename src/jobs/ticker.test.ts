import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTicker } from './ticker.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const soon = async () => await vi.advanceTimersByTimeAsync(0)
const none = (): never => {
  throw new Error('no error is expected')
}

describe('a periodic task', () => {
  it('begins at once, and again at its interval', async () => {
    let runs = 0
    const count = () => {
      runs += 1
    }
    const ticker = startTicker([{ name: 'count', everyMs: 1_000, run: async () => count() }], none)
    expect(runs).toBe(1)
    await vi.advanceTimersByTimeAsync(10_000)
    expect([runs >= 10, runs <= 11]).toEqual([true, true])
    await ticker.stop()
    const before = runs
    await vi.advanceTimersByTimeAsync(5_000)
    expect(runs).toBe(before)
  })

  it('never runs twice at the same time, and does not hold up another', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const runs = { slow: 0, quick: 0 }
    const slow = async () => {
      runs.slow += 1
      await promise
    }
    const quick = async () => {
      runs.quick += 1
    }
    const ticker = startTicker(
      [
        { name: 'slow', everyMs: 1_000, run: slow },
        { name: 'quick', everyMs: 1_000, run: quick },
      ],
      none,
    )
    await vi.advanceTimersByTimeAsync(5_000)
    expect([runs.slow, runs.quick > 3]).toEqual([1, true])
    resolve()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(runs.slow > 1).toBe(true)
    await ticker.stop()
  })

  it('that fails is reported by its name, and runs again', async () => {
    const failed: unknown[] = []
    const fault = new Error('no database')
    const ticker = startTicker([{ name: 'fails', everyMs: 1_000, run: () => Promise.reject(fault) }], (error, name) =>
      failed.push([error, name]),
    )
    await soon()
    expect(failed).toEqual([[fault, 'fails']])
    await vi.advanceTimersByTimeAsync(3_000)
    expect(failed.length > 1).toBe(true)
    await ticker.stop()
  })

  it('does not begin during a pause', async () => {
    let [runs, isPaused] = [0, true]
    const count = () => {
      runs += 1
    }
    const ticker = startTicker([{ name: 'count', everyMs: 1_000, run: async () => count() }], none, () => isPaused)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(runs).toBe(0)
    isPaused = false
    await vi.advanceTimersByTimeAsync(2_000)
    expect(runs > 0).toBe(true)
    await ticker.stop()
  })

  it('is waited for by the stop', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let isStopped = false
    const ticker = startTicker([{ name: 'slow', everyMs: 1_000, run: () => promise }], none)
    const stopping = ticker.stop().then(() => {
      isStopped = true
    })
    await soon()
    expect(isStopped).toBe(false)
    resolve()
    await stopping
    expect(isStopped).toBe(true)
  })

  it.each([
    [10_000, 2],
    [undefined, 18],
  ])('comes at its interval of %s ms while the process rests', async (restMs, most) => {
    let runs = 0
    const count = () => {
      runs += 1
    }
    const signs = { isResting: () => true, onWork: () => () => undefined }
    const tick = { name: 'count', everyMs: 1_000, run: async () => count() }
    const ticker = startTicker([restMs === undefined ? tick : { ...tick, restMs }], none, undefined, signs)
    runs = 0
    await vi.advanceTimersByTimeAsync(20_000)
    expect(restMs === undefined ? runs >= most : runs <= most).toBe(true)
    await ticker.stop()
  })
})
