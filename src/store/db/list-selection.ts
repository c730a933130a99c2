import type { Db } from './database.ts'

/**
 * Column type: decides the operators and the notation of values. A `date` is an instant; a `day` a calendar day, whose
 * SQL yields text `YYYY-MM-DD`.
 */
export type ColumnType = 'string' | 'number' | 'date' | 'day' | 'boolean' | 'uuid'

/** Listed property: its SQL expression (never from a caller) and its type. */
export interface Column {
  sql: string
  type: ColumnType
  /**
   * Indexed SQL expression, so that only the rows that match are read: for a text or an id itself; for a date, whose ranges it
   * bounds, the untruncated instant; for a day a text that begins with the day if it has one.
   */
  key?: string
  /** Integer that `key` uses for a text or a number of the API; only `=` uses the index. */
  toCode?(value: string): number
  /** Condition of a partial index that every row with a value meets. */
  present?: string
  /** Whether the index on `sql` and the tie-break can be used to order by it: an absent value would have to come last. */
  isNeverNull?: boolean
  /** Order by several indexes, where no single index has it. */
  order?: IndexedOrder
  /**
   * Letters of the texts whose parts are stored (`company_texts`), so that `~` is found by them, in any letter case, with or
   * without accents.
   */
  texts?: string
  /** SQL that orders rows with equal values, before the tie-break. */
  thenBy?: string
}

/** Order composed of several indexes: consecutive parts, or groups, all rows of which have the same rank. */
export type IndexedOrder =
  | {
      kind: 'parts'
      /** SQL conditions, exactly one of which each row meets, in ascending order; `within` is the order inside. */
      parts: readonly { condition: string; within?: string }[]
      /** Whether the last part is last in both directions. */
      isLastFixed: boolean
    }
  | {
      kind: 'groups'
      /** SQL of a relation `g` with the `key` and the `rank` of each group. */
      groups: string
      /** SQL of the key of a row; an index on it and the tie-break has the rows of a group in order. */
      keyOf: string
    }

/** Order of a column whose absent values come last; `sql` has an index where `present` holds. */
export function absentLast(sql: string, present = `${sql} is not null`): IndexedOrder {
  const parts = [{ condition: `(${present})`, within: sql }, { condition: `(${present}) is not true` }]
  return { kind: 'parts', parts, isLastFixed: true }
}

/**
 * Columns by their name in responses. `metadata.*` means the members of an object: its SQL has `$name` in place of a
 * member's name.
 */
export type Columns = Readonly<Record<string, Column>>

export type Operator = '=' | '!=' | '~' | '>' | '<' | '>=' | '<='

/**
 * Filter clause. `value` is validated text of the column's type (date `YYYY-MM-DDTHH:MM:SS.ssssssZ`, day `YYYY-MM-DD`);
 * null matches an absent value.
 */
export interface Clause {
  property: string
  operator: Operator
  value: string | null
}

/**
 * Filter in disjunctive form: a record matches when all clauses of any group match (`||` between groups, `&&` within
 * one). No group: everything matches.
 */
export type Filter = readonly (readonly Clause[])[]

/** Filter, order and page of a list. */
export interface Selection {
  filter: Filter
  orderBy: string
  descending: boolean
  limit: number
  offset: number
}

/**
 * SQL condition of a filter. Values are pushed to `values` and referenced as parameters, so that no caller's text
 * becomes SQL.
 */
export function toCondition(filter: Filter, columns: Columns, values: unknown[]): string {
  if (filter.length === 0) return 'true'
  return `(${filter.map((group) => group.map((clause) => toComparison(clause, columns, values)).join(' and ')).join(' or ')})`
}

/**
 * `order by … limit … offset …`. `tieBreak` (an expression unique in the list) comes last, so that the order is total
 * and pages have neither overlaps nor gaps. Absent values sort last in both directions.
 */
export function toOrder(selection: Selection, columns: Columns, tieBreak: string, values: unknown[]): string {
  return `${toSort(selection, columnOf(columns, selection.orderBy, values), tieBreak)} limit $${values.push(selection.limit)} offset $${values.push(selection.offset)}`
}

function toSort({ descending }: Pick<Selection, 'descending'>, { sql, isNeverNull, thenBy }: Column, tieBreak: string): string {
  const direction = descending ? 'desc' : 'asc'
  return `order by ${sql} ${direction}${isNeverNull ? '' : ' nulls last'}, ${thenBy ? `${thenBy} ${direction}, ` : ''}${tieBreak} ${direction}`
}

/** Responses print milliseconds, so dates are compared at that precision. */
const CASTS: Record<ColumnType, { column: (sql: string) => string; type: string }> = {
  string: { column: (sql) => sql, type: 'text' },
  number: { column: (sql) => sql, type: 'numeric' },
  date: { column: (sql) => `date_trunc('milliseconds', ${sql})`, type: 'timestamptz' },
  day: { column: (sql) => sql, type: 'text' },
  boolean: { column: (sql) => sql, type: 'boolean' },
  uuid: { column: (sql) => sql, type: 'uuid' },
}

/** Whether an index finds the rows that a clause matches. */
function isIndexed(clause: Clause, columns: Columns): boolean {
  const column = columnOf(columns, clause.property, [])
  if (column.present !== undefined) return clause.value === null ? clause.operator === '!=' : clause.operator !== '!='
  if (column.key === undefined || clause.value === null || clause.operator === '!=' || clause.operator === '~') return false
  return column.toCode === undefined || clause.operator === '='
}

