import { expect, it } from 'vitest'
import { batchedScan } from '../../src/store/retention/batched-scan.ts'

/** Walk over `length` rows, one a step, each of which is changed. */
function walkOver(length: number) {
  const seen: number[] = []
  const run = batchedScan(0, async (from) => {
    seen.push(from)
    return { count: 2, next: from + 1 < length ? from + 1 : null }
  })
  return { seen, run }
}

it('a walk goes to the end of its table, tells how much it changed, and begins again', async () => {
  const { seen, run } = walkOver(3)
  expect([await run(), seen]).toEqual([6, [0, 1, 2]])
  expect([await run(), seen]).toEqual([6, [0, 1, 2, 0, 1, 2]])
})

it('a long walk stops after a hundred steps, and the next run goes on behind them', async () => {
  const { seen, run } = walkOver(150)
  expect([await run(), seen.length, seen.at(-1)]).toEqual([200, 100, 99])
  expect([await run(), seen.length, seen[100], seen.at(-1)]).toEqual([100, 150, 100, 149])
})

it('a step that fails is taken again', async () => {
  let isDown = true
  const run = batchedScan('first', async (from) => {
    if (from === 'second' && isDown) throw new Error('the database is away')
    return { count: 1, next: from === 'first' ? 'second' : null }
  })
  await expect(run()).rejects.toThrow('the database is away')
  isDown = false
  expect(await run()).toBe(1)
})
