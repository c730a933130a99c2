import { constants, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { HEAD_FIELDS, type Property } from '../../model/records/record-schema.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import { DocumentReader, type TakeValue } from './documents.ts'
import type { EncodeSegment, EncodeTarget } from './encode-target.ts'
import { DECIMAL_BYTES, PRECISION, SCALE, toDecimalBytes } from './parquet-decimal.ts'
import { RepeatedValues } from './repeated-values.ts'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

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
  const out = new ByteWriter(1024 * 1024)
  const writer = new ParquetWriter({
    writer: out,
    schema: toSchema(columns),
    codec: 'ZSTD',
    compressors: { ZSTD: compress },
    statistics: false,
    createdBy: 'countinghouse',
  })
  // The writer begins with the magic bytes, which belong to the first piece only.
  if (startsAt > 0) {
    out.index = 0
    out.offset = startsAt
  }
  const columnData = columns.map(({ element: { name }, data, encoding }) => ({ name, data, offsetIndex: false, ...encoding }))
  const count = columns[0]?.data.length ?? 0
  if (count > 0) writer.write({ columnData, rowGroupSize: count })
  const summary = count > 0 ? JSON.stringify(writer.row_groups, keepBigints) : ''
  if (earlier) {
    writer.row_groups = [...earlier.filter((text) => text !== '').flatMap(readSummary), ...writer.row_groups]
    writer.num_rows = writer.row_groups.reduce((sum, group) => sum + group.num_rows, 0n)
    writer.pendingIndexes = []
    writer.schema = toSchema(columns.map(({ element }) => ({ element: { ...element, ...(isDecimal(element) ? DECIMAL : {}) } })))
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
  encoding: { encoding?: 'PLAIN' }
  repeated: RepeatedValues<Value>
}

type Value = string | Uint8Array | boolean | null

function toSchema(columns: readonly Pick<Column, 'element'>[]): SchemaElement[] {
  return [{ name: 'record', num_children: columns.length }, ...columns.map(({ element }) => element)]
}

function toColumns({ category, entity }: EncodeTarget, segments: readonly EncodeSegment[]): Column[] {
  const { properties } = RECORD_SCHEMAS[category][entity]
  const company = toTextColumn('companyId')
  const columns = [...[...HEAD_FIELDS].map(toTextColumn), ...properties.map(toColumn)]
  const rows = segments.reduce((sum, { records }) => sum + records, 0)
  for (const column of [company, ...columns]) column.data = new Array<Value>(rows).fill(null)
  const reader = new DocumentReader(columns.map(({ element }) => element.name))
  let row = 0
  const take: TakeValue = (at, bytes, from, to, printed) => {
    const column = columns[at]
    if (column) column.data[row] = column.repeated.read(bytes, from, to, printed)
  }
  for (const segment of segments)
    reader.readAll(segment, take, () => {
      company.data[row] = segment.companyId
      row += 1
    })
  return [company, ...columns]
}

function toColumn({ name, kind }: Property): Column {
  const repetition_type = 'OPTIONAL'
  if (kind === 'flag')
    return {
      element: { name, type: 'BOOLEAN', repetition_type },
      data: [],
      encoding: {},
      repeated: new RepeatedValues<Value>((value) => value === 'true'),
    }
  if (kind !== 'amount') return toTextColumn(name)
  return {
    element: { name, type: 'FIXED_LEN_BYTE_ARRAY', type_length: DECIMAL_BYTES, repetition_type },
    data: [],
    // Amounts seldom repeat: a dictionary of them costs more than it saves.
    encoding: { encoding: 'PLAIN' },
    repeated: new RepeatedValues<Value>(toDecimalBytes),
  }
}

/** Logical type of amounts in the footer. NOTE only there: with it, the writer would encode them again, from bigints. */
const DECIMAL = { converted_type: 'DECIMAL', precision: PRECISION, scale: SCALE } as const

function isDecimal({ type }: SchemaElement): boolean {
  return type === 'FIXED_LEN_BYTE_ARRAY'
}

function toTextColumn(name: string): Column {
  const element: SchemaElement = { name, type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL', converted_type: 'UTF8' }
  return { element, data: [], encoding: {}, repeated: new RepeatedValues<Value>((value) => value) }
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
