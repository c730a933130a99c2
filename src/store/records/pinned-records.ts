import type { Entity } from '../../model/catalogue.ts'
import { type Database, readRows } from '../db/database.ts'
import { inRecordSet, NOT_DELETED, type RecordScope, visibleFrom } from './records.ts'

/** Length of the id before each document. */
export const ID_BYTES = 36
const LINE_END = 0x0a

/** Documents of one record set, each behind its id on a line of its own, in order of ids. */
export interface PinnedRecords {
  /** Memory of its own, to be passed to a thread. */
  lines: Uint8Array<ArrayBuffer>
  count: number
  /** Null when there are none. */
  lastId: string | null
}

/**
 * Reads the next records of a publication by its time, as the database prints it: later publications change nothing of
 * it. `after` is the id before the first. NOTE joined by the database: a message for each record costs both sides more
 * than the record does. The order is that of the inner query, above which there is nothing that could change it.
 */
export async function readPinnedRecords(
  database: Database,
  scope: RecordScope,
  pinned: { entity: Entity; publishedAt: string; after: string; limit: number },
): Promise<PinnedRecords> {
  const { instanceId, companyId, serviceId } = scope
  const text = `select count(*) || E'\\n' || coalesce(string_agg(line, E'\\n') || E'\\n', '') from (select r.id || r.doc as line from record_versions r
    where ${inRecordSet('r')} and r.id > $5 and ${visibleFrom(database, 'r', ['$1', '$2', '$3'])} <= $6::timestamptz
      and (r.valid_to is null or r.valid_to > $6::timestamptz) and r.${NOT_DELETED}
    order by r.id limit $7) records`
  const values = [instanceId, companyId, serviceId, pinned.entity, pinned.after, pinned.publishedAt, pinned.limit]
  return await readRows(database, { name: 'pinned-records', text, values }, ([row]) => {
    if (!row) throw new Error('the database did not count the records')
    const begin = row.indexOf(LINE_END) + 1
    const last = row.lastIndexOf(LINE_END, -2) + 1
    const lines = new Uint8Array(row.length - begin)
    lines.set(row.subarray(begin))
    const lastId = lines.length > 0 ? row.toString('latin1', last, last + ID_BYTES) : null
    return { lines, count: Number(row.toString('latin1', 0, begin - 1)), lastId }
  })
}
