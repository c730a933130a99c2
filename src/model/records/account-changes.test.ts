import { describe, expect, it } from 'vitest'
import { toAccountChange } from './account-changes.ts'

const document = (fields: object): string => JSON.stringify({ serviceId: 's', serviceName: 'n', lastUpdatedOn: 't', id: 'i', ...fields })
const change = (given: Partial<Parameters<typeof toAccountChange>[0]>) =>
  toAccountChange({ id: 'i', before: null, wasDeleted: false, after: document({ origId: 'a-1', name: 'A' }), isDeleted: false, ...given })
const SHARED = { AccountId: 'i', OrigId: 'a-1' }

describe('the change of an account', () => {
  it('that is new has all of its fields, without the head and the ids', () => {
    expect(change({})).toEqual({ ...SHARED, Change: 'Created', Before: null, After: { name: 'A' } })
  })

  it('that comes back has all of its fields', () => {
    expect(change({ before: document({ origId: 'a-1', name: 'old' }), wasDeleted: true })).toEqual({
      ...{ ...SHARED, Change: 'Restored', Before: null, After: { name: 'A' } },
    })
  })

  it('that is deleted has the fields it had', () => {
    expect(change({ before: document({ origId: 'a-1', name: 'old' }), isDeleted: true })).toEqual({
      ...{ ...SHARED, Change: 'Deleted', Before: { name: 'old' }, After: null },
    })
    expect(change({ isDeleted: true })).toEqual({ ...SHARED, Change: 'Deleted', Before: {}, After: null })
  })

  it('has the fields that differ, numbers with their digits, and null for one that was not there', () => {
    const before = document({ origId: 'a-1', name: 'A', same: 1, lastUpdatedOn: 'earlier' }).replace('"same"', '"balance":1.10,"same"')
    const after = document({ origId: 'a-1', name: 'A', same: 1, isNew: true }).replace('"same"', '"balance":12345678901234567.20,"same"')
    expect(change({ before, after })).toEqual({
      ...SHARED,
      Change: 'Changed',
      Before: { balance: '1.10', isNew: null },
      After: { balance: '12345678901234567.20', isNew: true },
    })
  })

  it('of a document without an id at the source has an empty one', () => {
    expect(change({ after: document({ name: 'A' }) }).OrigId).toBe('')
  })
})

describe('a change that is too long', () => {
  const longest = (count: number, length: number) =>
    change({
      after: document({
        origId: 'o'.repeat(length),
        ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, 'x'.repeat(length)])),
      }),
    })

  it('of 15 KiB is left whole, a byte more is cut to 1,000 characters for each text', () => {
    const overhead = Buffer.byteLength(JSON.stringify(change({ after: document({ origId: 'a-1', t: '' }) })))
    const whole = change({ after: document({ origId: 'a-1', t: 'x'.repeat(15 * 1024 - overhead) }) })
    expect(whole.After).toEqual({ t: 'x'.repeat(15 * 1024 - overhead) })
    const cut = change({ after: document({ origId: 'a-1', t: 'x'.repeat(15 * 1024 - overhead + 1), n: 1 }) })
    expect(cut.After).toEqual({ t: `${'x'.repeat(1_000)}…`, n: '1' })
  })

  it.each([
    [10, 2_000, 1_000],
    [40, 2_000, 200],
    [100, 2_000, 40],
  ])('with %s texts is cut to %3$s characters for each', (count, length, limit) => {
    const { OrigId, After } = longest(count, length)
    expect(OrigId).toBe(`${'o'.repeat(limit)}…`)
    expect(new Set(Object.values(After ?? {}))).toEqual(new Set([`${'x'.repeat(limit)}…`]))
  })

  it('is cut in what it was before, too, and leaves texts of the limit whole', () => {
    const before = document({ origId: 'a-1', t: 'y'.repeat(20_000), u: 'z'.repeat(1_000), emoji: '🏦'.repeat(1_001) })
    expect(change({ before, isDeleted: true }).Before).toEqual({
      t: `${'y'.repeat(1_000)}…`,
      u: 'z'.repeat(1_000),
      emoji: `${'🏦'.repeat(1_000)}…`,
    })
  })
})
