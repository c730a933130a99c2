import type { Row } from '../data/chart.ts'
import { type Column, type Condition, type Join, type Select, SqlError } from './sql.ts'

/** One kind of record: its fields and its rows. */
export interface Table {
  fields: readonly string[]
  rows: readonly Row[]
}

/** Data of an account as visible to the role, with the display names of its values. */
export interface Database {
  tables: Readonly<Record<string, Table>>
  display(field: string, value: string | null): string | null
}

/** One row of each joined table, by alias; null if an outer join found no match. */
type Joined = Readonly<Record<string, Row | null>>

/** All rows of an answer, before paging, in order and under the names of the query; empty fields are omitted. */
export function selectRows(select: Select, database: Database): Record<string, string>[] {
  const aliases = readAliases(select, database)
  let joined: Joined[] = tableOf(database, select.table).rows.map((row) => ({ [select.alias]: row }))
  for (const join of select.joins) joined = joinRows(joined, join, aliases, database)
  const { where } = select
  const fitting = where === null ? joined : joined.filter((row) => fits(row, where, aliases))
  if (select.columns.some(({ kind }) => kind === 'count')) {
    return [Object.fromEntries(select.columns.map(({ as }) => [as, String(fitting.length)]))]
  }
  const ordered = fitting.toSorted((a, b) => {
    for (const { column, descending } of select.order) {
      const order = compare(read(a, column, aliases), read(b, column, aliases))
      if (order !== 0) return descending ? -order : order
    }
    return 0
  })
  return ordered.map((row) => project(row, select, aliases, database))
}

type Aliases = ReadonlyMap<string, Table & { name: string }>

function readAliases(select: Select, database: Database): Aliases {
  const named = [select, ...select.joins].map(({ table, alias }) => [alias, { ...tableOf(database, table), name: table }] as const)
  const aliases = new Map(named)
  const columns = [
    ...select.columns.flatMap((selected) => (selected.kind === 'count' ? [] : [selected.column])),
    ...select.joins.flatMap(({ on }) => on.flatMap(({ left, right }) => [left, right])),
    ...select.order.map(({ column }) => column),
  ]
  for (const column of columns) aliasOf(column, aliases)
  return aliases
}

/** A disabled feature and a missing permission look the same: the record does not exist. */
function tableOf(database: Database, name: string): Table {
  const table = Object.hasOwn(database.tables, name) ? database.tables[name] : undefined
  if (!table) throw new SqlError(`Search error occurred: Record '${name}' was not found.`)
  return table
}

function aliasOf({ table, name }: Column, aliases: Aliases): string {
  const candidates = table === null ? [...aliases.keys()] : [table]
  const alias = candidates.find((each) => aliases.get(each)?.fields.includes(name))
  if (alias !== undefined) return alias
  const record = aliases.get(candidates[0] ?? '')?.name ?? candidates[0]
  throw new SqlError(
    `Search error occurred: Field '${name}' for record '${record}' was not found. Reason: NOT_EXPOSED - Not available for channel SEARCH`,
  )
}

/** Hash join on the new table's columns, so that thousands of rows do not take quadratic time. */
function joinRows(rows: readonly Joined[], join: Join, aliases: Aliases, database: Database): Joined[] {
  const pairs = join.on.map(({ left, right }) =>
    aliasOf(left, aliases) === join.alias ? { own: left, other: right } : { own: right, other: left },
  )
  const partners = new Map<string, Row[]>()
  for (const row of tableOf(database, join.table).rows) {
    const key = JSON.stringify(pairs.map(({ own }) => row[own.name] ?? null))
    const others = partners.get(key)
    if (others) others.push(row)
    else partners.set(key, [row])
  }
  return rows.flatMap((row): Joined[] => {
    const key = JSON.stringify(pairs.map(({ other }) => read(row, other, aliases)))
    const found = partners.get(key) ?? []
    if (found.length === 0) return join.isOuter ? [{ ...row, [join.alias]: null }] : []
    return found.map((partner) => ({ ...row, [join.alias]: partner }))
  })
}

function fits(row: Joined, condition: Condition, aliases: Aliases): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.every((each) => fits(row, each, aliases))
    case 'or':
      return condition.conditions.some((each) => fits(row, each, aliases))
    case 'null':
      return (read(row, condition.column, aliases) === null) === condition.isNull
    case 'in':
      return condition.values.some((value) => compare(read(row, condition.column, aliases), String(value)) === 0)
    case 'compare':
      return fitsComparison(read(row, condition.column, aliases), condition.operator, String(condition.value))
  }
}

/** NULL compares with nothing, as in SQL. */
function fitsComparison(actual: string | null, operator: string, value: string): boolean {
  if (actual === null) return false
  const order = compare(actual, value)
  if (operator === '=') return order === 0
  if (operator === '<>' || operator === '!=') return order !== 0
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  return operator === '>' ? order > 0 : order >= 0
}

function project(row: Joined, select: Select, aliases: Aliases, database: Database): Record<string, string> {
  const values = select.columns.flatMap((selected): [string, string][] => {
    if (selected.kind === 'count') return []
    const value = read(row, selected.column, aliases)
    const shown =
      selected.kind === 'display' ? database.display(selected.column.name, value) : selected.kind === 'text' ? value : toShown(value)
    return shown === null ? [] : [[selected.as, shown]]
  })
  return Object.fromEntries(values)
}

/** A day not converted by TO_CHAR is returned in the user's own format. */
function toShown(value: string | null): string | null {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value ?? '') ?? []
  return year === undefined ? value : `${Number(month)}/${Number(day)}/${year}`
}

function read(row: Joined, column: Column, aliases: Aliases): string | null {
  return row[aliasOf(column, aliases)]?.[column.name] ?? null
}

/** Compares numbers by value and everything else as text; empty values come last. */
function compare(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  if (/^-?\d+(\.\d+)?$/.test(a) && /^-?\d+(\.\d+)?$/.test(b)) return Number(a) - Number(b)
  return a < b ? -1 : a > b ? 1 : 0
}
