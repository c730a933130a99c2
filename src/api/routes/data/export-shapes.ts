import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { DELIVERY_STATES } from '../../../store/exports/deliveries.ts'
import { EXPORT_FORMATS, EXPORT_STATES, type Export, type ExportFormat } from '../../../store/exports/exports.ts'
import { EXPORT_DAYS } from '../../../sync/exports/request-export.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

const DAY_MS = 86_400_000

const Category = Type.String({ enum: ['Accounting', 'Banking'] })
const Entity = Type.String({ enum: ['Accounts', 'Transactions'] })
const FORMATS =
  '`ndjson`: one JSON document a line, as lists give it, behind its `companyId`. `csv`: a line of names first; an absent value is empty, and a text that begins like a formula gets an apostrophe. `parquet`: columns with the names of the properties, numbers as DECIMAL(38, 10), days and instants as text; a number that would have to be rounded fails the export. Numbers keep every digit in all of them.'

export const ExportInput = Type.Object(
  {
    companyId: Type.Optional(orNull(Uuid)),
    category: Type.Enum(['Accounting', 'Banking']),
    entity: Type.Enum(['Accounts', 'Transactions']),
    format: Type.Enum([...EXPORT_FORMATS], { description: FORMATS }),
  },
  {
    title: 'ExportInput',
    additionalProperties: false,
    examples: [{ companyId: null, category: 'Banking', entity: 'Transactions', format: 'ndjson' }],
  },
)

export const ExportShape = strict(
  {
    id: Uuid,
    companyId: orNull(Uuid),
    category: Category,
    entity: Entity,
    format: Type.String({ enum: [...EXPORT_FORMATS], description: FORMATS }),
    state: Type.String({
      enum: [...EXPORT_STATES],
      description: '`erased`: data in it has been disconnected or erased since, and the file with it',
    }),
    requestedBy: Type.String(),
    requestedOn: PlainTimestamp,
    endedOn: orNull(PlainTimestamp),
    expiresOn: Type.String({ ...PlainTimestamp, description: 'When the export is deleted with its file' }),
    records: Type.Integer({ description: 'In the file so far' }),
    expectedRecords: Type.Integer({ description: 'Published when the export was requested' }),
    bytes: Type.Integer({ description: 'Of the file so far' }),
    error: orNull(Type.String()),
    delivery: orNull(
      strict({
        destinationId: Uuid,
        objectKey: Type.String(),
        state: Type.String({ enum: [...DELIVERY_STATES] }),
        partsSent: Type.Integer({ description: 'Parts of 16 MiB that the destination has, of a file that has several' }),
        error: orNull(Type.String({ description: 'Why the last try failed' })),
      }),
    ),
  },
  { title: 'Export' },
)

export const EXPORT_FILTER = {
  id: 'uuid',
  companyId: 'uuid',
  category: 'string',
  entity: 'string',
  format: 'string',
  state: 'string',
  requestedBy: 'string',
  requestedOn: 'date',
  endedOn: 'date',
  expiresOn: 'date',
} as const

export const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

export function presentExport(made: Export) {
  const { id, companyId, category, entity, format, state, requestedBy, rows, expectedRows, bytes, error, delivery } = made
  return {
    ...{ id, companyId, category, entity, format, state, requestedBy },
    requestedOn: toPlainTimestamp(made.requestedAt),
    endedOn: made.endedAt && toPlainTimestamp(made.endedAt),
    expiresOn: toPlainTimestamp(new Date(made.requestedAt.getTime() + EXPORT_DAYS * DAY_MS)),
    ...{ records: rows, expectedRecords: expectedRows, bytes, error, delivery },
  }
}
