import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from './rate-limiter-clock.ts'

const held = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

describe('the clock of the rate limiter', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('is that of this process, which nobody sets, and leaves the database its own', () => {
    const before = systemClock.nowMs()
    vi.advanceTimersByTime(1_234)
    expect([systemClock.nowMs() - before, systemClock.databaseTime()]).toEqual([1_234, null])
  })

  it('does its work once, after the time', () => {
    const work = vi.fn()
    systemClock.after(250, work)
    vi.advanceTimersByTime(249)
    expect(work).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1_000)
    expect(work).toHaveBeenCalledExactlyOnceWith()
  })

  it('does no work that was called off', () => {
    const work = vi.fn()
    systemClock.after(250, work)()
    vi.advanceTimersByTime(1_000)
    expect([work.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0])
  })
})

it('work for later keeps no process alive, and a call that waits does', async () => {
  const before = held()
  const stop = systemClock.after(60_000, () => undefined)
  expect(held()).toBe(before)
  stop()
  const startedMs = systemClock.nowMs()
  const waiting = systemClock.sleep(20)
  expect(held()).toBe(before + 1)
  await waiting
  // Node.js rounds to whole milliseconds.
  expect(systemClock.nowMs() - startedMs).toBeGreaterThanOrEqual(19)
})
