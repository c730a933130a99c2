import { type Columns, type IndexedOrder, type Selection, type Total, toOrder } from '../list-selection.ts'

/** Up to this many rows are sorted even if an order can be composed of indexes, which would take longer. */
const MOST_SORTED = 500

/** A list from which a page is selected. */
interface PagedList {
  /** SQL `from … where …` of all rows that match the filter. */
  from: string
  columns: Columns
  /** SQL of the id, unique in the list. */
  tieBreak: string
  total: Total
}

/**
 * SQL `from … where … order by …` of one page of a list. A whole list in an order that is put together from several indexes
 * (`Column.order`) is read as far as the page goes; otherwise all that matches is sorted where no index has the order.
 */
export function toPage(list: PagedList, selection: Selection, values: unknown[]): string {
  const { from, columns, tieBreak, total } = list
  const column = columns[selection.orderBy]
  if (column?.order === undefined || selection.filter.length > 0 || total.total <= MOST_SORTED)
    return `${from} ${toOrder(selection, columns, tieBreak, values)}`
  const [limit, offset] = [`$${values.push(selection.limit)}::int`, `$${values.push(selection.offset)}::int`]
  const ids = { of: list, thenBy: column.thenBy, descending: selection.descending, limit, offset, most: `(${limit} + ${offset})` }
  const page = column.order.kind === 'parts' ? idsOfParts(ids, column.order) : idsOfGroups(ids, column.order)
  // NOTE an array, so that the rows are looked up by their ids whatever the planner expects of the page.
  const found = `${from} and ${tieBreak} = any (array(${page}))`
  return `${found} ${toOrder({ ...selection, offset: 0 }, columns, tieBreak, values)}`
}

interface Ids {
  of: PagedList
  thenBy: string | undefined
  descending: boolean
  limit: string
  offset: string
  /** Rows from the beginning of the list to the end of the page. */
  most: string
}

function sortBy({ of, thenBy, descending }: Ids, within?: string): string {
  const direction = descending ? 'desc' : 'asc'
  return [within, thenBy, of.tieBreak].flatMap((sql) => (sql === undefined ? [] : [`${sql} ${direction}`])).join(', ')
}

/** A part is read only where those before it do not fill the page. */
function idsOfParts(ids: Ids, { parts, isLastFixed }: Extract<IndexedOrder, { kind: 'parts' }>): string {
  const moved = isLastFixed ? parts.slice(0, -1) : parts
  const ordered = ids.descending ? [...moved.toReversed(), ...parts.slice(moved.length)] : parts
  const queries = ordered.map(({ condition, within }, nth) => {
    const before = ordered.slice(0, nth).map((_, earlier) => `(select count(*) from part_${earlier})`)
    const isWanted = before.length === 0 ? '' : `and ${before.join(' + ')} < ${ids.most}`
    const order = sortBy(ids, within)
    return `part_${nth} as materialized (
      select ${ids.of.tieBreak} as id, ${nth} as part, row_number() over (order by ${order}) as place ${ids.of.from} and ${condition} ${isWanted}
      order by ${order} limit ${ids.most})`
  })
  const all = ordered.map((_, nth) => `select * from part_${nth}`).join(' union all ')
  return `with ${queries.join(', ')} select id from (${all}) listed order by part, place limit ${ids.limit} offset ${ids.offset}`
}

/**
 * Of each group the first rows, and of these the page: groups of one rank follow one another row by row. NOTE a range in
 * place of an equality, and the key in the order: otherwise PostgreSQL may look for the rows of a small group in all of the
 * list, by its id.
 */
function idsOfGroups(ids: Ids, { groups, keyOf }: Extract<IndexedOrder, { kind: 'groups' }>): string {
  const { of, descending, limit, offset, most } = ids
  const direction = descending ? 'desc' : 'asc'
  return `select r.id from ${groups} cross join lateral (
      select ${of.tieBreak} as id ${of.from} and ${keyOf} >= g.key and ${keyOf} <= g.key order by ${sortBy(ids, keyOf)} limit ${most}) r
    order by g.rank ${direction} nulls last, r.id ${direction} limit ${limit} offset ${offset}`
}
