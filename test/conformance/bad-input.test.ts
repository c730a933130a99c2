import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Kit, Session } from '../../src/connectors/contract/contract.ts'
import type { Json } from '../../src/model/values/json.ts'
import { unbalanced } from './entries.ts'
import { editableRows, fetchEdited, pathsIn, rowsOf, setAt, truncatePages, valueAt } from './row-edits.ts'
import {
  contentsOf,
  type FetchedPage,
  failureOf,
  fetchPage,
  kindOf,
  normalize,
  type Outcome,
  readAllPulls,
  replayKit,
  schemaProblem,
} from './run.ts'
import { listSourceRows, missingRows, namesOf, parseJson, type SourceRow } from './source-rows.ts'
import type { List, Opened, Row, Size } from './subject.ts'
import { httpSubjects, isInapplicable } from './subjects.ts'

const NEW_WORD = 'CONFORMANCE_WORD'
const ALWAYS = 10_000
/** Values of the wrong type or meaning; `undefined` removes the property. */
const WRONG: readonly (Json | undefined)[] = [undefined, null, {}, 'wrong', 987_654_321, true]

/** A row as the source gave it, the outcome of its page, and all rows of the page. */
interface Undamaged {
  list: List
  row: Row
  base: Outcome
  shown: readonly SourceRow[]
}

