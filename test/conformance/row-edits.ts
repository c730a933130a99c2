import type { HttpResponse, Session } from '../../src/connectors/contract/contract.ts'
import type { Json } from '../../src/model/values/json.ts'
import { type FetchedPage, fetchPage, normalize, type Outcome, replayKit, type Source } from './run.ts'
import { parseJson } from './source-rows.ts'
import type { List, Row } from './subject.ts'
import type { ConformanceSubject } from './subjects.ts'

/** A page with a short list, and the row to damage. */
export interface EditedRow {
  list: List
  fetched: FetchedPage
  /** Index of the row among all rows of the list on the page. */
  index: number
}

/** Number of rows per list on pages that are read repeatedly. */
const FEW_ROWS = 12

/** One row of each list that yields a record, from the page with the fewest rows; `isWanted` filters rows. */
export function editableRows(
  source: ConformanceSubject,
  pages: readonly FetchedPage[],
  isWanted: (row: Row, list: List) => boolean,
): EditedRow[] {
  const { delivered } = normalize(source, pages)
  const known = new Set([...delivered.values()].flatMap(({ origId, entryId }) => (entryId === null ? [origId] : [origId, entryId])))
  const isGood = (list: List, row: Row) =>
    !list.isLeftOut?.(row) && (list.isAuxiliary || list.names(row, []).some((name) => known.has(name))) && isWanted(row, list)
  return source.subject.lists.flatMap((list) => {
    const candidates = pages.flatMap((fetched) => {
      const rows = rowsOf(list, fetched)
      // The last row of a page is often its cursor and the first a heading, so neither represents the others.
      const index = rows.findLastIndex((row, place) => place < Math.max(1, rows.length - 1) && isGood(list, row))
      return fetched.pull.name === list.pull && index >= 0 ? [{ list, fetched, index, size: rows.length }] : []
    })
    const [smallest] = candidates.filter(({ size }) => size >= 2 || candidates.length === 1).sort((a, b) => a.size - b.size)
    return smallest ? [smallest] : []
  })
}

/**
 * The same pages with only the first rows of each list, since repeated reads of hundreds of rows prove nothing more.
 */
export function truncatePages({ subject }: ConformanceSubject, pages: readonly FetchedPage[]): FetchedPage[] {
  return pages.map((fetched) => ({
    ...fetched,
    exchanges: fetched.exchanges.map(({ request, response }) => {
      const body = parseJson(response.body)
      const lists = subject.lists.filter((list) => list.pull === fetched.pull.name && !list.isAuxiliary)
      for (const list of lists) list.rows(body, request)?.splice(FEW_ROWS)
      return { request, response: { ...response, body: new TextEncoder().encode(JSON.stringify(body)) } }
    }),
  }))
}

/** Copies of the rows of a list on a page. */
export function rowsOf(list: List, { exchanges }: FetchedPage): Row[] {
  return exchanges.flatMap(({ request, response }) => (list.rows(parseJson(response.body), request) ?? []).filter((row) => isRow(row)))
}

/**
 * Fetches the page again with the answers changed by `edit`, which gets the row and its array; returns the outcome.
 * Null if the edit made no difference.
 */
export async function fetchEdited(
  source: Source,
  session: Session,
  { list, fetched, index }: EditedRow,
  edit: (row: Row, rows: Json[]) => void,
): Promise<{ outcome: Outcome; row: Row } | null> {
  const altered = new Map<HttpResponse, HttpResponse>()
  let passed = 0
  let spoiledRow: Row | null = null
  for (const { request, response } of fetched.exchanges) {
    const body = parseJson(response.body)
    const rows = list.rows(body, request) ?? []
    const row = rows.filter((each) => isRow(each))[index - passed]
    passed += rows.filter((each) => isRow(each)).length
    if (spoiledRow !== null || row === undefined) continue
    const before = JSON.stringify(body)
    edit(row, rows)
    if (JSON.stringify(body) === before) return null
    spoiledRow = row
    altered.set(response, { ...response, body: new TextEncoder().encode(JSON.stringify(body)) })
  }
  if (spoiledRow === null) throw new Error(`no row ${index} in ${list.pull}`)
  const kit = replayKit(session.kit, fetched.exchanges, (answer) => altered.get(answer) ?? answer)
  const page = await fetchPage({ ...session, kit }, fetched.pull, fetched.cursor)
  return { outcome: normalize(source, [page]), row: spoiledRow }
}

/** Paths of all properties of a row, nested ones included; only the first element of an array. */
export function pathsIn(value: Json, depth = 4): string[][] {
  if (depth === 0 || typeof value !== 'object' || value === null) return []
  const entries = Array.isArray(value) ? value.slice(0, 1).map((each, place) => [String(place), each] as const) : Object.entries(value)
  return entries.flatMap(([name, each]) => [[name], ...pathsIn(each, depth - 1).map((path) => [name, ...path])])
}

/** Sets the value at a path; `undefined` removes the property. Returns false if the path does not exist. */
export function setAt(row: Row, path: readonly string[], value: Json | undefined): boolean {
  const [last = '', ...above] = [...path].reverse()
  let place: Json = row
  for (const name of above.reverse()) {
    const next: Json | undefined = childOf(place, name)
    if (next === undefined) return false
    place = next
  }
  if (typeof place !== 'object' || place === null) return false
  if (Array.isArray(place)) {
    if (value === undefined) place.splice(Number(last), 1)
    else place[Number(last)] = value
  } else if (value === undefined) delete place[last]
  else place[last] = value
  return true
}

export function valueAt(row: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, name) => (value === undefined ? undefined : childOf(value, name)), row)
}

function childOf(value: Json, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return Array.isArray(value) ? value[Number(name)] : value[name]
}

function isRow(row: Json): row is Row {
  return typeof row === 'object' && row !== null && !Array.isArray(row)
}
