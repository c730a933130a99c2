import { describe, expect, it } from 'vitest'
import { InstanceShares } from './instance-shares.ts'

/** Work that ends when it is told to. */
function held() {
  const started: string[] = []
  const ends: (() => void)[] = []
  const work = (name: string) => () => {
    started.push(name)
    return new Promise<void>((resolve) => void ends.push(resolve))
  }
  return { started, work, endOne: () => ends.shift()?.() }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('shares of instances', () => {
  it('let one instance alone have all that it asks for', async () => {
    const shares = new InstanceShares(() => 0)
    const { started, work, endOne } = held()
    const runs = Array.from({ length: 10 }, (_, at) => shares.run('loud', work(`${at}`)))
    await settled()
    expect(started).toHaveLength(10)
    for (const _ of runs) endOne()
    await Promise.all(runs)
  })

  it('let one request of each instance go on at a time while others ask, in order, and another instance at once', async () => {
    const shares = new InstanceShares(() => 0)
    const { started, work, endOne } = held()
    const runs = [shares.run('quiet', work('q')), ...['1', '2', '3', '4'].map((name) => shares.run('loud', work(name)))]
    await settled()
    expect(started).toEqual(['q', '1'])
    runs.push(shares.run('quiet', work('q2')))
    await settled()
    expect(started).toEqual(['q', '1'])
    endOne()
    await settled()
    expect(started.at(-1)).toBe('q2')
    endOne()
    await settled()
    expect(started.at(-1)).toBe('2')
    for (let left = 0; left < runs.length; left += 1) {
      endOne()
      await settled()
    }
    await Promise.all(runs)
    expect(started).toEqual(['q', '1', 'q2', '2', '3', '4'])
  })

  it('shrink to one when another instance begins to ask', async () => {
    const shares = new InstanceShares(() => 0)
    const { started, work, endOne } = held()
    const runs = Array.from({ length: 10 }, (_, at) => shares.run('loud', work(`${at}`)))
    runs.push(shares.run('quiet', work('q')), shares.run('loud', work('late')))
    for (let left = 0; left < 9; left += 1) {
      endOne()
      await settled()
      expect(started).not.toContain('late')
    }
    endOne()
    await settled()
    expect(started.at(-1)).toBe('late')
    for (const _ of runs) endOne()
    await Promise.all(runs)
  })

  it('do not count a request that waits for something else', async () => {
    const shares = new InstanceShares(() => 0)
    const { started, work, endOne } = held()
    const runs = [shares.run('quiet', work('q')), ...['1', '2', '3'].map((name) => shares.run('loud', work(name)))]
    await expect.poll(() => started).toEqual(['q', '1', '2', '3'])
    for (const _ of runs) endOne()
    await Promise.all(runs)
  })

  it('give the place of a request that fails to the next', async () => {
    const shares = new InstanceShares(() => 0)
    const failing = () => Promise.reject(new Error('no'))
    await shares.run('quiet', async () => undefined)
    const runs = Array.from({ length: 6 }, () => shares.run('loud', failing))
    expect((await Promise.allSettled(runs)).map(({ status }) => status)).toEqual(Array(6).fill('rejected'))
    await expect(shares.run('loud', async () => 'yes')).resolves.toBe('yes')
  })
})
