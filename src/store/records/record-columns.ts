import type { Category, Entity } from '../../model/catalogue.ts'
import type { FieldKind } from '../../model/records/fields.ts'
import type { Property } from '../../model/records/record-schema.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import type { Column, Columns } from '../db/list-selection.ts'

/** SQL that reads a property of each kind out of a document and compares it. */
const COLUMN_OF: Readonly<Record<FieldKind, { type: Column['type']; cast: string }>> = {
  id: { type: 'uuid', cast: '' },
  text: { type: 'string', cast: '' },
  enum: { type: 'string', cast: '' },
  amount: { type: 'number', cast: '::numeric' },
  day: { type: 'day', cast: '' },
  instant: { type: 'date', cast: '::timestamptz' },
  flag: { type: 'boolean', cast: '::boolean' },
}

/** The properties by which records can be ordered and filtered, read out of their documents. */
export function recordColumns(category: Category, entity: Entity): Columns {
  const { properties } = RECORD_SCHEMAS[category][entity]
  const leading = properties.find(({ kind }) => kind === 'day')
  return {
    lastUpdatedOn: { sql: `((r.doc::json ->> 'lastUpdatedOn') || 'Z')::timestamptz`, type: 'date' },
    ...Object.fromEntries(properties.map((property) => [property.name, toColumn(property, property === leading)])),
  }
}

/** `isLeading` for the first day of a transaction: it leads the text that transactions are sorted by. */
function toColumn({ name, kind }: Property, isLeading: boolean): Column {
  if (kind === 'id') return { sql: 'r.id', type: 'uuid' }
  const { type, cast } = COLUMN_OF[kind]
  return { sql: `(r.doc::json ->> '${name}')${cast}`, type, ...(isLeading ? { key: 'r.sort_key' } : {}) }
}