describe.each(httpSubjects.map((each) => [each.description.key, each] as const))('%s', (_key, source) => {
  const { connector, subject } = source
  const harnesses: Opened[] = []
  let session: Session
  let pages: FetchedPage[]
  afterAll(async () => {
    await Promise.all(harnesses.splice(0).map((each) => each.close()))
  })
  beforeAll(async () => {
    const opened = await open('small')
    session = opened.session
    pages = await readAll(session)
  })

  async function open(size: Size): Promise<Opened> {
    const opened = await subject.open(size)
    harnesses.push(opened)
    return opened
  }

  const readAll = (by: Session) => readAllPulls(by, connector.pulls)

  /**
   * Pages reduced to a few rows, as the source would have returned them; pages that state their number of rows are
   * unchanged.
   */
  async function short(): Promise<FetchedPage[]> {
    const all: FetchedPage[] = []
    for (const [place, { pull, cursor, exchanges }] of truncatePages(source, pages).entries()) {
      const kit = replayKit(session.kit, exchanges, (answer) => answer)
      const failure = await failureOf(async () => all.push(await fetchPage({ ...session, kit }, pull, cursor)))
      if (failure !== null) all.push(...pages.slice(place, place + 1))
    }
    return all
  }

  /** Problems of an outcome in which one row was damaged. */
  function problemsOf({ list, row: before, base, shown }: Undamaged, after: Outcome, row: Row): string[] {
    const touched = new Set([before, row].flatMap((each) => namesOf({ list, row: each }, shown)))
    const isTouched = ({ origId, entryId }: { origId: string | null; entryId?: string | null }) =>
      touched.has(origId ?? '') || touched.has(entryId ?? '')
    const problems = [...after.delivered.values()].flatMap((record) => schemaProblem(source, record) ?? [])
    problems.push(...unbalanced(after).map((entry) => `entry ${entry} does not balance`))
    if (list.isAuxiliary) return problems
    const ofOthers = (outcome: Outcome) => [...outcome.delivered.values()].filter((record) => !isTouched(record))
    const kept = new Set(ofOthers(after).map(({ content }) => content))
    const changed = ofOthers(base).filter(({ content }) => !kept.has(content))
    if (changed.length > 0) problems.push(`changed ${changed.length} others`)
    const linesOf = (outcome: Outcome) => [...outcome.delivered.values()].filter(isTouched).length
    const isSetAside = after.setAside.length > base.setAside.length || after.setAside.some(isTouched)
    if (!isSetAside && linesOf(after) < linesOf(base)) problems.push('lost the row')
    return problems
  }

  test('a wrong or missing property sets aside at most that one record: the others survive, and nothing is lost', async () => {
    const wrong: string[] = []
    for (const target of editableRows(source, await short(), () => true)) {
      const { list, fetched, index } = target
      const row = rowsOf(list, fetched)[index] ?? {}
      const undamaged = { list, row, base: normalize(source, [fetched]), shown: listSourceRows(subject, [fetched]) }
      for (const path of pathsIn(row)) {
        for (const value of WRONG) {
          if (typeof valueAt(row, path) === typeof value && value !== null) continue
          const place = `${list.pull} ${path.join('.')} = ${JSON.stringify(value)}`
          const failure = await failureOf(async () => {
            const after = await fetchEdited(source, session, target, (each) => void setAt(each, path, value))
            if (after) wrong.push(...problemsOf(undamaged, after.outcome, after.row).map((problem) => `${place}: ${problem}`))
          })
          if (failure !== null && !(list.isAuxiliary && kindOf(failure) === 'badData')) wrong.push(`${place}: ${kindOf(failure)}`)
        }
      }
    }
    expect(wrong.join('\n')).toBe('')
  })

  test.each([
    ['absent', undefined],
    ['null', null],
  ] as const)('a record whose optional properties are all %s is delivered', async (_what, value) => {
    const wrong: string[] = []
    for (const target of editableRows(
      source,
      pages,
      (row, list) => !list.isAuxiliary && list.required.every((name) => row[name] !== undefined),
    )) {
      const { list, fetched } = target
      const after = await fetchEdited(source, session, target, (row) => {
        for (const name of Object.keys(row)) if (!list.required.includes(name)) setAt(row, [name], value)
      })
      const shown = listSourceRows(subject, [fetched])
      // The row has no such property.
      if (after === null) continue
      const names = after ? namesOf({ list, row: after.row }, shown) : []
      const isDelivered =
        after &&
        [...after.outcome.delivered.values()].some(({ origId, entryId }) => names.includes(origId) || names.includes(entryId ?? ''))
      if (!isDelivered) wrong.push(`${list.entity} of ${list.pull}: ${after?.outcome.setAside.map(({ reason }) => reason).join(', ')}`)
    }
    expect(wrong.join('\n')).toBe('')
  })

  const words = subject.lists.flatMap((list) => Object.entries(list.words ?? {}).map(([path, field]) => [path, field, list] as const))
  test.each(words)('an unknown enum value in %s is kept in %s, and counted if it should have had a meaning', async (path, field, list) => {
    const [target] = editableRows(
      { ...source, subject: { ...subject, lists: [list] } },
      pages,
      (row) => !list.isHeading?.(row) && Boolean(valueAt(row, path.split('.'))),
    )
    if (!target) throw new Error(`no row has ${path}`)
    const after = await fetchEdited(source, session, target, (row) => void setAt(row, path.split('.'), NEW_WORD))
    const documents = [...(after?.outcome.delivered.values() ?? [])].map(({ doc }) => doc[field])
    expect(documents).toContain(NEW_WORD)
    if (field.endsWith('App')) expect(after?.outcome.unmapped.map(({ word }) => word)).toContain(NEW_WORD)
  })

  test('an unknown property changes nothing', async () => {
    for (const target of editableRows(source, pages, () => true)) {
      const after = await fetchEdited(source, session, target, (row) => void setAt(row, ['conformanceExtra'], { deep: [1, null] }))
      if (after) expect(contentsOf(after.outcome)).toEqual(contentsOf(normalize(source, [target.fetched])))
    }
  })

  test.each([[null], ['text'], [7], [[]]] as Json[][])(
    'a row that is %j instead of a record is set aside or refused, never skipped',
    async (nonsense) => {
      for (const target of editableRows(source, pages, (_row, list) => !list.isAuxiliary)) {
        const base = normalize(source, [target.fetched])
        const failure = await failureOf(async () => {
          const after = await fetchEdited(source, session, target, (_row, rows) => void rows.splice(1, 0, nonsense ?? null))
          if (after) expect(after.outcome.setAside.length).toBeGreaterThan(base.setAside.length)
        })
        if (failure !== null) expect(kindOf(failure)).toBe('badData')
      }
    },
  )

  test.each(['small', 'long'] as const)('rows repeated on the next page change nothing: %s', async (size) => {
    const { session: live } = await open(size)
    const base = normalize(source, await readAll(live))
    const again = normalize(source, await readAll({ ...live, kit: repeatingRows(live.kit, subject.lists) }))
    const known = new Set(contentsOf(base))
    expect([...again.delivered.values()].length).toBe(base.delivered.size)
    expect(
      [...again.delivered.values()].filter(({ entity, content }) => !known.has(`${entity} ${content}`)).map(({ origId }) => origId),
    ).toEqual([])
  })

  if (!isInapplicable(subject.repeatedPage))
    test.each([
      ['once', 'small', 1],
      ['once', 'long', 1],
      ['for ever', 'small', ALWAYS],
      ['for ever', 'long', ALWAYS],
    ] as const)('a page that repeats %s ends, and loses nothing silently: %s', async (_how, size, times) => {
      const opened = await open(size)
      const base = normalize(source, await readAll(opened.session))
      opened.fault(String(subject.repeatedPage), times)
      const failure = await failureOf(async () => {
        const again = await readAll(opened.session)
        const outcome = normalize(source, again)
        expect([...base.delivered.keys()].filter((key) => !outcome.delivered.has(key))).toEqual([])
        expect(missingRows(listSourceRows(subject, again), outcome)).toEqual([])
      })
      if (failure !== null) expect(kindOf(failure)).toBe('badData')
    })
})

/**
 * Prepends the last row of each answer to the next answer of the same list, as happens when a list shifts while it is
 * read.
 */
function repeatingRows(live: Kit, lists: readonly List[]): Kit {
  const last = new Map<string, Json>()
  return {
    ...live,
    http: async (request) => {
      const response = await live.http(request)
      const body = parseJson(response.body)
      for (const [number, list] of lists.entries()) {
        // Several listings may be read at once, so rows are carried over within one listing only.
        const listing = `${number} ${new URL(request.url).pathname}`
        const rows = list.rows(body, request)
        const final = rows?.at(-1)
        if (!rows || final === undefined) continue
        const carried = last.get(listing)
        if (carried !== undefined && JSON.stringify(rows[0]) !== JSON.stringify(carried)) rows.unshift(carried)
        last.set(listing, final)
      }
      return { ...response, body: new TextEncoder().encode(JSON.stringify(body)) }
    },
  }
}
