import { type TSchema, Type } from 'typebox'
import type { Decimal } from '../values/decimal.ts'
import type { Day } from '../values/timestamps.ts'

/** What a field holds. From its kind follow how it is printed, filtered, counted, explained and read by a bank's profile. */
export type FieldKind = 'id' | 'text' | 'amount' | 'day' | 'instant' | 'enum' | 'flag'

/** What a number counts: the record's `currency`, or percent (7.25 means 7.25 %). */
type Unit = 'currency' | 'percent'

/** One property of a record's JSON document. `Value` is what the normalized record holds for it. */
export interface Field<Value> {
  readonly kind: FieldKind
  readonly schema: TSchema
  /** Null for what is no number. */
  readonly unit: Unit | null
  /** Allowed values of an enum; null for an open list and for other kinds. */
  readonly values: readonly string[] | null
  readonly isNullable: boolean
  /** Version of the record's shape that brought the field; documents that were stored before lack it. */
  readonly since: number
  /** JSON text of a value that is not null. NOTE a method, so that fields of all values can be handled alike. */
  print(value: Value): string
}

/** A field that no mapping gives: the engine writes it, knowing the record's id. */
export interface EngineField extends Field<string> {
  readonly writer: 'engine'
}

/** A field of the normalized record that is several properties of the document. */
export interface CompoundField<Value> {
  readonly parts: Readonly<Record<string, CompoundPart<Value>>>
}

export interface CompoundPart<Value> extends Field<string> {
  of(value: Value): string
}

interface FieldOptions {
  description?: string
  /** Left out for the fields of the first shape. */
  since?: number
}

/** An id of ours. Stricter than the format `uuid`, which also takes `urn:uuid:` and which the database would refuse. */
export const Uuid = Type.String({ format: 'uuid', pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' })

/** UTC without an offset, as most timestamps of the API are printed. */
export const PlainTimestamp = Type.String({
  description: 'UTC, ISO 8601 without an offset',
  examples: ['2026-11-20T17:43:00.123'],
})

export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** Text; empty where the source does not say, unless it is nullable. */
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

/** One value of a closed list of ours. */
export function oneOf<const Values extends readonly string[]>(values: Values, options: FieldOptions = {}): Field<Values[number]> {
  const schema = Type.String({ enum: [...values], ...described(options) })
  return { ...newField<Values[number]>('enum', schema, options, quote), values }
}

/** One value of a list of ours that grows. */
export function openEnum(options: FieldOptions = {}): Field<string> {
  return newField('enum', Type.String(described(options)), options, quote)
}

/** Yes or no. */
export function flag(options: FieldOptions = {}): Field<boolean> {
  return newField<boolean>('flag', Type.Boolean(described(options)), options, printFlag)
}

/** The same field, null where the source does not say. */
export function nullable<Value>(known: Field<Value>): Field<Value | null> {
  return { ...known, schema: orNull(known.schema), isNullable: true }
}

/** A part of a compound field. */
export function part<Value>(field: Field<string>, of: (value: Value) => string): CompoundPart<Value> {
  return { ...field, of }
}

/** The record's stable id. */
export function recordId(): EngineField {
  return { ...newField<string>('id', Uuid, {}, quote), writer: 'engine' }
}

/** Whether the source no longer has the record: false when it is read, set in the stored document once it is gone. */
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

/** A text in which JSON escapes nothing: no quotes, backslashes, control characters or surrogates. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

/** As `JSON.stringify`, in less time. */
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
