import type { IncomingHttpHeaders } from 'node:http'
import type { Body, CachedPage } from '../../read-cache/cached-page.ts'
import type { ReadResponse } from '../../read-cache/read-fast-path.ts'

/** Response with a page, or 304 where the client has it already. */
export function toReadResponse(
  page: CachedPage,
  writeLinks: (total: number) => string,
  requestHeaders: IncomingHttpHeaders,
  gzipped: Body | null,
): ReadResponse {
  const headers = ['etag', page.etag, 'cache-control', 'private, no-cache', 'vary', 'accept, accept-encoding, authorization']
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
