import { HEAD_FIELDS, type RecordSchema } from '../../model/records/record-schema.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import { toCsvLine } from '../../model/texts/csv.ts'
import { CsvRows } from './csv-rows.ts'
import { DocumentReader, splitDocuments } from './documents.ts'
import type { EncodeSegment, EncodeTarget } from './encode-target.ts'

/** Bytes of one piece of a file; the first one begins with the names of the columns, where the format has any. */
export function encodeText(target: EncodeTarget, segments: readonly EncodeSegment[], isFirst: boolean): Uint8Array {
  const schema = RECORD_SCHEMAS[target.category][target.entity]
  if (target.format === 'csv') return toCsv(schema, segments, isFirst)
  return Buffer.concat(segments.map((segment) => toLines(schema, segment)))
}

/** The documents as they are stored, each behind the id of its company. */
function toLines(schema: RecordSchema, segment: EncodeSegment): Buffer {
  const head = Buffer.from(`{"companyId":"${segment.companyId}",`)
  const documents = splitDocuments(schema, segment)
  const bytes = documents.reduce((sum, document) => sum + head.length + document.length, 0)
  const out = Buffer.allocUnsafe(bytes)
  let at = 0
  for (const document of documents) {
    at += head.copy(out, at)
    at += document.copy(out, at, 1)
    at = out.writeUInt8(0x0a, at)
  }
  return out
}

function toCsv(schema: RecordSchema, segments: readonly EncodeSegment[], isFirst: boolean): Uint8Array {
  const columns = [...HEAD_FIELDS, ...schema.properties.map(({ name }) => name)]
  const reader = new DocumentReader(columns)
  const rows = new CsvRows(columns.length, isFirst ? toCsvLine(['companyId', ...columns]) : '')
  for (const segment of segments)
    reader.readAll(
      segment,
      (column, bytes, from, to, printed) => rows.put(column, bytes, from, to, printed),
      () => rows.endRow(segment.companyId),
    )
  return rows.toBytes()
}
