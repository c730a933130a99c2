import type { IncomingHttpHeaders } from 'node:http'
import type { Body, CachedPage } from '../../read-cache/cached-page.ts'
import type { ReadResponse } from '../../read-cache/read-fast-path.ts'

/** Programs keep a page and ask each time whether it is still current; no other cache may store it. */
const REVALIDATED = 'private, no-cache'

/** Browsers keep nothing: what they cache is on the disk of a person’s device. */
const NOT_STORED = 'no-store'

/**
 * Response with a page, or 304 where the client has it already. A browser is known by `Sec-Fetch-Site`, which scripts can
 * neither set nor remove. NOTE not by `Sec-Fetch-Mode`, which the `fetch` of Node sends as well. No `vary` names the
 * header, because no cache shared by browsers and programs may store either answer.
 * Source: https://www.w3.org/TR/fetch-metadata/
 */
export function toReadResponse(
  page: CachedPage,
  writeLinks: (total: number) => string,
  requestHeaders: IncomingHttpHeaders,
  gzipped: Body | null,
): ReadResponse {
  const caching = requestHeaders['sec-fetch-site'] === undefined ? REVALIDATED : NOT_STORED
  const headers = ['etag', page.etag, 'cache-control', caching, 'vary', 'accept, accept-encoding, authorization']
  if (isKnown(requestHeaders['if-none-match'], page.etag)) return { status: 304, headers, body: null }
  const body = gzipped ?? page.plain
  headers.push('x-total-count', String(page.total), 'link', writeLinks(page.total))
  headers.push('content-type', 'application/json; charset=utf-8', 'content-length', String(body.length))
  if (gzipped) headers.push('content-encoding', 'gzip')
  return { status: 200, headers, body }
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
