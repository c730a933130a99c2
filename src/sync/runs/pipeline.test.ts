import { describe, expect, it } from 'vitest'
import { Pipeline } from './pipeline.ts'

/** Write that ends on the test's command. */
function controlledWrite() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  return { write: () => promise, resolve, reject }
}

describe('a pipeline', () => {
  it('prepares beside a write and returns when both are done', async () => {
    const pipeline = new Pipeline()
    const { write, resolve } = controlledWrite()
    await pipeline.start(write)
    const steps: string[] = []
    const both = pipeline.beside(async () => void steps.push('prepared')).then(() => void steps.push('both'))
    await new Promise(setImmediate)
    expect(steps).toEqual(['prepared'])
    resolve()
    await both
    expect(steps).toEqual(['prepared', 'both'])
  })

  it('starts a write only when the one before is done', async () => {
    const pipeline = new Pipeline()
    const { write, resolve } = controlledWrite()
    await pipeline.start(write)
    const steps: string[] = []
    const second = pipeline.start(async () => void steps.push('second'))
    await new Promise(setImmediate)
    expect(steps).toEqual([])
    resolve()
    await second
    expect(steps).toEqual(['second'])
  })

  it('tells a failed write to whoever waits next, however late', async () => {
    const pipeline = new Pipeline()
    await pipeline.start(() => Promise.reject(new Error('write')))
    // Node reports a promise that nobody has handled by then.
    await new Promise(setImmediate)
    await expect(pipeline.drain()).rejects.toThrow('write')
    await expect(pipeline.start(async () => undefined)).rejects.toThrow('write')
  })

  it('waits for the write when what goes on beside it fails', async () => {
    const pipeline = new Pipeline()
    const { write, resolve } = controlledWrite()
    await pipeline.start(write)
    let isOver = false
    const both = pipeline
      .beside(() => Promise.reject(new Error('work')))
      .finally(() => {
        isOver = true
      })
    both.catch(() => undefined)
    await new Promise(setImmediate)
    expect(isOver).toBe(false)
    resolve()
    await expect(both).rejects.toThrow('work')
  })

  it('of two failures throws that of the write', async () => {
    const pipeline = new Pipeline()
    await pipeline.start(() => Promise.reject(new Error('write')))
    await expect(pipeline.beside(() => Promise.reject(new Error('work')))).rejects.toThrow('write')
  })
})
