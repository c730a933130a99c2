import type { Clause, ColumnType, Filter, Operator } from '../../store/db/list-selection.ts'
import { toFilterValue } from './filter-value.ts'

/** Syntax error of a filter, as text for the caller. */
export class FilterError extends Error {}

const OPERATORS: Record<ColumnType, readonly Operator[]> = {
  string: ['=', '!=', '~'],
  number: ['=', '!=', '>', '<', '>=', '<='],
  date: ['=', '!=', '>', '<', '>=', '<='],
  day: ['=', '!=', '>', '<', '>=', '<='],
  boolean: ['=', '!='],
  uuid: ['=', '!='],
}
const VALUE_FORMS: Record<ColumnType, string> = {
  string: 'a text',
  number: 'a number',
  date: 'a date that exists, YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS.ssssss, in UTC or with an offset such as -05:00,',
  day: 'a day that exists, YYYY-MM-DD,',
  boolean: 'true or false',
  uuid: 'a UUID',
}
const MAX_CLAUSES = 100

/**
 * Filter parser: `name op value` clauses joined by `&&` and `||` (`&&` binds tighter). A value is bare, up to the next
 * `&&` or `||`, or in single or double quotes, with backslash escapes; bare `null` matches an absent value, for which
 * no comparison but `!=` holds. `properties` has the type of each filterable property; `metadata.*` of all members of an
 * object. Throws `FilterError`.
 */
export function parseFilter(text: string, properties: Readonly<Record<string, ColumnType>>): Filter {
  const groups: Clause[][] = [[]]
  let rest = text.trim()
  let clauses = 0
  while (rest !== '') {
    const { clause, after } = readClause(rest, properties)
    groups.at(-1)?.push(clause)
    clauses += 1
    if (clauses > MAX_CLAUSES) throw new FilterError(`has more than ${MAX_CLAUSES} clauses`)
    rest = after.trimStart()
    if (rest === '') return groups
    if (rest.startsWith('||')) groups.push([])
    else if (!rest.startsWith('&&')) throw new FilterError('needs && or || between two clauses')
    rest = rest.slice(2).trimStart()
    if (rest === '') throw new FilterError('ends with && or ||')
  }
  return []
}

function readClause(text: string, properties: Readonly<Record<string, ColumnType>>): { clause: Clause; after: string } {
  const head = /^([A-Za-z][A-Za-z0-9]{0,63}(?:\.[A-Za-z0-9_.-]{1,40})?)\s*(!=|>=|<=|=|~|>|<)\s*/.exec(text)
  if (!head) throw new FilterError('needs clauses of the form: name operator value')
  const property = head[1] ?? ''
  const operator = head[2] as Operator
  const listed = property.replace(/\..*/, '.*')
  const type = Object.hasOwn(properties, listed) ? properties[listed] : undefined
  if (!type) throw new FilterError(`names an unknown property ${property}; known are ${Object.keys(properties).join(', ')}`)
  if (!OPERATORS[type].includes(operator)) {
    throw new FilterError(`cannot use ${operator} with ${property}, which is a ${type} and takes ${OPERATORS[type].join(' ')}`)
  }
  const { value, quoted, after } = readValue(text.slice(head[0].length))
  if (value === 'null' && !quoted) {
    if (operator !== '=' && operator !== '!=') throw new FilterError(`cannot use ${operator} with null`)
    return { clause: { property, operator, value: null }, after }
  }
  const checked = toFilterValue(value, type)
  if (checked === null) throw new FilterError(`needs ${VALUE_FORMS[type]} for ${property}`)
  return { clause: { property, operator, value: checked }, after }
}

function readValue(text: string): { value: string; quoted: boolean; after: string } {
  const quote = text[0]
  if (quote === '"' || quote === "'") return readQuoted(text, quote)
  const end = /&&|\|\|/.exec(text)?.index ?? text.length
  const value = text.slice(0, end).trim()
  if (value === '') throw new FilterError('has a clause without a value')
  return { value, quoted: false, after: text.slice(end) }
}

function readQuoted(text: string, quote: string): { value: string; quoted: boolean; after: string } {
  let value = ''
  for (let index = 1; index < text.length; index += 1) {
    const character = text[index]
    if (character === quote) return { value, quoted: true, after: text.slice(index + 1) }
    if (character === '\\') index += 1
    value += text[index] ?? ''
  }
  throw new FilterError('has a quote that is not closed')
}
