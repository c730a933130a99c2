import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Position, pageQuery, readNext, START } from './paging.ts'
import type { Profile } from './profile.ts'

const example = JSON.parse(readFileSync(new URL('examples/fdx-ohio-valley.json', import.meta.url), 'utf8')) as Profile
const byOffset: Profile = { ...example, paging: { by: 'offset', size: 20 } }
const byKey: Profile = { ...example, paging: { by: 'key', size: 20 } }
const rows = (count: number, first = 'a') => ({ count, first })
const at = (changes: Partial<Position>): Position => ({ ...START, ...changes })

describe('the next page', () => {
  it('is asked for by the key or the handle that the bank gave, or by the count', () => {
    expect(pageQuery(byKey, at({ key: 'k1', offset: 20 }))).toEqual({ limit: '20', pageKey: 'k1' })
    expect(pageQuery(byOffset, at({ key: 'B47D', offset: 20 }))).toEqual({ limit: '20', offset: 'B47D' })
    expect(pageQuery(byOffset, at({ offset: 20 }))).toEqual({ limit: '20', offset: '20' })
    expect([pageQuery(byKey, START), pageQuery(byOffset, START)]).toEqual([{ limit: '20' }, { limit: '20' }])
  })

  it('of version 6 may still be told as nextOffset, and numbers are handles too', () => {
    expect(readNext(byKey, { page: { nextOffset: 40 } }, START, rows(20)).next).toEqual({ key: '40', offset: 20, first: 'a' })
  })

  it('is none where the bank names none, and the list is short where its total says more', () => {
    expect(readNext(byKey, { page: {} }, START, rows(20))).toEqual({ next: null, isShort: false })
    expect(readNext(byKey, { page: { totalElements: 21 } }, START, rows(20))).toEqual({ next: null, isShort: true })
    expect(readNext(byOffset, {}, START, rows(20))).toEqual({ next: null, isShort: false })
  })

  it('is counted on where the total says more, and never over rows that were not asked for', () => {
    expect(readNext(byOffset, { page: { totalElements: 60 } }, START, rows(21)).next).toMatchObject({ key: null, offset: 20 })
    expect(readNext(byOffset, { page: { totalElements: 60 } }, at({ offset: 40 }), rows(0))).toEqual({ next: null, isShort: true })
  })

  it('that is the same page again is bad data, told by its key or by its first row', () => {
    expect(() => readNext(byKey, { page: { nextPageKey: 'k1' } }, at({ key: 'k1' }), { count: 0, first: null })).toThrow(
      'points at the same one',
    )
    expect(() => readNext(byKey, { page: { nextPageKey: 'k2' } }, at({ key: 'k1', first: 'a' }), rows(20))).toThrow('once more')
  })
})
