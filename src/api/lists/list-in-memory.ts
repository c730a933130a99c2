import type { Clause, ColumnType, Filter, Selection } from '../../store/db/list-selection.ts'

/** Listed property of an item in memory. A date is a `Date`. */
export type ListedValue = string | number | boolean | Date | null

/**
 * Filters, sorts and pages a short list in memory (the catalogue), by the rules of `toCondition` and `toOrder`. `read`
 * returns a listed property of an item; `id` is the tie-break.
 */
export function selectInMemory<Item extends { id: string }>(
  items: readonly Item[],
  selection: Selection,
  types: Readonly<Record<string, ColumnType>>,
  read: (item: Item, property: string) => ListedValue,
): { items: Item[]; total: number } {
  const fitting = items.filter((item) => fits((property) => read(item, property), selection.filter, types))
  const turn = selection.descending ? -1 : 1
  fitting.sort((a, b) => {
    const left = read(a, selection.orderBy)
    const right = read(b, selection.orderBy)
    if (left === null || right === null) return left === right ? turn * compare(a.id, b.id) : left === null ? 1 : -1
    return turn * (compare(left, right) || compare(a.id, b.id))
  })
  return { items: fitting.slice(selection.offset, selection.offset + selection.limit), total: fitting.length }
}

/** Whether a record matches a filter; `read` returns its properties. */
function fits(read: (property: string) => ListedValue, filter: Filter, types: Readonly<Record<string, ColumnType>>): boolean {
  return (
    filter.length === 0 || filter.some((group) => group.every((clause) => holds(read(clause.property), clause, types[clause.property])))
  )
}

function holds(value: ListedValue, clause: Clause, type: ColumnType | undefined): boolean {
  if (clause.value === null) return (value === null) === (clause.operator === '=')
  if (value === null) return clause.operator === '!='
  if (clause.operator === '~') return String(value).toLowerCase().includes(clause.value.toLowerCase())
  const order = compareTo(value, clause.value, type)
  const verdicts = { '=': order === 0, '!=': order !== 0, '>': order > 0, '<': order < 0, '>=': order >= 0, '<=': order <= 0 }
  return verdicts[clause.operator]
}

function compareTo(value: string | number | boolean | Date, wanted: string, type: ColumnType | undefined): number {
  if (value instanceof Date) return compare(`${value.toISOString().slice(0, -1)}000Z`, wanted)
  return type === 'number' ? compare(Number(value), Number(wanted)) : compare(String(value), wanted)
}

function compare(a: string | number | boolean | Date, b: string | number | boolean | Date): number {
  return a < b ? -1 : a > b ? 1 : 0
}
