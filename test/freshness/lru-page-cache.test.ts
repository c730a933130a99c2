import { beforeEach, describe, expect, it } from 'vitest'
import type { CachedPage } from '../../src/api/read-cache/cached-page.ts'
import { SecondChanceCache } from '../../src/api/read-cache/second-chance-cache.ts'

const page = (size: number, version = '1'): CachedPage => ({
  version,
  etag: '"x"',
  plain: Buffer.alloc(size),
  gzipped: null,
  total: 1,
  refCount: null,
})

/** Fits four pages of 3,000 bytes, but not five. */
let cache: SecondChanceCache

const kept = () => ['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key) !== undefined).join('')

beforeEach(() => {
  cache = new SecondChanceCache(14_000)
})

describe('the cache of pages', () => {
  it('has a limit in bytes: the oldest page is evicted', () => {
    for (const key of ['a', 'b', 'c', 'd', 'e']) cache.set(key, page(3_000))
    expect(kept()).toBe('bcde')
  })

  it('spares a page that was used since', () => {
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, page(3_000))
    cache.get('a')
    cache.set('e', page(3_000))
    expect(kept()).toBe('acde')
  })

  it('spares a page once: it then counts as new, and is evicted when it is the oldest again', () => {
    const fill = (keys: string) => {
      for (const key of keys) cache.set(key, page(3_000))
    }
    for (const [more, isKept] of [
      ['efgh', true],
      ['efghi', false],
    ] as const) {
      cache = new SecondChanceCache(14_000)
      fill('abcd')
      cache.get('a')
      fill(more)
      expect(cache.get('a') !== undefined, more).toBe(isKept)
    }
  })

  it('makes room even if every page was used since', () => {
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, page(3_000))
    for (const key of ['a', 'b', 'c', 'd']) cache.get(key)
    cache.set('e', page(3_000))
    expect(kept()).toHaveLength(4)
  })

  it('stores no page larger than a quarter of it', () => {
    cache.set('a', page(3_000))
    cache.set('b', page(3_001))
    expect(kept()).toBe('a')
  })

  it('stores no page if its size is zero', () => {
    cache = new SecondChanceCache(0)
    cache.set('a', page(0))
    expect(kept()).toBe('')
  })

  it('accounts for the growth of a page', () => {
    const grown = page(3_000)
    for (const key of ['a', 'b', 'c']) cache.set(key, page(3_000))
    cache.set('d', grown)
    grown.gzipped = Buffer.alloc(1_000)
    cache.updateSize('d', grown)
    expect(kept()).toBe('bcd')
  })

  it('releases the size of replaced pages', () => {
    for (let version = 1; version <= 100; version++) cache.set('a', page(3_000, String(version)))
    for (const key of ['b', 'c', 'd']) cache.set(key, page(3_000))
    expect(kept()).toBe('abcd')
  })

  it('keeps the newer of two versions, in any order of arrival', () => {
    cache.set('a', page(10, '10'))
    cache.set('a', page(10, '9'))
    expect(cache.get('a')?.version).toBe('10')
  })

  it('tells whether a page is stored: not when it is too large, nor when a newer one is there', () => {
    expect([cache.set('a', page(10, '9')), cache.set('a', page(20, '9')), cache.set('a', page(10, '8'))]).toEqual([true, true, false])
    expect(cache.get('a')?.plain).toHaveLength(20)
    expect([cache.set('b', page(3_000)), cache.set('b', page(3_001, '2'))]).toEqual([true, false])
  })

  it('releases what a page has grown by when the page is replaced', () => {
    for (let version = 1; version <= 20; version++) {
      const grown = page(2_000, String(version))
      cache.set('a', grown)
      grown.gzipped = Buffer.alloc(1_000)
      cache.updateSize('a', grown)
      cache.updateSize('a', grown)
    }
    for (const key of ['b', 'c', 'd']) cache.set(key, page(3_000))
    expect(kept()).toBe('abcd')
  })

  it('does not count the growth of a page that has been replaced or evicted', () => {
    const [replaced, evicted] = [page(3_000), page(3_000)]
    cache.set('a', replaced)
    cache.set('a', page(3_000))
    for (const key of ['b', 'c', 'd']) cache.set(key, page(3_000))
    for (const grown of [replaced, evicted]) grown.gzipped = Buffer.alloc(10_000)
    cache.updateSize('a', replaced)
    cache.updateSize('e', evicted)
    expect(kept()).toBe('abcd')
  })

  it('evicts both if the newer version is too large, rather than keep the older one', () => {
    cache.set('a', page(10, '9'))
    cache.set('a', page(9_000, '10'))
    expect(cache.get('a')).toBeUndefined()
  })
})
