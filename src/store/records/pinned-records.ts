import type { Entity } from '../../model/catalogue.ts'
import { type Database, readRows } from '../db/database.ts'
import { inRecordSet, NOT_DELETED, type RecordScope, visibleFrom } from './records.ts'

const ID_BYTES = 36
const LINE_END = Buffer.from('\n')

/** Documents of one record set, each on a line of its own, in order of ids. */
export interface PinnedRecords {
  /** Memory of its own, to be passed to a thread. */
  lines: Uint8Array<ArrayBuffer>
  count: number
  /** Null when there are none. */
  lastId: string | null
}

/**
 * Reads the next records of a publication by its time, as the database prints it: later publications change nothing of
 * it. `after` is the id before the first.
 */
export async function readPinnedRecords(
  database: Database,
  scope: RecordScope,
  pinned: { entity: Entity; publishedAt: string; after: string; limit: number },
): Promise<PinnedRecords> {
  const { instanceId, companyId, serviceId } = scope
  const text = `select r.id || r.doc from record_versions r
    where ${inRecordSet('r')} and r.id > $5 and ${visibleFrom('r', ['$1', '$2', '$3'])} <= $6::timestamptz
      and (r.valid_to is null or r.valid_to > $6::timestamptz) and r.${NOT_DELETED}
    order by r.id limit $7`
  const values = [instanceId, companyId, serviceId, pinned.entity, pinned.after, pinned.publishedAt, pinned.limit]
  return await readRows(database, { name: 'pinned-records', text, values }, (rows) => {
    const bytes = rows.reduce((sum, row) => sum + row.length - ID_BYTES + 1, 0)
    const lines = new Uint8Array(bytes)
    let at = 0
    for (const row of rows) {
      lines.set(row.subarray(ID_BYTES), at)
      at += row.length - ID_BYTES
      lines.set(LINE_END, at)
      at += 1
    }
    return { lines, count: rows.length, lastId: rows.at(-1)?.toString('latin1', 0, ID_BYTES) ?? null }
  })
}
