/** Value of a comparison, as written in the filter. */
export type FilterValue = string | number | boolean | null

export const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type Comparison = (typeof COMPARISONS)[number]

/** SCIM filter. Attributes are paths in lower case, such as `name.familyname`. */
export type ScimFilter =
  | { kind: 'compare'; attribute: string; operator: Comparison; value: FilterValue }
  | { kind: 'present'; attribute: string }
  | { kind: 'and'; filters: readonly ScimFilter[] }
  | { kind: 'or'; filters: readonly ScimFilter[] }
  | { kind: 'not'; filter: ScimFilter }

/** Form in which names are compared for uniqueness; the same as that of addresses. */
export function toNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** A filter that cannot be used; the message is shown to the caller. */
export class InvalidFilter extends Error {}

/**
 * Filterable attribute: its SQL expression and its type. `text` is compared case-insensitively, `exact` exactly.
 * `equals` replaces the comparison with one value by a condition that an index supports; `:value` stands for the value,
 * for `text` as `toNameKey` writes it. `isEqualsOnly` refuses all other comparisons.
 */
export interface FilterColumn {
  sql: string
  type: 'text' | 'exact' | 'boolean' | 'date'
  equals?: string
  isEqualsOnly?: boolean
}

export type FilterColumns = Readonly<Record<string, FilterColumn>>

/**
 * SQL condition of a filter. Values are pushed to `values` and referenced as parameters. Throws `InvalidFilter` for an
 * attribute that is not among `columns`, and for a comparison that its type does not have.
 */
export function toFilterSql(filter: ScimFilter, columns: FilterColumns, values: unknown[]): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.filters.map((each) => toFilterSql(each, columns, values)).join(` ${filter.kind} `)})`
    case 'not':
      return `not coalesce(${toFilterSql(filter.filter, columns, values)}, false)`
    case 'present':
      return `(${columnOf(filter.attribute, columns).sql} is not null)`
    default:
      return toComparison(filter, columnOf(filter.attribute, columns), values)
  }
}

function columnOf(attribute: string, columns: FilterColumns): FilterColumn {
  const column = Object.hasOwn(columns, attribute) ? columns[attribute] : undefined
  if (!column) throw new InvalidFilter(`The attribute ${attribute.slice(0, 100)} cannot be filtered.`)
  return column
}

const SYMBOLS: Readonly<Record<string, string>> = { eq: '=', ne: 'is distinct from', gt: '>', ge: '>=', lt: '<', le: '<=' }

type Compared = Extract<ScimFilter, { kind: 'compare' }>

function toComparison({ attribute, operator, value }: Compared, column: FilterColumn, values: unknown[]): string {
  if (value === null) {
    if (operator !== 'eq' && operator !== 'ne') throw new InvalidFilter(`null can be compared with eq and ne only.`)
    return `(${column.sql} is ${operator === 'eq' ? '' : 'not '}null)`
  }
  const symbol = SYMBOLS[operator]
  if (column.type === 'boolean') {
    const wanted = toBoolean(value)
    if (wanted === null || (operator !== 'eq' && operator !== 'ne'))
      throw new InvalidFilter(`${attribute} is compared by eq or ne, with true or false.`)
    return `(${column.sql} ${symbol} $${values.push(wanted)}::boolean)`
  }
  if (typeof value !== 'string') throw new InvalidFilter(`${attribute} is compared with a text in quotation marks.`)
  if (column.type === 'date')
    return `(${column.sql} ${symbolOfDate(attribute, symbol)} $${values.push(toInstant(attribute, value))}::timestamptz)`
  if (operator === 'eq' && column.equals !== undefined) {
    const parameter = `$${values.push(column.type === 'text' ? toNameKey(value) : value)}::text`
    return `(${column.equals.replaceAll(':value', () => parameter)})`
  }
  if (column.isEqualsOnly) throw new InvalidFilter(`${attribute} is looked for by eq and pr only.`)
  const left = column.type === 'text' ? `lower(${column.sql})` : column.sql
  const parameter = `$${values.push(value)}::text`
  const right = column.type === 'text' ? `lower(${parameter})` : parameter
  if (operator === 'co') return `(strpos(${left}, ${right}) > 0)`
  if (operator === 'sw') return `starts_with(${left}, ${right})`
  if (operator === 'ew') return `(right(${left}, length(${right})) = ${right})`
  return `(${left} ${symbol} ${right})`
}

/** Entra ID writes truth values as texts. */
function toBoolean(value: Exclude<FilterValue, null>): boolean | null {
  const text = String(value).toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : null
}

function symbolOfDate(attribute: string, symbol: string | undefined): string {
  if (symbol === undefined) throw new InvalidFilter(`${attribute} is a point in time: eq, ne, gt, ge, lt and le compare it.`)
  return symbol
}

/** Source: https://www.rfc-editor.org/rfc/rfc7643#section-2.3.5 */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

function toInstant(attribute: string, value: string): Date {
  const at = new Date(value)
  if (!INSTANT.test(value) || Number.isNaN(at.getTime()) || at.getUTCFullYear() < 1970)
    throw new InvalidFilter(`${attribute} is compared with a point in time such as "2026-11-23T10:00:00Z".`)
  return at
}
