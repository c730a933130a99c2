import { beforeEach, describe, expect, it } from 'vitest'
import type { CachedPage } from '../../src/api/read-cache/page-cache.ts'
import { PageShelf } from '../../src/api/read-cache/page-shelf.ts'

const page = (size: number, version = '1'): CachedPage => ({
  version,
  etag: '"x"',
  plain: Buffer.alloc(size),
  gzipped: null,
  total: 1,
  holders: null,
})

/** Four pages of 3,000 bytes fit, a fifth does not. */
let shelf: PageShelf

const kept = () => ['a', 'b', 'c', 'd', 'e'].filter((key) => shelf.take(key) !== undefined).join('')

beforeEach(() => {
  shelf = new PageShelf(14_000)
})

describe('the shelf of pages', () => {
  it('holds so many bytes: the oldest page makes way', () => {
    for (const key of ['a', 'b', 'c', 'd', 'e']) shelf.put(key, page(3_000))
    expect(kept()).toBe('bcde')
  })

  it('spares a page that was taken since', () => {
    for (const key of ['a', 'b', 'c', 'd']) shelf.put(key, page(3_000))
    shelf.take('a')
    shelf.put('e', page(3_000))
    expect(kept()).toBe('acde')
  })

  it('finds room even when every page was taken since', () => {
    for (const key of ['a', 'b', 'c', 'd']) shelf.put(key, page(3_000))
    for (const key of ['a', 'b', 'c', 'd']) shelf.take(key)
    shelf.put('e', page(3_000))
    expect(kept()).toHaveLength(4)
  })

  it('takes no page that would fill more than a quarter of it', () => {
    shelf.put('a', page(3_000))
    shelf.put('b', page(3_001))
    expect(kept()).toBe('a')
  })

  it('takes no page at all when it has no room', () => {
    shelf = new PageShelf(0)
    shelf.put('a', page(0))
    expect(kept()).toBe('')
  })

  it('counts what a page has grown by', () => {
    const grown = page(3_000)
    for (const key of ['a', 'b', 'c']) shelf.put(key, page(3_000))
    shelf.put('d', grown)
    grown.gzipped = Buffer.alloc(1_000)
    shelf.weighAgain('d', grown)
    expect(kept()).toBe('bcd')
  })

  it('forgets the weight of pages that are replaced', () => {
    for (let version = 1; version <= 100; version++) shelf.put('a', page(3_000, String(version)))
    for (const key of ['b', 'c', 'd']) shelf.put(key, page(3_000))
    expect(kept()).toBe('abcd')
  })

  it('keeps the newer of two versions, whichever comes last', () => {
    shelf.put('a', page(10, '10'))
    shelf.put('a', page(10, '9'))
    expect(shelf.take('a')?.version).toBe('10')
  })

  it('lets a newer version go whose page is too large, rather than keep the older one', () => {
    shelf.put('a', page(10, '9'))
    shelf.put('a', page(9_000, '10'))
    expect(shelf.take('a')).toBeUndefined()
  })
})
