import { describe, expect, it } from 'vitest'
import { UploadLimiter } from './upload-limiter.ts'

/** Slots that were acquired, in order; throws where there is none. */
function acquire(limiter: UploadLimiter, ...links: string[]): (() => void)[] {
  return links.map((link) => {
    const release = limiter.tryAcquire(link)
    if (typeof release === 'string') throw new Error(release)
    return release
  })
}

describe('the slots of uploads', () => {
  it('are two for a link, and free again when an upload has ended', () => {
    const limiter = new UploadLimiter()
    const [first, second] = acquire(limiter, 'a', 'a')
    expect([limiter.tryAcquire('a'), limiter.activeCount]).toEqual(['underWay', 2])
    first?.()
    acquire(limiter, 'a')
    expect(limiter.tryAcquire('a')).toBe('underWay')
    second?.()
    expect([limiter.activeCount, typeof limiter.tryAcquire('a')]).toEqual([1, 'function'])
  })

  it('are two again for a link after all of its uploads have ended', () => {
    const limiter = new UploadLimiter()
    for (const release of acquire(limiter, 'a', 'a')) release()
    acquire(limiter, 'a', 'a')
    expect([limiter.tryAcquire('a'), limiter.activeCount]).toEqual(['underWay', 2])
  })

  it('are twenty in a process, whoever has them', () => {
    const limiter = new UploadLimiter()
    const releases = acquire(limiter, ...Array.from({ length: 20 }, (_value, at) => `link ${at % 10}`))
    expect([limiter.tryAcquire('another'), limiter.tryAcquire('link 3')]).toEqual(['full', 'underWay'])
    releases[0]?.()
    expect(typeof limiter.tryAcquire('another')).toBe('function')
  })

  it('are as many as is set', () => {
    const limiter = new UploadLimiter({ perLink: 1, all: 2 })
    acquire(limiter, 'a', 'b')
    expect([limiter.tryAcquire('a'), limiter.tryAcquire('c'), limiter.bounds.stored]).toEqual(['underWay', 'full', 2])
  })
})

describe('storing', () => {
  it('happens to two uploads at once; the next begin in their order, also after one that failed', async () => {
    const limiter = new UploadLimiter()
    const begun: number[] = []
    const jobs = Array.from({ length: 5 }, (_value, at) => {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const stored = limiter.runStore(async () => {
        begun.push(at)
        return await promise
      })
      return { stored, resolve, reject }
    })
    const [first, second, third, fourth, fifth] = jobs
    expect(begun).toEqual([0, 1])
    second?.resolve(2)
    expect(await second?.stored).toBe(2)
    await Promise.resolve()
    expect(begun).toEqual([0, 1, 2])
    first?.reject(new Error('unreadable'))
    await expect(first?.stored).rejects.toThrow('unreadable')
    await Promise.resolve()
    expect(begun).toEqual([0, 1, 2, 3])
    for (const job of [third, fourth, fifth]) job?.resolve(1)
    await Promise.all([third, fourth, fifth].map((job) => job?.stored))
    expect(begun).toEqual([0, 1, 2, 3, 4])
    const again = [limiter.runStore(async () => begun.push(5)), limiter.runStore(async () => begun.push(6))]
    expect(begun.slice(5)).toEqual([5, 6])
    await Promise.all(again)
  })
})
