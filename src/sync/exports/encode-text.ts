import { HEAD_FIELDS } from '../../model/records/record-schema.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import { toCsvCell, toCsvLine } from '../../model/texts/csv.ts'
import { listDocuments, listValues } from './documents.ts'
import type { EncodeSegment, EncodeTarget } from './encode-target.ts'

/** Text of one piece of a file; the first one begins with the names of the columns, where the format has any. */
export function encodeText(target: EncodeTarget, segments: readonly EncodeSegment[], isFirst: boolean): string {
  const schema = RECORD_SCHEMAS[target.category][target.entity]
  const isCsv = target.format === 'csv'
  const columns = ['companyId', ...HEAD_FIELDS, ...schema.properties.map(({ name }) => name)]
  const place = new Map(columns.map((name, index) => [name, index]))
  let text = isCsv && isFirst ? toCsvLine(columns) : ''
  for (const { companyId, lines } of segments)
    for (const document of listDocuments(schema, lines))
      text += isCsv ? toRow(document, companyId, place) : `{"companyId":"${companyId}",${document.slice(1)}\n`
  return text
}

function toRow(document: string, companyId: string, place: ReadonlyMap<string, number>): string {
  const cells = Array.from<string>({ length: place.size }).fill('')
  cells[0] = companyId
  for (const [name, value] of listValues(document)) {
    const at = place.get(name)
    if (at !== undefined) cells[at] = typeof value === 'string' ? toCsvCell(value) : value.literal
  }
  return `${cells.join(',')}\r\n`
}
