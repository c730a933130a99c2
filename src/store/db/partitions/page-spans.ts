/** First day of the span of months whose raw pages are in one partition, `YYYYMMDD`. */
export type PageSpan = string

/** Name of the partition of a span, as SQL. Throws for what is no day. */
export function partitionOf(span: PageSpan): string {
  if (!/^\d{8}$/.test(span)) throw new Error(`no span of raw pages: ${span}`)
  return `raw_pages_${span}`
}

/** SQL of a span of the table `page_spans`. */
export const SPAN = `to_char(begins, 'YYYYMMDD')`
const PARTITION = `to_regclass('raw_pages_' || ${SPAN})`
/** SQL condition that the partition of a span of `page_spans` is there, and not detached from its table. */
export const IS_ATTACHED = `exists (select from pg_inherits where inhrelid = ${PARTITION})`
/** SQL condition that nobody has dropped it, attached or not. */
export const IS_THERE = `${PARTITION} is not null`

/** SQL condition that an instant is within a span of `page_spans`. */
export function isWithinSpan(at: string): string {
  return `${at} >= begins::timestamp at time zone 'UTC' and ${at} < ends::timestamp at time zone 'UTC'`
}
