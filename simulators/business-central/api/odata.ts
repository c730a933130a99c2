import type { Row } from '../data/chart.ts'

/** Thrown for a query that Business Central refuses; the message gives the reason. */
export class ODataError extends Error {}

interface Condition {
  field: string
  operator: 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le'
  value: string | number | boolean
}

/** Options of a list request. `token` is the key after which the page begins. */
export interface ListQuery {
  conditions: Condition[]
  order: { field: string; descending: boolean }
  select: string[] | null
  top: number | null
  skip: number
  token: string | null
}

/** One kind of record: its properties, and the property for order and paging. */
export interface ListKind {
  fields: readonly string[]
  key: string
}

const OPTIONS = ['$filter', '$orderby', '$select', '$top', '$skip', '$skiptoken', '$schemaversion', 'aid']

/**
 * Reads the options of a list: filters are comparisons joined by `and`, the order is one property.
 * Source: https://learn.microsoft.com/en-us/dynamics365/business-central/dev-itpro/developer/devenv-connect-apps-filtering
 */
export function parseListQuery(query: URLSearchParams, kind: ListKind): ListQuery {
  const stray = [...query.keys()].find((name) => name.startsWith('$') && !OPTIONS.includes(name))
  if (stray !== undefined) throw new ODataError(`The query option '${stray}' is not supported.`)
  const [field = kind.key, direction = 'asc', ...rest] = (query.get('$orderby') ?? kind.key).trim().split(/\s+/)
  if (rest.length > 0 || !/^(asc|desc)$/.test(direction)) throw new ODataError('Syntax error in $orderby.')
  const select = query.get('$select')?.split(',') ?? null
  for (const name of [field, ...(select ?? [])]) requireField(name, kind)
  return {
    conditions: parseFilter(query.get('$filter') ?? '', kind),
    order: { field, descending: direction === 'desc' },
    select,
    top: wholeNumber(query, '$top'),
    skip: wholeNumber(query, '$skip') ?? 0,
    token: query.get('$skiptoken'),
  }
}

/** Matching rows in order, before paging. */
export function selectRows(query: ListQuery, rows: readonly Row[]): Row[] {
  const { field, descending } = query.order
  return rows
    .filter((row) => query.conditions.every((condition) => fits(row[condition.field], condition)))
    .toSorted((a, b) => compare(a[field], b[field]) * (descending ? -1 : 1))
}

export function project(row: Row, select: readonly string[] | null): object {
  return select === null ? row : Object.fromEntries(select.map((name) => [name, row[name]]))
}

function parseFilter(filter: string, kind: ListKind): Condition[] {
  if (filter.trim() === '') return []
  return filter.split(/\s+and\s+/).map((part) => {
    const match = /^\s*(\w+)\s+(eq|ne|gt|ge|lt|le)\s+(.+?)\s*$/.exec(part)
    const [, field = '', operator = '', literal = ''] = match ?? []
    if (!match) throw new ODataError(`Syntax error in $filter near '${part}'.`)
    requireField(field, kind)
    return { field, operator: toOperator(operator), value: toLiteral(literal) }
  })
}

function toOperator(word: string): Condition['operator'] {
  const operators: Condition['operator'][] = ['eq', 'ne', 'gt', 'ge', 'lt', 'le']
  return operators.find((operator) => operator === word) ?? 'eq'
}

function toLiteral(literal: string): string | number | boolean {
  const quoted = /^'((?:[^']|'')*)'$/.exec(literal)?.[1]
  if (quoted !== undefined) return quoted.replaceAll("''", "'")
  if (/^-?\d+(\.\d+)?$/.test(literal)) return Number(literal)
  if (literal === 'true' || literal === 'false') return literal === 'true'
  if (/^[0-9a-f-]{36}$/i.test(literal) || /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(literal)) return literal
  throw new ODataError(`Unrecognized literal '${literal}'.`)
}

function fits(actual: unknown, { operator, value }: Condition): boolean {
  const order = compare(actual, value)
  const outcomes = { eq: order === 0, ne: order !== 0, gt: order > 0, ge: order >= 0, lt: order < 0, le: order <= 0 }
  return outcomes[operator]
}

/** Compares numbers by value, instants by time, and everything else as text. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = [String(a ?? ''), String(b ?? '')]
  if (/^\d{4}-\d\d-\d\dT/.test(left) && /^\d{4}-\d\d-\d\d/.test(right)) return Date.parse(left) - Date.parse(right)
  return left < right ? -1 : left > right ? 1 : 0
}

function requireField(name: string, kind: ListKind): void {
  if (!kind.fields.includes(name)) throw new ODataError(`Could not find a property named '${name}'.`)
}

function wholeNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name)
  if (text === null) return null
  if (!/^\d{1,9}$/.test(text)) throw new ODataError(`Invalid value '${text}' for ${name}.`)
  return Number(text)
}
