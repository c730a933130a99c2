import { describe, expect, it } from 'vitest'
import { MissingDetector } from '../../src/sync/runs/missing-detector.ts'
import { idPrefix, UNKNOWN_ID } from '../../src/sync/runs/page-staging.ts'

/** Ids whose first eight bytes are this number, ascending with it. */
const idOf = (number: number) => `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`
const pageOf = (...numbers: number[]) => Buffer.concat(numbers.map((number) => idPrefix(idOf(number))))
const numbers = (count: number, toNumber: (index: number) => number) => Array.from({ length: count }, (_value, index) => toNumber(index))

describe('the missing records of complete listings', () => {
  it('are those on no page, whatever the order of pages and calls', async () => {
    const seen = await MissingDetector.open([pageOf(9, 4), pageOf(), pageOf(7, 1)])
    expect(await seen.listMissing([1, 2, 4].map(idOf))).toEqual([idOf(2)])
    expect(await seen.listMissing([])).toEqual([])
    expect(await seen.listMissing([7, 8, 9, 10].map(idOf))).toEqual([8, 10].map(idOf))
  })

  it('are all of them when nothing was listed, and none when all were, even twice', async () => {
    const [none, twice] = [await MissingDetector.open([]), await MissingDetector.open([pageOf(1, 2, 2), pageOf(2, 1)])]
    expect([await none.listMissing([1, 2].map(idOf)), await twice.listMissing([1, 2].map(idOf))]).toEqual([[1, 2].map(idOf), []])
  })

  it.each([1, 2_000, 16_384, 16_385, 49_153])('are found among %i listed ones', async (count) => {
    // Two of three numbers are not listed; the order is scattered over all slices.
    const listed = numbers(count, (index) => 3 * ((index * 7_919) % count) + (index % 2))
    const pages = Array.from({ length: Math.ceil(count / 10_000) }, (_value, page) =>
      pageOf(...listed.slice(page * 10_000, (page + 1) * 10_000)),
    )
    const known = new Set(listed)
    const active = numbers(Math.ceil((3 * count) / 23), (index) => 23 * index)
    const seen = await MissingDetector.open(pages)
    expect(await seen.listMissing(active.map(idOf))).toEqual(active.filter((number) => !known.has(number)).map(idOf))
  })

  it.each([
    ['ascending', (index: number) => index + 1],
    ['descending', (index: number) => 49_153 - index],
    ['in slices that are not in order', (index: number) => ((index + 16_384 * (3 - 2 * Math.floor(index / 16_384))) % 49_152) + 1],
  ])('are none where all were listed, %s', async (_order, toNumber) => {
    const all = numbers(49_152, toNumber)
    const seen = await MissingDetector.open([pageOf(...all)])
    expect(await seen.listMissing([...new Set(all)].sort((a, b) => a - b).map(idOf))).toEqual([])
  })
})

describe('a record that was listed without its id', () => {
  it('is known, on whichever page it was', async () => {
    const [among, only] = [
      await MissingDetector.open([pageOf(5), Buffer.concat([pageOf(3), UNKNOWN_ID])]),
      await MissingDetector.open([UNKNOWN_ID]),
    ]
    expect([among.hasUnknown, only.hasUnknown]).toEqual([true, true])
  })

  it('is not there where every record has one, or there is none', async () => {
    const [ids, none] = [await MissingDetector.open([pageOf(1, 2)]), await MissingDetector.open([])]
    expect([ids.hasUnknown, none.hasUnknown]).toEqual([false, false])
  })
})
