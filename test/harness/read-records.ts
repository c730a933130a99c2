import type { Entity } from '../../src/model/catalogue.ts'
import type { Database } from '../../src/store/db/database.ts'
import type { Columns, Selection } from '../../src/store/db/list-selection.ts'
import { NATURAL_ORDER, type RecordView, readRecordPage } from '../../src/store/records/record-pages.ts'
import type { RecordScope } from '../../src/store/records/records.ts'

interface ReadRequest {
  entity: Entity
  columns: Columns
  view?: RecordView
  selection?: Partial<Selection>
}

/** Records as returned by the API, by default of the first page; null if nothing is published. */
export async function readRecords<T = Record<string, unknown>>(database: Database, scope: RecordScope, wanted: ReadRequest) {
  const { entity, columns, view = {} } = wanted
  const selection = { filter: [], orderBy: NATURAL_ORDER, descending: false, limit: 500, offset: 0, ...wanted.selection }
  return await readRecordPage(database, scope, entity, selection, view, columns, ({ documents, total, shownPublishedAt }) => {
    const records: T[] = JSON.parse(`[${documents.join(',')}]`)
    return { records, total, shownPublishedAt }
  })
}
