/**
 * What a listed property is, and so which operators it takes and how its values are written. A `date` is an instant; a `day` a calendar day,
 * whose SQL gives text `YYYY-MM-DD`.
 */
export type ColumnType = 'string' | 'number' | 'date' | 'day' | 'boolean' | 'uuid'

/** A listed property: its SQL expression, written by us, and its type. */
interface Column {
  sql: string
  type: ColumnType
  /**
   * Of a date or day: SQL that an index knows, so that a range reads only its own rows. For a date the very instant (uncut), for a day a text that
   * begins with the day wherever there is one.
   */
  key?: string
}

/** Listed properties by their name in answers. */
export type Columns = Readonly<Record<string, Column>>

export type Operator = '=' | '!=' | '~' | '>' | '<' | '>=' | '<='

/** `value` is checked text of the property's type (a date is `YYYY-MM-DDTHH:MM:SS.ssssssZ`, a day `YYYY-MM-DD`); null asks for an absent value. */
export interface Clause {
  property: string
  operator: Operator
  value: string | null
}

/** A record fits when every clause of any one group fits: `||` between groups, `&&` within one. No group: everything fits. */
export type Filter = readonly (readonly Clause[])[]

/** Which part of a list is asked for, in which order. */
export interface Selection {
  filter: Filter
  orderBy: string
  descending: boolean
  limit: number
  offset: number
}

/** The condition as SQL; each value is pushed to `values` and referred to by its place, so nothing of a caller becomes SQL. */
export function toCondition(filter: Filter, columns: Columns, values: unknown[]): string {
  if (filter.length === 0) return 'true'
  return `(${filter.map((group) => group.map((clause) => toComparison(clause, columns, values)).join(' and ')).join(' or ')})`
}

/**
 * `order by … limit … offset …` with `tieBreak` (an expression that is unique in the list) last, so that the order is total and pages
 * neither overlap nor leave gaps. Absent values come last in either direction.
 */
export function toOrder(selection: Selection, columns: Columns, tieBreak: string, values: unknown[]): string {
  const direction = selection.descending ? 'desc' : 'asc'
  const column = columnOf(columns, selection.orderBy)
  return `order by ${column.sql} ${direction} nulls last, ${tieBreak} ${direction} limit $${values.push(selection.limit)} offset $${values.push(selection.offset)}`
}

/** Answers print milliseconds, so dates are compared by what is printed. */
const CASTS: Record<ColumnType, { column: (sql: string) => string; type: string }> = {
  string: { column: (sql) => sql, type: 'text' },
  number: { column: (sql) => sql, type: 'numeric' },
  date: { column: (sql) => `date_trunc('milliseconds', ${sql})`, type: 'timestamptz' },
  day: { column: (sql) => sql, type: 'text' },
  boolean: { column: (sql) => sql, type: 'boolean' },
  uuid: { column: (sql) => sql, type: 'uuid' },
}

function toComparison(clause: Clause, columns: Columns, values: unknown[]): string {
  const column = columnOf(columns, clause.property)
  const left = CASTS[column.type].column(column.sql)
  if (clause.value === null) return `${left} is ${clause.operator === '=' ? '' : 'not '}null`
  const right = `$${values.push(clause.value)}::${CASTS[column.type].type}`
  if (clause.operator === '~') return `coalesce(strpos(lower(${left}), lower(${right})) > 0, false)`
  if (clause.operator === '!=') return `${left} is distinct from ${right}`
  const held = `coalesce(${left} ${clause.operator} ${right}, false)`
  return column.key === undefined ? held : `(${boundsOf(column, clause, right, values)} and ${held})`
}

/** What a comparison says of the key of an index: less than the comparison itself, never more. Instants are printed with milliseconds, days lead a text. */
function boundsOf({ key, type }: Column, { operator, value }: Clause, right: string, values: unknown[]): string {
  const bounds: string[] = []
  if (operator !== '<' && operator !== '<=') bounds.push(`${key} >= ${right}`)
  // NOTE the next day, not the day and what sorts behind it: which characters do is up to the collation.
  if (operator !== '>' && operator !== '>=')
    bounds.push(type === 'day' ? `${key} < $${values.push(nextDay(value ?? ''))}` : `${key} < ${right} + interval '1 millisecond'`)
  return bounds.join(' and ')
}

function nextDay(day: string): string {
  const next = new Date(`${day}T00:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return next.toISOString().slice(0, 10)
}

function columnOf(columns: Columns, property: string): Column {
  const column = Object.hasOwn(columns, property) ? columns[property] : undefined
  if (!column) throw new Error(`the list has no property ${property}`)
  return column
}
