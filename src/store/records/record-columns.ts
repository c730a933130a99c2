import type { Category, Entity } from '../../model/catalogue.ts'
import type { FieldKind } from '../../model/records/fields.ts'
import type { Property } from '../../model/records/record-schema.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import type { Column, Columns } from '../db/list-selection.ts'

/** SQL that reads a property of each kind out of a document `r.doc` and compares it; null where it is null or missing. */
const COLUMN_OF: Readonly<Record<FieldKind, { type: Column['type']; sql(name: string): string }>> = {
  id: { type: 'uuid', sql: () => 'r.id' },
  text: { type: 'string', sql: textOf },
  enum: { type: 'string', sql: textOf },
  amount: { type: 'number', sql: (name) => `nullif(nullif(rtrim(split_part(${after(`"${name}":`)}, ',', 1), '}'), 'null'), '')::numeric` },
  day: { type: 'day', sql: (name) => `nullif(left(${after(`"${name}":"`)}, ${'YYYY-MM-DD'.length}), '')` },
  instant: { type: 'date', sql: (name) => `nullif(${quoted(name)}, '')::timestamptz` },
  flag: {
    type: 'boolean',
    sql: (name) => `case when strpos(r.doc, '"${name}":true') > 0 then true when strpos(r.doc, '"${name}":false') > 0 then false end`,
  },
}

/** The properties by which records can be ordered and filtered, read out of their documents. */
export function recordColumns(category: Category, entity: Entity): Columns {
  const { properties } = RECORD_SCHEMAS[category][entity]
  const leading = properties.find(({ kind }) => kind === 'day')
  return {
    lastUpdatedOn: { sql: `(nullif(${quoted('lastUpdatedOn')}, '') || 'Z')::timestamptz`, type: 'date' },
    ...Object.fromEntries(properties.map((property) => [property.name, toColumn(property, property === leading)])),
  }
}

/** `isLeading` for the first day of a transaction: it leads the text that transactions are sorted by. */
function toColumn({ name, kind }: Property, isLeading: boolean): Column {
  const { type, sql } = COLUMN_OF[kind]
  return { sql: sql(name), type, ...(isLeading ? { key: 'r.sort_key' } : {}) }
}

/*
 * A list that no index serves reads every document of a record set, and parsing JSON takes most of that time. Documents
 * are printed by `documentPrinter`: flat, without spaces, and quotes inside a text are escaped, so that only the property
 * itself looks like `"name":`. Only a text with an escape is parsed.
 */

function after(start: string): string {
  return `split_part(r.doc, '${start}', 2)`
}

/** A quoted value up to its first quote, escaped or not; empty for null. */
function quoted(name: string): string {
  return `split_part(${after(`"${name}":"`)}, '"', 1)`
}

function textOf(name: string): string {
  const isEmpty = `strpos(r.doc, '"${name}":""') > 0`
  return `case when strpos(${quoted(name)}, E'\\\\') > 0 then r.doc::json ->> '${name}' else coalesce(nullif(${quoted(name)}, ''), case when ${isEmpty} then '' end) end`
}
