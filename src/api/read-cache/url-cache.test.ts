import { describe, expect, it } from 'vitest'
import { toPageBytes } from './page-bytes.ts'
import { UrlCache } from './url-cache.ts'

describe('a cache of URLs', () => {
  it('keeps what a URL means until it is deleted or replaced', () => {
    const cache = new UrlCache<number>()
    cache.set('/a', 1)
    cache.set('/a', 2)
    expect([cache.get('/a'), cache.get('/b')]).toEqual([2, undefined])
    cache.delete('/a')
    expect(cache.get('/a')).toBeUndefined()
  })

  it('keeps no URL of more than a thousand characters', () => {
    const cache = new UrlCache<number>()
    const [longest, longer] = ['a'.repeat(1_000), 'a'.repeat(1_001)]
    for (const url of [longest, longer]) cache.set(url, 1)
    expect([cache.get(longest), cache.get(longer)]).toEqual([1, undefined])
  })

  it('keeps five thousand, and drops the oldest for another', () => {
    const cache = new UrlCache<number>()
    for (let at = 0; at < 5_000; at += 1) cache.set(`/${at}`, at)
    cache.set('/1', 1)
    expect([cache.get('/0'), cache.get('/4999')]).toEqual([0, 4_999])
    cache.set('/5000', 5_000)
    expect([cache.get('/0'), cache.get('/1'), cache.get('/5000')]).toEqual([undefined, 1, 5_000])
  })
})

it.each<[string[], string]>([
  [[], '[]'],
  [['{"é":1}'], '[{"é":1}]'],
  [['1', '', '22'], '[1,,22]'],
])('a page of %j is %s', (documents, page) => {
  const bytes = documents.map((text) => Buffer.from(text))
  expect(toPageBytes('[', bytes, ']').toString()).toBe(page)
  expect(toPageBytes('{"data":[', bytes, '],"n":1}').toString()).toBe(`{"data":${page},"n":1}`)
})
