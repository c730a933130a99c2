import { describe, expect, it } from 'vitest'
import type { CachedPage } from '../../read-cache/cached-page.ts'
import { ReadResponder } from './read-response.ts'

const PAGE: CachedPage = { version: '7', etag: '"7-a"', plain: Buffer.from('{"a":1}'), gzipped: null, total: 3, refCount: null }
const BROWSER = { 'sec-fetch-site': 'same-origin' }

/** Headers of a response, by name; the lines are those of the pairs. */
function headersOf(responder: ReadResponder, page: CachedPage, headers: Record<string, string> = {}, gzipped: string | null = null) {
  const { status, headers: list } = responder.respond(page, headers, gzipped)
  const pairs = Array.from({ length: list.pairs.length / 2 }, (_, at) => [list.pairs[2 * at] ?? '', list.pairs[2 * at + 1] ?? ''] as const)
  expect(list.lines).toBe(pairs.map(([name, value]) => `${name}: ${value}\r\n`).join(''))
  return { status, ...Object.fromEntries(pairs) }
}

const open = () => new ReadResponder((total) => `</list?n=${total}>; rel="last"`)

describe('headers that were written for one response', () => {
  it('are those of the next one with the same page, and no others are written', () => {
    let written = 0
    const responder = new ReadResponder((total) => {
      written += 1
      return String(total)
    })
    const [one, two] = [responder.respond(PAGE, {}, null), responder.respond({ ...PAGE }, {}, null)]
    expect([two.headers === one.headers, written]).toEqual([true, 1])
  })

  it.each<[string, Partial<CachedPage>, Record<string, string>]>([
    ['of another version', { etag: '"8-a"' }, { etag: '"8-a"' }],
    ['with another total', { total: 4 }, { 'x-total-count': '4', link: '</list?n=4>; rel="last"' }],
    ['of another length', { plain: Buffer.from('{"a":22}') }, { 'content-length': '8' }],
  ])('are not those of a page %s', (_what, changed, expected) => {
    const responder = open()
    const before = headersOf(responder, PAGE)
    expect(before).toMatchObject({ status: 200, etag: '"7-a"', 'x-total-count': '3', 'content-length': '7' })
    expect(headersOf(responder, { ...PAGE, ...changed })).toEqual({ ...before, ...expected })
    expect(headersOf(responder, PAGE)).toEqual(before)
  })

  it('are not those of a browser, of a compressed page or of no page at all', () => {
    const responder = open()
    const ask = () => ({
      program: headersOf(responder, PAGE),
      browser: headersOf(responder, PAGE, BROWSER),
      gzip: headersOf(responder, PAGE, {}, 'gz'),
      gzipBrowser: headersOf(responder, PAGE, BROWSER, 'gz'),
      known: headersOf(responder, PAGE, { 'if-none-match': PAGE.etag }),
      knownBrowser: headersOf(responder, PAGE, { ...BROWSER, 'if-none-match': PAGE.etag }),
    })
    const first = ask()
    expect(ask()).toEqual(first)
    const { program, browser, gzip, gzipBrowser, known, knownBrowser } = first
    expect(browser).toEqual({ ...program, 'cache-control': 'no-store' })
    expect(gzip).toEqual({ ...program, 'content-length': '2', 'content-encoding': 'gzip' })
    expect(gzipBrowser).toEqual({ ...gzip, 'cache-control': 'no-store' })
    expect(known).toEqual({
      status: 304,
      etag: PAGE.etag,
      vary: 'accept, accept-encoding, authorization',
      'cache-control': 'private, no-cache',
    })
    expect(knownBrowser).toEqual({ ...known, 'cache-control': 'no-store' })
  })
})

describe('a page that the client names as one it has', () => {
  it.each([
    ['"7-a"', 304],
    ['W/"7-a"', 304],
    ['"6-a", W/"7-a" ,"5-a"', 304],
    ['*', 304],
    [' * ', 304],
    ['"6-a"', 200],
    ['"7W/-a"', 200],
    ['"7-a", *', 304],
    ['"6-a", *', 200],
    ['', 200],
  ])('is not sent again where %j is the one: %i', (header, status) => {
    const answer = open().respond(PAGE, { 'if-none-match': header }, null)
    expect([answer.status, answer.body]).toEqual([status, status === 304 ? null : PAGE.plain])
  })
})
