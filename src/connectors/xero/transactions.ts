import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Page, type Session, SourceError } from '../contract/contract.ts'
import { countRestart, foreignCursor } from '../toolkit/cursors.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { mayReadJournals } from './authorization.ts'
import { isNotPermitted, toSourceError } from './errors.ts'
import { BASE, listRows, REFUSED, textAt } from './read.ts'
import { get, readBase } from './request.ts'

const MANUAL_PAGE_SIZE = 100

/** Last journal that was read: the next page must begin with it. Also the resume cursor of the next run. */
const JournalCursor = Type.Object({
  source: Type.Literal('journals'),
  number: Type.Integer({ minimum: 0 }),
  lastId: Type.Union([Type.String(), Type.Null()]),
  listing: Type.Union([Type.Literal('complete'), Type.Literal('changes')]),
  restarts: Type.Integer({ minimum: 0 }),
  base: Type.Union([Type.String(), Type.Null()]),
})
type JournalCursor = Static<typeof JournalCursor>

const ManualCursor = Type.Object({
  source: Type.Literal('manual'),
  page: Type.Integer({ minimum: 1 }),
  /** First row of the previous page: a page that begins with it is a repetition. */
  firstId: Type.Union([Type.String(), Type.Null()]),
  restarts: Type.Integer({ minimum: 0 }),
  base: Type.Union([Type.String(), Type.Null()]),
})
type ManualCursor = Static<typeof ManualCursor>

const isJournalCursor = Compile(JournalCursor)
const isManualCursor = Compile(ManualCursor)

const FIRST: JournalCursor = { source: 'journals', number: 0, lastId: null, listing: 'complete', restarts: 0, base: null }
const FIRST_MANUAL: ManualCursor = { source: 'manual', page: 1, firstId: null, restarts: 0, base: null }

/**
 * One page of the journals, which hold every posting, where the app may read them; else of the manual journals; else
 * none, which is no failure. Journals never change, so a run resumes after the last one; manual journals are all read
 * in every run.
 */
export async function fetchPostings(session: Session, cursor: Json | null): Promise<Page> {
  if (isManualCursor.Check(cursor)) return await fetchManualJournals(session, cursor)
  if (cursor !== null && !isJournalCursor.Check(cursor)) throw foreignCursor()
  if (!mayReadJournals(session.kit)) return await fetchManualJournals(session, FIRST_MANUAL)
  return await fetchJournals(session, cursor ?? FIRST)
}

/**
 * Journals after a number, the last known one included. When it is not the first, the books were reset (a demo company
 * restarts each month) and the listing restarts.
 * Source: https://developer.xero.com/documentation/api/accounting/journals
 */
async function fetchJournals(session: Session, at: JournalCursor): Promise<Page> {
  const response = await get(session, 'Journals', { offset: String(Math.max(0, at.number - 1)) })
  if (isNotPermitted(response)) {
    if (at.listing === 'changes') return { answers: { [REFUSED]: response.body }, next: null, resume: at, listing: 'changes' }
    if (at.lastId === null) return await fetchManualJournals(session, FIRST_MANUAL)
  }
  const rows = await listJournals(session, response)
  const base = at.base ?? (await baseText(session))
  const isWhole = at.lastId === null || rows[0]?.id === at.lastId
  const page = { answers: toAnswers('Journals', response, base), listing: at.listing }
  if (!isWhole) return { ...page, next: { ...FIRST, base, restarts: countRestart(at.restarts) } }
  const fresh = at.lastId === null ? rows : rows.slice(1)
  if (fresh.some(({ number }, index) => number <= (fresh[index - 1]?.number ?? at.number))) {
    throw new SourceError('badData', 'Xero answered journals out of order')
  }
  const last = fresh.at(-1)
  if (last) return { ...page, next: { ...at, number: last.number, lastId: last.id, base } }
  const hasAny = at.lastId !== null
  return { ...page, next: null, resume: hasAny ? { ...at, listing: 'changes', restarts: 0, base: null } : null }
}

/** Journals with an id and a number; one without is set aside by `readPostings`. */
async function listJournals(session: Session, response: HttpResponse): Promise<{ id: string; number: number }[]> {
  const what = 'the list of journals'
  if (response.status !== 200) throw toSourceError(response, what, session.kit.now())
  const rows = listRows(await responseJson(response, what), 'Journals')
  const known = rows.flatMap((row) => {
    const id = textAt(row, 'JournalID')
    const number = typeof row === 'object' && row !== null && !Array.isArray(row) ? row.JournalNumber : null
    return id !== null && typeof number === 'number' && Number.isSafeInteger(number) ? [{ id, number }] : []
  })
  if (rows.length > 0 && known.length === 0) throw new SourceError('badData', 'Xero answered journals without ids and numbers')
  return known
}

/**
 * Manual journals in the order of their ids: an edit moves none of them, and none is ever taken out of the list.
 * Source: https://developer.xero.com/documentation/api/accounting/manualjournals
 */
async function fetchManualJournals(session: Session, at: ManualCursor): Promise<Page> {
  const what = 'the list of manual journals'
  const query = { page: String(at.page), pageSize: String(MANUAL_PAGE_SIZE), order: 'ManualJournalID ASC' }
  const response = await get(session, 'ManualJournals', query)
  if (isNotPermitted(response) && at.page === 1) {
    return { answers: { [REFUSED]: response.body }, next: null, listing: 'changes' }
  }
  if (response.status !== 200) throw toSourceError(response, what, session.kit.now())
  const body = await responseJson(response, what)
  const rows = listRows(body, 'ManualJournals')
  const base = at.base ?? (await baseText(session))
  const { page: given, pageCount } = paginationOf(body)
  const firstId = textAt(rows[0], 'ManualJournalID')
  const page = { answers: toAnswers('ManualJournals', response, base), listing: 'complete' } as const
  const isRepeated = (given !== null && given !== at.page) || (firstId !== null && firstId === at.firstId)
  if (isRepeated) return { ...page, next: { ...FIRST_MANUAL, base, restarts: countRestart(at.restarts) } }
  const isLast = pageCount === null ? rows.length < MANUAL_PAGE_SIZE : at.page >= pageCount
  return isLast ? { ...page, next: null, resume: null } : { ...page, next: { ...at, page: at.page + 1, firstId, base } }
}

function paginationOf(body: Json): { page: number | null; pageCount: number | null } {
  const pagination = typeof body === 'object' && body !== null && !Array.isArray(body) ? body.pagination : null
  if (typeof pagination !== 'object' || pagination === null || Array.isArray(pagination)) return { page: null, pageCount: null }
  const { page, pageCount } = pagination
  return { page: typeof page === 'number' ? page : null, pageCount: typeof pageCount === 'number' ? pageCount : null }
}

/** Base currency, requested once a run; the cursor passes it to the pages after the first. */
async function baseText(session: Session): Promise<string> {
  return new TextDecoder().decode(await readBase(session))
}

function toAnswers(name: 'Journals' | 'ManualJournals', response: HttpResponse, base: string): Page['answers'] {
  return { [BASE]: new TextEncoder().encode(base), [name]: response.body }
}
