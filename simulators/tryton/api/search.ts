/** Exact decimals, days and instants are encoded as objects with `__class__`. */
export type Cell =
  | string
  | number
  | boolean
  | null
  | { __class__: 'Decimal'; decimal: string }
  | { __class__: 'date' | 'datetime'; [part: string]: string | number }

export interface Row {
  id: number
  [field: string]: Cell
}

interface Table {
  rows: readonly Row[]
  /** Model by field, for fields that hold the id of another row. */
  references: Readonly<Record<string, string>>
}

/** Tables by model name. */
export type Books = ReadonlyMap<string, Table>

interface Search {
  domain: unknown
  offset: unknown
  limit: unknown
  order: unknown
  context: unknown
}

/** Matching rows in order. Inactive rows are included only if the context has `active_test: false`. */
export function search(books: Books, table: Table, { domain, offset, limit, order, context }: Search): Row[] {
  const isActiveOnly = !(typeof context === 'object' && context !== null && 'active_test' in context && context.active_test === false)
  const found = table.rows
    .filter((row) => !isActiveOnly || row.active !== false)
    .filter((row) => fits(domain, (path) => cellAt(books, table, row, path)))
  const first: unknown = Array.isArray(order) ? order[0] : null
  const [field, direction] = Array.isArray(first) ? first : ['id', 'ASC']
  const sign = direction === 'DESC' ? -1 : 1
  const sorted = found.toSorted((a, b) => sign * compare(plain(a[String(field)]), plain(b[String(field)])))
  const start = typeof offset === 'number' ? offset : 0
  return sorted.slice(start, typeof limit === 'number' ? start + limit : undefined)
}

/** The requested fields and the id; `journal.name` is nested in `journal.`. */
export function project(books: Books, table: Table, rows: readonly Row[], fields: unknown): Record<string, unknown>[] {
  const names = Array.isArray(fields) ? fields.map(String) : []
  return rows.map((row) => projectRow(books, table, row, names))
}

function projectRow(books: Books, table: Table, row: Row, names: readonly string[]): Record<string, unknown> {
  const isNested = (name: string) => name.includes('.')
  const own = names.filter((name) => !isNested(name)).map((name) => [name, row[name] ?? null] as const)
  const nested = Map.groupBy(names.filter(isNested), (name) => name.slice(0, name.indexOf('.')))
  const others = [...nested].map(([field, paths]) => {
    const target = follow(books, table, row, field)
    const inner = paths.map((path) => path.slice(field.length + 1))
    return [`${field}.`, target && projectRow(books, target.table, target.row, inner)] as const
  })
  return { ...Object.fromEntries([...own, ...others]), id: row.id }
}

function follow(books: Books, table: Table, row: Row, field: string): { table: Table; row: Row } | null {
  const target = books.get(table.references[field] ?? '')
  const found = target?.rows.find(({ id }) => id === row[field])
  return target && found ? { table: target, row: found } : null
}

function cellAt(books: Books, table: Table, row: Row, path: string): Cell {
  const dot = path.indexOf('.')
  if (dot < 0) return row[path] ?? null
  const target = follow(books, table, row, path.slice(0, dot))
  return target && cellAt(books, target.table, target.row, path.slice(dot + 1))
}

/** A clause `[field, operator, value]`, or a list of domains of which all (after `OR`, any) must match. */
function fits(domain: unknown, read: (path: string) => Cell): boolean {
  if (!Array.isArray(domain)) throw new RangeError('a domain must be a list')
  const [first, operator, value] = domain
  if (first === 'OR') return domain.slice(1).some((part) => fits(part, read))
  if (first === 'AND') return domain.slice(1).every((part) => fits(part, read))
  return typeof first === 'string' ? holds(plain(read(first)), operator, value) : domain.every((part) => fits(part, read))
}

function holds(cell: Plain, operator: unknown, value: unknown): boolean {
  if (operator === 'in') return Array.isArray(value) && value.some((one) => plain(one) === cell)
  if (operator === 'not in') return Array.isArray(value) && !value.some((one) => plain(one) === cell)
  const wanted = plain(value)
  if (operator === '=') return cell === wanted
  if (operator === '!=') return cell !== wanted
  if (cell === null || wanted === null) return false
  if (operator === '>') return compare(cell, wanted) > 0
  if (operator === '>=') return compare(cell, wanted) >= 0
  if (operator === '<') return compare(cell, wanted) < 0
  if (operator === '<=') return compare(cell, wanted) <= 0
  throw new RangeError(`unknown operator ${String(operator)}`)
}

type Plain = string | number | null

/** Comparable form: booleans as 0 and 1, days and instants as text that sorts by time. */
function plain(value: unknown): Plain {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'string' || typeof value === 'number') return value
  if (typeof value !== 'object' || value === null) return null
  const parts: Record<string, unknown> = { ...value }
  if (parts.__class__ === 'Decimal') return Number(parts.decimal)
  const names = ['year', 'month', 'day', 'hour', 'minute', 'second', 'microsecond']
  return names.map((name) => String(parts[name] ?? 0).padStart(6, '0')).join(' ')
}

function compare(a: Plain, b: Plain): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = [String(a ?? ''), String(b ?? '')]
  return left < right ? -1 : left > right ? 1 : 0
}
