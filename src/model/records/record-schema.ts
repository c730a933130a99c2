import { type TSchema, Type } from 'typebox'
import { type CompoundField, type CompoundPart, type EngineField, type Field, PlainTimestamp, Uuid } from './fields.ts'

type AnyField = Field<unknown> | EngineField | CompoundField<unknown>
type Fields = Readonly<Record<string, AnyField>>

/** Normalized record: the fields that a mapping yields, without those written by the engine. */
export type NormalizedOf<F extends Fields> = {
  -readonly [Name in keyof F as F[Name] extends EngineField ? never : Name]: ValueOf<F[Name]>
}
type ValueOf<F> = F extends CompoundField<infer Value> ? Value : F extends Field<infer Value> ? Value : never

/** First properties of every record that the API returns. */
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

/** Names of the head's properties: source and time of the record. */
export const HEAD_FIELDS: ReadonlySet<string> = new Set(Object.keys(HEAD))

/** Property of the document. */
export interface Property extends Field<unknown> {
  readonly name: string
  /**
   * Field of the normalized record that it is printed from; null for a field written by the engine from the record's
   * id.
   */
  readonly source: string | null
  /** For a part of a compound field. */
  readonly part: CompoundPart<unknown> | null
}

/** Schema of one kind of record: the only list of its fields, from which everything else is derived. */
export interface RecordSchema {
  readonly title: string
  /** In document order, without the head. */
  readonly properties: readonly Property[]
  /** JSON Schema of the document, head included; closed (no additional properties). */
  readonly document: TSchema
  /** Shape version: raised by one for each added field. */
  readonly shape: number
  /** Sort key of lists. */
  toSortKey(record: unknown): string
}

/**
 * Builds the schema of one kind of record from its fields, in document order. Throws `RangeError` for a field of a
 * later shape that is not nullable or not at the end: stored documents, which lack it, are completed at their end with
 * null (`later-fields.ts`).
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
    if (since < (properties[index - 1]?.since ?? 1)) throw new RangeError(`${title}.${name} comes after a field of a later shape`)
  }
}
