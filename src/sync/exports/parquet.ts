import { constants, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { HEAD_FIELDS, type Property } from '../../model/records/record-schema.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import { listDocuments, listValues } from './documents.ts'
import { type EncodeSegment, type EncodeTarget, NotEncodable } from './encode-target.ts'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

/** Of amounts and percentages. A number that does not fit ends the export: none is rounded. */
const PRECISION = 38
const SCALE = 10
const LIMIT = 10n ** BigInt(PRECISION)

/** Bytes of one piece of a file, and its row group as text, which the end of the file repeats. */
export interface ParquetPiece {
  bytes: Uint8Array
  /** Empty for a piece without records. */
  summary: string
}

/**
 * Writes one row group that begins at `startsAt` of the file. `earlier`: the summaries of all pieces before the last
 * one, which ends the file; null for any other piece.
 */
export function writeParquet(
  target: EncodeTarget,
  segments: readonly EncodeSegment[],
  startsAt: number,
  earlier: readonly string[] | null,
): ParquetPiece {
  const columns = toColumns(target, segments)
  const schema: SchemaElement[] = [{ name: 'record', num_children: columns.length }, ...columns.map(({ element }) => element)]
  const out = new ByteWriter(1024 * 1024)
  const writer = new ParquetWriter({
    writer: out,
    schema,
    codec: 'ZSTD',
    compressors: { ZSTD: compress },
    statistics: false,
    createdBy: 'countinghouse',
  })
  // The writer has begun a file; only the first piece does.
  if (startsAt > 0) {
    out.index = 0
    out.offset = startsAt
  }
  const columnData = columns.map(({ element: { name }, data }) => ({ name, data, offsetIndex: false }))
  const count = columns[0]?.data.length ?? 0
  if (count > 0) writer.write({ columnData, rowGroupSize: count })
  const summary = count > 0 ? JSON.stringify(writer.row_groups, keepBigints) : ''
  if (earlier) {
    writer.row_groups = [...earlier.filter((text) => text !== '').flatMap(readSummary), ...writer.row_groups]
    writer.num_rows = writer.row_groups.reduce((sum, group) => sum + group.num_rows, 0n)
    writer.pendingIndexes = []
    writer.finish()
  }
  return { bytes: out.getBytes(), summary }
}

const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

function compress(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, OPTIONS)
}

interface Column {
  element: SchemaElement
  data: Value[]
  read(value: string | { literal: string }): Value
}

type Value = string | bigint | boolean | null

function toColumns({ category, entity }: EncodeTarget, segments: readonly EncodeSegment[]): Column[] {
  const schema = RECORD_SCHEMAS[category][entity]
  const columns = ['companyId', ...HEAD_FIELDS].map((name) => toTextColumn(name)).concat(schema.properties.map(toColumn))
  const place = new Map(columns.map(({ element }, index) => [element.name, index]))
  const rows = segments.reduce((sum, { records }) => sum + records, 0)
  for (const column of columns) column.data = Array.from<Value>({ length: rows }).fill(null)
  let row = 0
  for (const { companyId, lines } of segments)
    for (const document of listDocuments(schema, lines)) {
      setValue(columns[0], row, companyId)
      for (const [name, value] of listValues(document)) setValue(columns[place.get(name) ?? Number.NaN], row, value)
      row += 1
    }
  return columns
}

function setValue(column: Column | undefined, row: number, value: string | { literal: string }): void {
  if (column) column.data[row] = column.read(value)
}

function toColumn({ name, kind }: Property): Column {
  const repetition_type = 'OPTIONAL'
  if (kind === 'flag')
    return { element: { name, type: 'BOOLEAN', repetition_type }, data: [], read: (value) => literalOf(value) === 'true' }
  if (kind !== 'amount') return toTextColumn(name)
  return {
    element: {
      ...{ name, type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, repetition_type, converted_type: 'DECIMAL' },
      ...{ precision: PRECISION, scale: SCALE },
    },
    data: [],
    read: (value) => toUnscaled(literalOf(value)),
  }
}

function toTextColumn(name: string): Column {
  const element: SchemaElement = { name, type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL', converted_type: 'UTF8' }
  return { element, data: [], read: (value) => (typeof value === 'string' ? value : value.literal) }
}

function literalOf(value: string | { literal: string }): string {
  return typeof value === 'string' ? value : value.literal
}

/** The digits of an exact decimal, as a multiple of the last place. Throws `NotEncodable`. */
function toUnscaled(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  const digits = fraction.replace(/0+$/, '')
  const unscaled = whole === '' ? LIMIT : BigInt(whole + digits.padEnd(SCALE, '0'))
  if (digits.length > SCALE || unscaled >= LIMIT) throw new NotEncodable()
  return sign === '' ? unscaled : -unscaled
}

const BIGINT = /^(-?\d+)n$/

function keepBigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}

function readSummary(text: string): ParquetWriter['row_groups'] {
  return JSON.parse(text, (_key, value: unknown) => {
    const digits = typeof value === 'string' ? BIGINT.exec(value)?.[1] : undefined
    return digits === undefined ? value : BigInt(digits)
  })
}
