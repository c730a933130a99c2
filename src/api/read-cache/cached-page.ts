/** Bytes, or a `latin1` text with one byte per character. */
export type Body = Buffer | string

/** Bytes of one page at one version of a publication. */
export interface CachedPage {
  version: string
  /** Quoted, as in the header. */
  etag: string
  plain: Buffer
  /** Null until first requested. */
  gzipped: Body | null
  total: number
  /** Responses in flight with an uncached page; null for a cached page. */
  refCount: number | null
}
