import type { IncomingHttpHeaders } from 'node:http'
import type { Body, CachedPage } from '../../read-cache/cached-page.ts'
import { HeaderList } from '../../read-cache/header-list.ts'
import type { ReadResponse } from '../../read-cache/read-fast-path.ts'

/** Programs keep a page and ask each time whether it is still current; no other cache may store it. */
const REVALIDATED = 'private, no-cache'

/** Browsers keep nothing: what they cache is on the disk of a person’s device. */
const NOT_STORED = 'no-store'

/** Body of a response: a page as it is, a compressed one, or none. */
type BodyKind = 'plain' | 'gzip' | 'none'

/** Headers of a response, and the page that they were written for. */
interface Written {
  etag: string
  total: number
  length: number
  headers: HeaderList
}

/**
 * Responses with the page of one URL, or 304 where the client has it already. Headers are written once for a page and
 * kept for the next responses with it. A browser is known by `Sec-Fetch-Site`, which scripts can neither set nor remove.
 * NOTE not by `Sec-Fetch-Mode`, which the `fetch` of Node sends as well. No `vary` names the header, because no cache
 * shared by browsers and programs may store either answer.
 * Source: https://www.w3.org/TR/fetch-metadata/
 */
export class ReadResponder {
  readonly #writeLinks: (total: number) => string
  /** Headers with the last page. */
  readonly #forPrograms: Partial<Record<BodyKind, Written>> = {}
  readonly #forBrowsers: Partial<Record<BodyKind, Written>> = {}

  constructor(writeLinks: (total: number) => string) {
    this.#writeLinks = writeLinks
  }

  /** `gzipped`: null for a caller who takes no compressed page. */
  respond(page: CachedPage, requestHeaders: IncomingHttpHeaders, gzipped: Body | null): ReadResponse {
    const isBrowser = requestHeaders['sec-fetch-site'] !== undefined
    if (isKnown(requestHeaders['if-none-match'], page.etag))
      return { status: 304, headers: this.#headersOf(page, isBrowser, 'none', 0), body: null }
    const body = gzipped ?? page.plain
    return { status: 200, headers: this.#headersOf(page, isBrowser, gzipped === null ? 'plain' : 'gzip', body.length), body }
  }

  #headersOf(page: CachedPage, isBrowser: boolean, kind: BodyKind, length: number): HeaderList {
    const { etag, total } = page
    const written = isBrowser ? this.#forBrowsers : this.#forPrograms
    const known = written[kind]
    if (known?.etag === etag && known.total === total && known.length === length) return known.headers
    const caching = isBrowser ? NOT_STORED : REVALIDATED
    const pairs = ['etag', etag, 'cache-control', caching, 'vary', 'accept, accept-encoding, authorization']
    if (kind !== 'none') {
      pairs.push('x-total-count', String(total), 'link', this.#writeLinks(total))
      pairs.push('content-type', 'application/json; charset=utf-8', 'content-length', String(length))
    }
    if (kind === 'gzip') pairs.push('content-encoding', 'gzip')
    const headers = new HeaderList(pairs)
    written[kind] = { etag, total, length, headers }
    return headers
  }
}

/** Whether a header `accept-encoding` accepts gzip. */
export function takesGzip(header: string | string[] | undefined): boolean {
  return header !== undefined && /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(header))
}

/** Source: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2 */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined || header === etag) return header === etag
  return header.trim() === '*' || header.split(',').some((given) => given.trim().replace(/^W\//, '') === etag)
}
