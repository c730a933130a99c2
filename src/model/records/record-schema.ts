import { type TSchema, Type } from 'typebox'
import { type CompoundField, type CompoundPart, type EngineField, type Field, PlainTimestamp, Uuid } from './fields.ts'

type AnyField = Field<unknown> | EngineField | CompoundField<unknown>
type Fields = Readonly<Record<string, AnyField>>

/** The normalized record: what a mapping gives, which is everything but what the engine writes. */
export type NormalizedOf<F extends Fields> = {
  -readonly [Name in keyof F as F[Name] extends EngineField ? never : Name]: ValueOf<F[Name]>
}
type ValueOf<F> = F extends CompoundField<infer Value> ? Value : F extends Field<infer Value> ? Value : never

/** What stands in front of every record that the API shows. */
export interface DocumentHead {
  serviceId: string
  serviceName: string
  /** When this version of the record was read, without offset. */
  lastUpdatedOn: string
}

const HEAD: Readonly<Record<keyof DocumentHead, TSchema>> = {
  serviceId: Uuid,
  serviceName: Type.String(),
  lastUpdatedOn: PlainTimestamp,
}

/** Names of the properties in front of every record: they say who tells of it and when. */
export const HEAD_FIELDS: ReadonlySet<string> = new Set(Object.keys(HEAD))

/** One property of the document. */
export interface Property extends Field<unknown> {
  readonly name: string
  /** Field of the normalized record that it is printed from; null for what the engine writes, knowing the record's id. */
  readonly source: string | null
  /** For a part of a compound field. */
  readonly part: CompoundPart<unknown> | null
}

/** One kind of record: the only place that lists its fields. Everything else that needs them is derived from it. */
export interface RecordSchema {
  readonly title: string
  /** In the order of the document, without the head. */
  readonly properties: readonly Property[]
  /** JSON Schema of the document, head included; it is closed. */
  readonly document: TSchema
  /** Raised by one with each field that is added. */
  readonly shape: number
  /** Text that lists sort by. */
  toSortKey(record: unknown): string
}

/**
 * Makes the schema of one kind of record of its fields, in the order of the document. Throws `RangeError` for a field of a later shape that
 * is not nullable or does not stand at the end: stored documents, which lack it, are completed at their end with null (`later-fields.ts`).
 */
export function recordSchema<F extends Fields>(title: string, fields: F, toSortKey: (record: NormalizedOf<F>) => string) {
  const properties = Object.entries(fields).flatMap(([name, field]) => toProperties(name, field))
  checkShapes(title, properties)
  const schemas = Object.fromEntries(properties.map(({ name, schema }) => [name, schema]))
  const document = Type.Object({ ...HEAD, ...schemas }, { title, additionalProperties: false })
  return { title, fields, properties, document, shape: properties.at(-1)?.since ?? 1, toSortKey }
}

function toProperties(name: string, field: AnyField): Property[] {
  if (!('parts' in field)) return [{ ...field, name, source: 'writer' in field ? null : name, part: null }]
  return Object.entries(field.parts).map(([partName, part]) => ({ ...part, name: partName, source: name, part }))
}

function checkShapes(title: string, properties: readonly Property[]): void {
  for (const [index, { name, since, isNullable }] of properties.entries()) {
    if (since > 1 && !isNullable) throw new RangeError(`${title}.${name} is of shape ${since} and not nullable`)
    if (since < (properties[index - 1]?.since ?? 1)) throw new RangeError(`${title}.${name} stands behind a field of a later shape`)
  }
}
