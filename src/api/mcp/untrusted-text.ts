import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import type { Json } from '../../model/values/json.ts'

/** Text from a source, an owner or the data of a company: data, never an instruction. */
interface UntrustedText {
  untrustedText: string
}

export type Marked = string | number | boolean | null | UntrustedText | Marked[] | { [key: string]: Marked }

const MAX_TEXT = 300
const MAX_NAME = 100
/**
 * Control characters, format characters (bidi overrides, zero width, tags), private use, separators, and other
 * invisible characters.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu
/** Ids and times, which cannot contain an instruction. */
const CLOSED =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d(?:T[\d:.]{8,20}(?:Z|[+-]\d\d:\d\d)?)?|-?\d{1,40}(?:\.\d{1,40})?)$/i

/** Names of fields whose values are our own in every kind of record. */
const OURS = closedFields()

/**
 * JSON value in which each text is marked as untrusted, unless its form or its field is closed: visible characters
 * only, at most 300 of them. Numbers with more digits than a double holds become exact texts.
 */
export function markUntrusted(value: Json, name = ''): Marked {
  if (typeof value === 'string') return isOurs(value, name) ? value : { untrustedText: toVisible(value) }
  if (Array.isArray(value)) return value.map((each) => markUntrusted(each, name))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [toVisible(key, MAX_NAME), markUntrusted(each, key)]))
}

/** On one line, with hidden characters replaced by U+FFFD, truncated with an ellipsis. */
export function toVisible(text: string, most = MAX_TEXT): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text
  return cut
    .toWellFormed()
    .replace(/[\t\n\r]+/g, ' ')
    .replace(HIDDEN, '\u{fffd}')
}

/** NOTE `category` is our word for a source, but a bank's own word for a transaction. */
function isOurs(value: string, name: string): boolean {
  return CLOSED.test(value) || (OURS.has(name) && isWord(value)) || (name === 'category' && Object.hasOwn(RECORD_SCHEMAS, value))
}

function isWord(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]{0,39}$/.test(text)
}

function closedFields(): ReadonlySet<string> {
  const properties = Object.values(RECORD_SCHEMAS).flatMap((of) => Object.values(of).flatMap((schema) => [...schema.properties]))
  const open = new Set(properties.filter(({ kind }) => kind === 'text').map(({ name }) => name))
  const closed = properties.map(({ name }) => name).filter((name) => !open.has(name))
  return new Set([...closed, 'statusName'])
}
