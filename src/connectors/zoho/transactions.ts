import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Answers, type HttpResponse, type Page, type Session, SourceError } from '../contract/contract.ts'
import { countRestart, foreignCursor } from '../toolkit/cursors.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { hasFault, isGone, isRefusal, toSourceError } from './errors.ts'
import { DRAFT, journalAnswer, LIST, REFUSED, readJournal } from './read.ts'
import { callOrganization } from './request.ts'
import { listRows, textAt } from './rows.ts'
import { PageContextWire } from './wire.ts'

/** Page size of the check phase: Zoho's maximum. */
const LOOK_ROWS = 200

/**
 * Page size: each journal costs a call, and a page is stored as a whole, so it must fit well within the 100 calls of a
 * minute.
 */
const READ_ROWS = 20

/**
 * `look` lists everything before anything is read, and after: the digest of its ids and changes shows whether there are
 * changes, and whether the data stayed the same during reading. The resume cursor of a run is the digest alone.
 */
const Cursor = Type.Object({
  phase: Type.Union([Type.Literal('look'), Type.Literal('read')]),
  page: Type.Integer({ minimum: 1 }),
  /** Digest of the pages listed so far. */
  digest: Type.String(),
  /** Digest of the data as last read; null before the first reading. */
  known: Type.Union([Type.String(), Type.Null()]),
  /** First row of the previous page in this phase: a page that begins with it is a repetition. */
  firstId: Type.Union([Type.String(), Type.Null()]),
  /** Reading has been done in this run. */
  isRead: Type.Boolean(),
  restarts: Type.Integer({ minimum: 0 }),
})
type Cursor = Static<typeof Cursor>

const isCursor = Compile(Cursor)
const isResume = Compile(Type.Object({ known: Type.String() }))
const isPageContext = Compile(PageContextWire)

const NOTHING = ''
const START: Cursor = { phase: 'look', page: 1, digest: NOTHING, known: null, firstId: null, isRead: false, restarts: 0 }

/**
 * Manual journals. The list has no lines, so each journal is requested: when the list equals that of the previous run
 * (the same ids, changed at the same times), nothing is requested and nothing returned, since nothing was edited, added
 * or deleted; otherwise all are read again. Reading takes minutes in large books: a list that differs afterwards is
 * read again.
 * Source: https://www.zoho.com/books/api/v3/journals/
 */
export async function fetchJournals(session: Session, cursor: Json | null): Promise<Page> {
  if (cursor === null) return await look(session, START)
  if (isCursor.Check(cursor)) return cursor.phase === 'look' ? await look(session, cursor) : await read(session, cursor)
  if (isResume.Check(cursor)) return await look(session, { ...START, known: cursor.known })
  throw foreignCursor()
}

async function look(session: Session, at: Cursor): Promise<Page> {
  const { response, rows, hasMore, isPermitted, isOther, firstId } = await listPage(session, at, LOOK_ROWS)
  if (!isPermitted) {
    const resume = at.known === null ? {} : { resume: { known: at.known } }
    return { answers: { [REFUSED]: response.body }, next: null, listing: 'changes', ...resume }
  }
  const quiet = { answers: {}, listing: at.isRead ? 'complete' : 'changes' } as const
  if (isOther) return { ...quiet, next: restart(at, { phase: 'look' }) }
  const digest = createHash('sha256')
    .update(JSON.stringify([at.digest, ...rows.map(toMark)]))
    .digest('base64url')
  if (hasMore) return { ...quiet, next: { ...at, page: at.page + 1, digest, firstId } }
  if (digest === at.known) return { ...quiet, next: null, resume: { known: digest } }
  const reading = { phase: 'read', known: digest, isRead: false } as const
  return { ...quiet, next: at.isRead ? restart(at, reading) : { ...at, page: 1, digest: NOTHING, firstId: null, ...reading } }
}

async function read(session: Session, at: Cursor): Promise<Page> {
  const { response, rows, hasMore, isPermitted, isOther, firstId } = await listPage(session, at, READ_ROWS)
  if (!isPermitted) throw new SourceError('reconnect', 'Zoho no longer lets the journals be read')
  const answers: Answers = { [LIST]: response.body }
  for (const row of rows) {
    const journalId = textAt(row, 'journal_id')
    if (journalId === null || textAt(row, 'status') === DRAFT) continue
    const body = await getJournal(session, journalId)
    if (body) answers[journalAnswer(journalId)] = body
  }
  const page = { answers, listing: 'complete' } as const
  if (isOther) return { ...page, next: restart(at, { phase: 'read' }) }
  if (hasMore) return { ...page, next: { ...at, page: at.page + 1, firstId } }
  return { ...page, next: { ...at, phase: 'look', page: 1, digest: NOTHING, firstId: null, isRead: true } }
}

/** Returns null if it was deleted since it was listed; the next listing will differ. */
async function getJournal(session: Session, journalId: string): Promise<Uint8Array | null> {
  const what = 'a journal'
  const response = await callOrganization(session, `journals/${encodeURIComponent(journalId)}`)
  if (isGone(response)) return null
  if (hasFault(response)) throw toSourceError(response, what, session.kit.now())
  readJournal(await responseJson(response, what))
  return response.body
}

function restart(at: Cursor, changes: Partial<Cursor>): Cursor {
  return { ...at, page: 1, digest: NOTHING, firstId: null, restarts: countRestart(at.restarts), ...changes }
}

/** Mark that changes with every change of a journal. */
function toMark(row: Json): Json {
  return [textAt(row, 'journal_id'), textAt(row, 'last_modified_time'), textAt(row, 'status')]
}

interface Listed {
  response: HttpResponse
  rows: Json[]
  hasMore: boolean
  /** False: the token is valid, but has no access to journals. */
  isPermitted: boolean
  /** True for a page other than the requested one. */
  isOther: boolean
  firstId: string | null
}

async function listPage(session: Session, at: Cursor, perPage: number): Promise<Listed> {
  const what = 'the list of journals'
  const query = { page: String(at.page), per_page: String(perPage), filter_by: 'JournalDate.All', sort_column: 'journal_date' }
  const response = await callOrganization(session, 'journals', query)
  if (isRefusal(response) && (await isTokenGood(session))) {
    return { response, rows: [], hasMore: false, isPermitted: false, isOther: false, firstId: null }
  }
  if (hasFault(response)) throw toSourceError(response, what, session.kit.now())
  const body = await responseJson(response, what)
  const rows = listRows(body, 'journals')
  if (!isPageContext.Check(body)) throw new SourceError('badData', 'Zoho answered a list that does not say whether it goes on')
  const { page: given, has_more_page: hasMore } = body.page_context
  const firstId = textAt(rows[0], 'journal_id')
  const isOther = (typeof given === 'number' && given !== at.page) || (firstId !== null && firstId === at.firstId)
  return { response, rows, hasMore, isPermitted: true, isOther, firstId }
}

/** Code 57 means an expired token or a role without access to journals; the chart needs the same scope. */
async function isTokenGood(session: Session): Promise<boolean> {
  return !hasFault(await callOrganization(session, 'chartofaccounts', { page: '1', per_page: '1' }))
}
