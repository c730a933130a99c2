import type { Row } from '../../kit/data/edited-list.ts'

const USUAL_ROWS = 400
const MOST_ROWS = 1000

export interface Selection {
  rows: Row[]
  top: number
  skip: number
}

/**
 * `$filter` (one comparison), `$orderby` (one property), `$top` and `$skip`. Returns a text with the reason if the
 * query is not supported.
 * Source: http://developers.myob.com/api/accountright/api-overview/retrieving-data/
 */
export function select(rows: readonly Row[], query: URLSearchParams): Selection | string {
  const top = Number(query.get('$top') ?? USUAL_ROWS)
  const skip = Number(query.get('$skip') ?? 0)
  if (!Number.isInteger(top) || top < 1 || top > MOST_ROWS) return '$top must be a number from 1 to 1000'
  if (!Number.isInteger(skip) || skip < 0) return '$skip must be a number from 0'
  const filtered = filter(rows, query.get('$filter'))
  if (typeof filtered === 'string') return filtered
  const [property = '', direction = 'asc'] = (query.get('$orderby') ?? 'UID').split(' ')
  if (filtered.some((row) => row[property] === undefined)) return `Could not find a property named '${property}'`
  const sign = direction === 'desc' ? -1 : 1
  const ordered = [...filtered].sort((a, b) => sign * compare(String(a[property]), String(b[property])))
  return { rows: ordered, top, skip }
}

function filter(rows: readonly Row[], text: string | null): readonly Row[] | string {
  if (text === null) return rows
  const [, property = '', operator = '', literal = ''] = /^(\w+) (eq|ne) (.+)$/.exec(text) ?? []
  if (property === '') return 'The $filter cannot be read'
  const wanted = literal.replace(/^(?:guid)?'(.*)'$/, '$1')
  return rows.filter((row) => (String(row[property]) === wanted) === (operator === 'eq'))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
