import type { Json } from '../../src/model/values/json.ts'
import { type FetchedPage, keyOf, type Outcome } from './run.ts'
import type { List, Row, Subject } from './subject.ts'

/** A row of the source with its list. */
export interface SourceRow {
  list: List
  row: Row
}

/** Every row in the answers of these pages, by list, taken without the connector. */
export function listSourceRows(subject: Subject, pages: readonly FetchedPage[]): SourceRow[] {
  return pages.flatMap(({ pull, exchanges }) =>
    exchanges.flatMap(({ request, response }) => {
      const body = parseJson(response.body)
      return subject.lists
        .filter((list) => list.pull === pull.name)
        .flatMap((list) => (list.rows(body, request) ?? []).filter(isRow).map((row) => ({ list, row })))
    }),
  )
}

/** Rows that yielded neither a record nor a reason. */
export function missingRows(shown: readonly SourceRow[], outcome: Outcome): string[] {
  const found = new Set<string>()
  for (const { entity, origId, entryId } of outcome.delivered.values()) {
    found.add(keyOf(entity, origId))
    if (entryId !== null) found.add(keyOf(entity, entryId))
  }
  for (const { entity, origId } of outcome.setAside) if (origId !== null) found.add(keyOf(entity, origId))
  return shown
    .filter(({ list, row }) => !list.isAuxiliary && !list.isLeftOut?.(row))
    .map((each) => ({ ...each, names: namesOf(each, shown) }))
    .filter(({ list, names }) => !names.some((name) => found.has(keyOf(list.entity, name))))
    .map(({ list, names }) => `${list.entity} ${names.join(' or ')} of ${list.pull}`)
}

/** The ids that the record of a row may have, determined among the rows of its own list. */
export function namesOf({ list, row }: SourceRow, shown: readonly SourceRow[]): string[] {
  // Most lists do not need the other rows, whose search would take long for long lists.
  const rows = list.names.length < 2 ? [] : shown.filter((each) => each.list === list).map((each) => each.row)
  return list.names(row, rows)
}

export function parseJson(body: Uint8Array): Json {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as Json
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function isRow(row: Json): row is Row {
  return typeof row === 'object' && row !== null && !Array.isArray(row)
}