function toComparison(clause: Clause, columns: Columns, values: unknown[]): string {
  const column = columnOf(columns, clause.property, values)
  if (column.present !== undefined && isIndexed(clause, columns))
    return `(${column.present} and ${toComparison(clause, { [clause.property]: { sql: column.sql, type: column.type } }, values)})`
  if (column.toCode !== undefined && isIndexed(clause, columns))
    return `${column.key} = $${values.push(column.toCode(clause.value ?? ''))}::int`
  const left = CASTS[column.type].column(column.sql)
  if (clause.value === null) return `${left} is ${clause.operator === '=' ? '' : 'not '}null`
  const right = `$${values.push(clause.value)}::${CASTS[column.type].type}`
  const plain = column.texts === undefined ? 'lower' : 'to_search_text'
  if (clause.operator === '~') return `coalesce(strpos(${plain}(${left}), ${plain}(${right})) > 0, false)`
  if (clause.operator === '!=') return `${left} is distinct from ${right}`
  const held = `coalesce(${left} ${clause.operator} ${right}, false)`
  if (column.key === undefined || column.toCode !== undefined) return held
  const isPrinted = column.type === 'date' || column.type === 'day'
  return isPrinted ? `(${boundsOf(column, clause, right, values)} and ${held})` : `${column.key} ${clause.operator} ${right}`
}

/**
 * Index bounds implied by a comparison: necessary, not sufficient. Instants are printed with milliseconds, days are a
 * prefix of a text.
 */
function boundsOf({ key, type }: Column, { operator, value }: Clause, right: string, values: unknown[]): string {
  const bounds: string[] = []
  if (operator !== '<' && operator !== '<=') bounds.push(`${key} >= ${right}`)
  // NOTE the next day, not the day and a high suffix: which characters sort last depends on the collation.
  if (operator !== '>' && operator !== '>=')
    bounds.push(type === 'day' ? `${key} < $${values.push(nextDay(value ?? ''))}` : `${key} < ${right} + interval '1 millisecond'`)
  return bounds.join(' and ')
}

function nextDay(day: string): string {
  const next = new Date(`${day}T00:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return next.toISOString().slice(0, 10)
}

function columnOf(columns: Columns, property: string, values: unknown[]): Column {
  const [head = '', ...member] = property.split('.')
  const name = member.length === 0 ? property : `${head}.*`
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined
  if (!column) throw new Error(`the list has no property ${property}`)
  return member.length === 0 ? column : { ...column, sql: column.sql.replace('$name', `$${values.push(member.join('.'))}::text`) }
}

/** Rows that a total counts: a list with more says so instead of counting them all. */
export const MOST_COUNTED = 10_000

/** Total of a list. */
export interface Total {
  /** At most `MOST_COUNTED`. */
  total: number
  /** Whether there are more rows than that. */
  hasMore: boolean
}

/** Counts the rows of `from` (SQL `from … where …`) as far as `MOST_COUNTED`. */
export async function countBounded(db: Db, from: string, values: readonly unknown[]): Promise<Total> {
  const { rows } = await db.query<{ total: number }>(
    `select count(*)::int as total from (select ${from} limit ${MOST_COUNTED + 1}) counted`,
    [...values],
  )
  const total = rows[0]?.total ?? 0
  return { total: Math.min(total, MOST_COUNTED), hasMore: total > MOST_COUNTED }
}

/** Maximum number of rows read for a list whose order or filter has no index. */
export const MOST_LOOKED_AT = 100_000

/** Thrown for a list for which more rows would have to be read. */
export class ListTooLarge extends Error {
  /** The parameter that has no index. */
  readonly parameter: 'OrderBy' | 'FilterQuery'
  /** Property of an instant, a range of which makes the list small enough. */
  readonly range: string

  constructor(parameter: ListTooLarge['parameter'], range: string) {
    super('the list would have to look at too many rows')
    this.parameter = parameter
    this.range = range
  }
}

/** All rows that a list selects from: SQL `from … where …` whose only parameter is `$1`, the instance. */
export interface WholeList {
  from: string
  instanceId: string
  columns: Columns
  /** Name in the API of the instant by which the rows have an index. */
  range: string
}

/**
 * Throws `ListTooLarge` when no index has the order of a selection, or finds all that it filters by, and what the indexes
 * leave are more than `MOST_LOOKED_AT` rows.
 */
export async function checkBound(db: Db, { filter, orderBy }: Pick<Selection, 'filter' | 'orderBy'>, list: WholeList): Promise<void> {
  const { columns } = list
  const ordered = columnOf(columns, orderBy, [])
  const isOrdered = ordered.isNeverNull === true || (ordered.order !== undefined && filter.length === 0)
  if (isOrdered && filter.every((group) => group.every((clause) => isIndexed(clause, columns)))) return
  if (await isTooLarge(db, list, narrow(filter, columns))) throw new ListTooLarge(isOrdered ? 'FilterQuery' : 'OrderBy', list.range)
}

/** Whether a list has more than `MOST_LOOKED_AT` rows that a filter matches. */
export async function isTooLarge(db: Db, list: WholeList, filter: Filter = []): Promise<boolean> {
  const values: unknown[] = [list.instanceId]
  const { rows } = await db.query<{ isMore: boolean }>(
    `select exists (select ${list.from} and ${toCondition(filter, list.columns, values)} offset ${MOST_LOOKED_AT}) as "isMore"`,
    values,
  )
  return rows[0]?.isMore ?? false
}

/** What the indexes find of a filter; everything where one of its groups has no clause with an index. */
function narrow(filter: Filter, columns: Columns): Filter {
  const groups = filter.map((group) => group.filter((clause) => isIndexed(clause, columns)))
  return groups.some((group) => group.length === 0) ? [] : groups
}
