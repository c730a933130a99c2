import type { Category, Entity } from '../../model/catalogue.ts'
import { completeDocument } from '../../model/records/later-fields.ts'
import { HEAD_FIELDS, type RecordSchema } from '../../model/records/record-schema.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import { toCsvCell, toCsvLine } from '../../model/texts/csv.ts'
import type { ExportFormat } from '../../store/exports/exports.ts'

/** Kind of record and format of a file. */
export interface EncodeTarget {
  category: Category
  entity: Entity
  format: ExportFormat
}

/** Documents of one company, each on a line of its own. */
export interface EncodeSegment {
  companyId: string
  lines: Uint8Array<ArrayBuffer>
}

/** Columns of an exported record: the company, then the properties of its document. */
function exportColumns({ category, entity }: Pick<EncodeTarget, 'category' | 'entity'>): string[] {
  return ['companyId', ...HEAD_FIELDS, ...RECORD_SCHEMAS[category][entity].properties.map(({ name }) => name)]
}

/** Text of one piece of a file; the first one begins with the names of the columns, where the format has any. */
export function encodeSegments(target: EncodeTarget, segments: readonly EncodeSegment[], isFirst: boolean): string {
  const schema = RECORD_SCHEMAS[target.category][target.entity]
  const isCsv = target.format === 'csv'
  const columns = exportColumns(target)
  const place = new Map(columns.map((name, index) => [name, index]))
  let text = isCsv && isFirst ? toCsvLine(columns) : ''
  for (const { companyId, lines } of segments)
    for (const document of listDocuments(schema, lines))
      text += isCsv ? toRow(document, companyId, place) : `{"companyId":"${companyId}",${document.slice(1)}\n`
  return text
}

function* listDocuments(schema: RecordSchema, lines: Uint8Array): Generator<string> {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString()
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    yield completeDocument(schema, text.slice(at, end))
    at = end + 1
  }
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

/** Property of a document without depth: name, then a text, or the digits or word as they were printed. */
const PROPERTY = /"(\w+)":(?:"((?:[^"\\]|\\.)*)"|([^",}]+))/gy

/**
 * Properties of a printed document, which has no depth; those that are null are left out. NOTE numbers stay the text
 * that they are: a double would change some.
 */
function* listValues(document: string): Generator<[name: string, value: string | { literal: string }]> {
  PROPERTY.lastIndex = 1
  for (let end = 1; end < document.length; end = PROPERTY.lastIndex + 1) {
    PROPERTY.lastIndex = end
    const found = PROPERTY.exec(document)
    if (!found) throw new Error('a stored document is not as it is printed')
    const [, name = '', text, literal = ''] = found
    if (text !== undefined) yield [name, text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text]
    else if (literal !== 'null') yield [name, { literal }]
    end = PROPERTY.lastIndex
  }
}
