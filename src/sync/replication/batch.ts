import type { ChangeItem } from '../../store/changes/read-changes.ts'
import { TABLES, type Table } from './tables.ts'

/** Rows of one table to write and to delete; no row is in both. */
export interface TableBatch {
  table: Table
  /** JSON array of `{companyId, serviceId, id, sessionId, publishedOn, record}`; empty: none. */
  upserts: string
  /** JSON array of `{companyId, serviceId, id}`; empty: none. */
  deletes: string
}

/** Changes of one page of the feed, in this order: cleared data, then rows. */
export interface Batch {
  /** JSON array of `{companyId, serviceId}`; empty: none. */
  cleared: string
  tables: TableBatch[]
}

/** The last item of each record counts; items before a `clear` are dropped. */
export function toBatch(items: readonly ChangeItem[]): Batch {
  const cleared = new Map<string, string>()
  const last = new Map<string, Map<string, ChangeItem['record']>>()
  for (const { record, cleared: gone } of items) {
    const { companyId, serviceId } = record ?? gone
    const scope = `${companyId}/${serviceId}`
    if (gone) {
      cleared.set(scope, JSON.stringify({ companyId, serviceId }))
      last.delete(scope)
    } else {
      const records = last.get(scope) ?? new Map<string, ChangeItem['record']>()
      last.set(scope, records.set(`${record.category}/${record.entity}/${record.id}`, record))
    }
  }
  const records = [...last.values()].flatMap((each) => [...each.values()]).filter((record) => record !== null)
  const tables = TABLES.map((table) => {
    const mine = records.filter(({ category, entity }) => category === table.category && entity === table.entity)
    const printed = (isDeleted: boolean) => mine.filter(({ deleted }) => deleted === isDeleted).map(print)
    return { table, upserts: toArray(printed(false)), deletes: toArray(printed(true)) }
  })
  return { cleared: toArray([...cleared.values()]), tables }
}

function print({
  companyId,
  serviceId,
  id,
  connectionId: sessionId,
  publishedAt,
  deleted,
  doc,
}: NonNullable<ChangeItem['record']>): string {
  const head = JSON.stringify({ companyId, serviceId, id, sessionId, publishedOn: publishedAt })
  return deleted ? head : `${head.slice(0, -1)},"record":${withoutUnstorable(doc)}}`
}

function toArray(texts: readonly string[]): string {
  return texts.length === 0 ? '' : `[${texts.join(',')}]`
}

/** Escapes NUL and unpaired surrogates, which PostgreSQL cannot store. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi

function withoutUnstorable(document: string): string {
  return document.includes('\\u') ? document.replace(UNSTORABLE, '$1\ufffd') : document
}
