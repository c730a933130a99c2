import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { repeat } from './repeat.ts'

beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Times of the calls of the next five seconds, where it begins so long after a whole second. */
function timesFrom(beginsMs: number): number[] {
  const wholeMs = Math.ceil(performance.now() / 10_000) * 10_000
  vi.advanceTimersByTime(wholeMs + beginsMs - performance.now())
  const times: number[] = []
  const repeated = repeat({ everyMs: 1_000, restMs: 1_000 }, () => times.push(Math.round(performance.now() - wholeMs)))
  vi.advanceTimersByTime(5_000 - beginsMs)
  repeated.stop()
  vi.advanceTimersByTime(5_000)
  return times
}

it.each([
  [0, [1_000, 2_000, 3_000, 4_000, 5_000]],
  [300, [1_000, 2_000, 3_000, 4_000, 5_000]],
  [500, [1_000, 2_000, 3_000, 4_000, 5_000]],
  [501, [2_000, 3_000, 4_000, 5_000]],
  [900, [2_000, 3_000, 4_000, 5_000]],
])('calls come together at whole multiples of the interval, the first not before half of one: begun after %i ms', (begins, times) => {
  expect(timesFrom(begins)).toEqual(times)
})

/** Signs of a process that rests, and whether anybody listens for the end of the rest. */
function resting() {
  const looks = new Set<() => void>()
  const onWork = (look: () => void) => {
    looks.add(look)
    return () => void looks.delete(look)
  }
  return { looks, signs: { isResting: () => true, onWork } }
}

it('who rests no longer than it works need not hear of work, and nobody hears after the stop', () => {
  const { looks, signs } = resting()
  const same = repeat({ everyMs: 1_000, restMs: 1_000 }, () => undefined, signs)
  expect(looks.size).toBe(0)
  const longer = repeat({ everyMs: 1_000, restMs: 1_001 }, () => undefined, signs)
  expect(looks.size).toBe(1)
  longer.stop()
  same.stop()
  expect([looks.size, vi.getTimerCount()]).toEqual([0, 0])
})

it('what runs in the background keeps no process alive', () => {
  vi.useRealTimers()
  const held = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = held()
  const background = repeat({ everyMs: 60_000, restMs: 60_000, isBackground: true }, () => undefined)
  expect(held()).toBe(before)
  const holding = repeat({ everyMs: 60_000, restMs: 60_000 }, () => undefined)
  expect(held()).toBe(before + 1)
  holding.stop()
  background.stop()
})

it('work that ends a rest leaves one timer', () => {
  const { looks, signs } = resting()
  const { stop } = repeat({ everyMs: 1_000, restMs: 10_000 }, () => undefined, signs)
  for (const look of looks) look()
  expect(vi.getTimerCount()).toBe(1)
  stop()
})
