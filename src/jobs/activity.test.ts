import { describe, expect, it, vi } from 'vitest'
import { Activity } from './activity.ts'
import { repeat } from './repeat.ts'

describe('a process', () => {
  it('rests when it hears notifications and has seen no work for a minute', () => {
    let nowMs = 0
    const activity = new Activity(() => nowMs)
    nowMs = 61_000
    expect(activity.isResting(), 'hears nothing').toBe(false)
    const end = activity.listens()
    expect(activity.isResting()).toBe(true)
    activity.sawWork()
    expect(activity.isResting()).toBe(false)
    nowMs = 122_000
    expect(activity.isResting()).toBe(true)
    activity.sawWork()
    expect(activity.isResting()).toBe(false)
    nowMs = 183_000
    let looks = 0
    activity.onWork(() => {
      looks += 1
    })
    end()
    expect(looks).toBe(1)
    nowMs = 244_000
    expect(activity.isResting(), 'hears nothing any more').toBe(false)
  })
})

describe('the rest of a process', () => {
  it('begins after more than a minute, by the clock of the process where none is given', () => {
    let nowMs = 5
    const activity = new Activity(() => nowMs)
    activity.listens()
    nowMs = 60_005
    expect(activity.isResting()).toBe(false)
    nowMs = 60_006
    expect(activity.isResting()).toBe(true)
    const own = new Activity()
    own.listens()
    expect(own.isResting()).toBe(false)
  })

  it('lasts while one of its sessions hears notifications, and the end of each is told once', () => {
    let nowMs = 0
    const activity = new Activity(() => nowMs)
    const [first, second] = [activity.listens(), activity.listens()]
    let looks = 0
    const forget = activity.onWork(() => {
      looks += 1
    })
    first()
    first()
    expect(looks).toBe(1)
    nowMs = 61_000
    expect(activity.isResting(), 'the other still hears').toBe(true)
    forget()
    second()
    expect(looks, 'nobody is to be told').toBe(1)
  })
})

describe('a repeated call', () => {
  function watch(isResting: () => boolean) {
    vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const activity = new Activity()
    activity.isResting = isResting
    const calls: number[] = []
    const startedMs = performance.now()
    const one = repeat({ everyMs: 1_000, restMs: 10_000 }, () => calls.push(performance.now() - startedMs), activity)
    const stop = () => {
      one.stop()
      vi.useRealTimers()
    }
    return { activity, calls, stop }
  }

  it('comes each second in work, and every ten seconds at rest', () => {
    let isResting = false
    const { calls, stop } = watch(() => isResting)
    vi.advanceTimersByTime(20_000)
    expect(calls).toHaveLength(20)
    isResting = true
    vi.advanceTimersByTime(60_000)
    expect(calls.length).toBeLessThan(28)
    stop()
  })

  it('follows at once when work ends a rest', () => {
    let isResting = true
    const { activity, calls, stop } = watch(() => isResting)
    vi.advanceTimersByTime(21_500)
    const before = calls.length
    isResting = false
    activity.sawWork()
    expect(calls.length).toBe(before + 1)
    activity.sawWork()
    expect(calls.length, 'not twice').toBe(before + 1)
    vi.advanceTimersByTime(3_000)
    expect(calls.length, 'at its pace again').toBeGreaterThanOrEqual(before + 3)
    stop()
  })

  it('ends when it is stopped', () => {
    const { activity, calls, stop } = watch(() => true)
    stop()
    activity.sawWork()
    expect(calls).toEqual([])
  })
})
