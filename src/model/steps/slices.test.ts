import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countReturns } from '../../../test/large-answers/event-loop.ts'
import { flatMapInSlices, slicesOf, sortInSlices } from './slices.ts'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

describe('a long list', () => {
  it.each([0, 1, 499, 500, 501, 1_500])('of %d items is the same in slices', async (count) => {
    const slices: number[][] = []
    for await (const slice of slicesOf(numbers(count))) slices.push(slice)
    expect(slices.flat()).toEqual(numbers(count))
    expect(slices.every(({ length }) => length > 0 && length <= 500)).toBe(true)
  })

  it.each<[string, () => Promise<unknown>]>([
    ['is looked at', () => flatMapInSlices(numbers(50_000), (item) => item)],
    ['is filtered', () => flatMapInSlices(new Set(numbers(50_000)), () => [])],
    ['is sorted', () => sortInSlices(numbers(50_000).reverse(), (a, b) => a - b)],
  ])('%s with a return to the event loop after each slice', async (_what, work) => {
    expect(await countReturns(work)).toBeGreaterThanOrEqual(100)
  })

  it('that is short takes one step', async () => {
    expect(await countReturns(() => sortInSlices(numbers(400), (a, b) => b - a))).toBe(0)
  })

  it('is mapped like any list', async () => {
    const toItems = (item: number): number | number[] => (item % 3 === 0 ? [] : item % 3 === 1 ? item : [item, -item])
    expect(await flatMapInSlices(numbers(2_000), toItems)).toEqual(numbers(2_000).flatMap(toItems))
  })

  it('is sorted like any list, equal items in their order', async () => {
    const items = fc.array(fc.record({ key: fc.integer({ min: 0, max: 50 }), place: fc.nat() }), { maxLength: 3_000, size: 'max' })
    await fc.assert(
      fc.asyncProperty(items, async (list) => {
        expect(await sortInSlices(list, (a, b) => a.key - b.key)).toEqual(list.toSorted((a, b) => a.key - b.key))
      }),
      { numRuns: 30 },
    )
  })
})
