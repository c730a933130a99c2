import { type TSchema, Type } from 'typebox'
import type { Decimal } from '../values/decimal.ts'
import type { Day } from '../values/timestamps.ts'

/** Kind of a field: determines how it is printed, filtered, counted, explained and read by a bank profile. */
export type FieldKind = 'id' | 'text' | 'amount' | 'day' | 'instant' | 'enum' | 'flag'

/** Unit of a number: the record's `currency`, or percent (7.25 means 7.25 %). */
type Unit = 'currency' | 'percent'

/** Property of a record's JSON document. `Value` is the type in the normalized record. */
export interface Field<Value> {
  readonly kind: FieldKind
  readonly schema: TSchema
  /** Null for anything but a number. */
  readonly unit: Unit | null
  /** Allowed values of an enum; null for an open one and for other kinds. */
  readonly values: readonly string[] | null
  readonly isNullable: boolean
  /** Shape version that introduced the field; documents stored earlier lack it. */
  readonly since: number
  /** JSON text of a non-null value. NOTE a method, so that fields of all value types are assignable to one type. */
  print(value: Value): string
}

/** Field without a mapping: the engine writes it from the record's id. */
export interface EngineField extends Field<string> {
  readonly writer: 'engine'
}

/** Field of the normalized record that is printed as several properties of the document. */
export interface CompoundField<Value> {
  readonly parts: Readonly<Record<string, CompoundPart<Value>>>
}

export interface CompoundPart<Value> extends Field<string> {
  of(value: Value): string
}

interface FieldOptions {
  description?: string
  /** Default: the first shape. */
  since?: number
}

/** UUID as we write it. Stricter than the format `uuid`, which also accepts `urn:uuid:`, which the database rejects. */
export const Uuid = Type.String({ format: 'uuid', pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' })

/** UTC without an offset, as most timestamps of the API. */
export const PlainTimestamp = Type.String({
  title: 'Timestamp',
  description: 'UTC, ISO 8601 without an offset',
  examples: ['2026-11-20T17:43:00.123'],
})

export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** Text; empty where the source does not report it, unless it is nullable. */
export function text(options: FieldOptions = {}): Field<string> {
  return newField('text', Type.String(described(options)), options, quote)
}

/** Exact decimal, in the record's currency. */
export function amount({ description = 'Exact decimal', ...options }: FieldOptions = {}): Field<Decimal> {
  return { ...newField<Decimal>('amount', Type.Number({ description }), options, printDecimal), unit: 'currency' }
}

/** Exact decimal, in percent. */
export function percentage(options: FieldOptions = {}): Field<Decimal> {
  const schema = Type.Number({ description: sentence('Percent: 7.25 means 7.25 %', options) })
  return { ...newField<Decimal>('amount', schema, options, printDecimal), unit: 'percent' }
}

/** Calendar day. */
export function day(options: FieldOptions = {}): Field<Day> {
  return newField('day', Type.String({ description: sentence('Calendar day, YYYY-MM-DD', options) }), options, quote)
}

/** Point in time. */
export function instant(options: FieldOptions = {}): Field<string> {
  return newField('instant', Type.String({ description: sentence('ISO 8601 with offset', options) }), options, quote)
}

/** Closed enum of ours. */
export function oneOf<const Values extends readonly string[]>(values: Values, options: FieldOptions = {}): Field<Values[number]> {
  const schema = Type.String({ enum: [...values], ...described(options) })
  return { ...newField<Values[number]>('enum', schema, options, quote), values }
}

/** Open enum of ours. */
export function openEnum(options: FieldOptions = {}): Field<string> {
  return newField('enum', Type.String(described(options)), options, quote)
}

/** Boolean. */
export function flag(options: FieldOptions = {}): Field<boolean> {
  return newField<boolean>('flag', Type.Boolean(described(options)), options, printFlag)
}

/** Nullable field: null where the source does not report it. */
export function nullable<Value>(known: Field<Value>): Field<Value | null> {
  return { ...known, schema: orNull(known.schema), isNullable: true }
}

/** Part of a compound field. */
export function part<Value>(field: Field<string>, of: (value: Value) => string): CompoundPart<Value> {
  return { ...field, of }
}

/** Stable id of the record. */
export function recordId(): EngineField {
  return { ...newField<string>('id', Uuid, {}, quote), writer: 'engine' }
}

/** Deletion flag: false when it is read, set in the stored document once the source no longer has the record. */
export function deletedFlag(): EngineField {
  return { ...newField<string>('flag', Type.Boolean(), {}, () => 'false'), writer: 'engine' }
}

function newField<Value>(kind: FieldKind, schema: TSchema, { since = 1 }: FieldOptions, print: (value: Value) => string): Field<Value> {
  return { kind, schema, unit: null, values: null, isNullable: false, since, print }
}

function described({ description }: FieldOptions): { description?: string } {
  return description === undefined ? {} : { description }
}

function sentence(kind: string, { description }: FieldOptions): string {
  return description === undefined ? kind : `${kind}. ${description}`
}

/** Text without characters that JSON escapes: no quotes, backslashes, control characters or surrogates. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

/** Like `JSON.stringify`, but faster. */
function quote(value: string): string {
  return typeof value === 'string' && PLAIN.test(value) ? `"${value}"` : JSON.stringify(value ?? null)
}

/** A `Decimal` is written as JSON writes numbers. */
function printDecimal(value: Decimal): string {
  return value ?? 'null'
}

function printFlag(value: boolean): string {
  return value ? 'true' : 'false'
}
