import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Answers, type HttpResponse, type Page, type Session, SourceError } from '../contract/contract.ts'
import { countRestart, cursorReader } from '../toolkit/cursors.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { fetchCurrencies } from './currencies.ts'
import { hasFault, toSourceError } from './errors.ts'
import { LIST } from './read.ts'
import { callOrganization } from './request.ts'
import { listRows, textAt } from './rows.ts'
import { PageContextWire } from './wire.ts'

/** Maximum page size of Zoho. */
const ROWS = 200

const Cursor = Type.Object({
  /** Phase: pages are read, and (when there are several) checked once more. */
  phase: Type.Union([Type.Literal('read'), Type.Literal('check')]),
  page: Type.Integer({ minimum: 1 }),
  /** First row of the previous page: a page that begins with it is a repetition. */
  firstId: Type.Union([Type.String(), Type.Null()]),
  /** Digest of the ids so far in this phase. */
  digest: Type.String(),
  /** Expected digest while checking: that of the read phase. */
  expected: Type.String(),
  restarts: Type.Integer({ minimum: 0 }),
})
type Cursor = Static<typeof Cursor>

const toCursor = cursorReader(Cursor)
const isPageContext = Compile(PageContextWire)

const START: Cursor = { phase: 'read', page: 1, firstId: null, digest: '', expected: '', restarts: 0 }

/**
 * One page of every account, inactive ones too: without the filter Zoho lists active ones only. Pages are numbered, so
 * an account deleted or renamed during pagination would hide a neighbour: several pages are checked again after the
 * last one, and when they differ, the listing restarts.
 * Source: https://www.zoho.com/books/api/v3/chart-of-accounts/#list-chart-of-accounts
 */
export async function fetchAccounts(session: Session, cursor: Json | null): Promise<Page> {
  const at = toCursor(cursor ?? START)
  const { response, rows, ids, given, hasMore } = await listPage(session, at.page)
  const firstId = ids[0] ?? null
  const isRepeated = (given !== null && given !== at.page) || (firstId !== null && firstId === at.firstId)
  if (isRepeated) return { answers: {}, listing: 'complete', next: restart(at.restarts) }
  const answers: Answers = at.phase === 'read' ? { [LIST]: response.body, ...(await fetchCurrencies(session, rows)) } : {}
  const page = { answers, listing: 'complete' } as const
  const digest = createHash('sha256')
    .update(JSON.stringify([at.digest, ...ids]))
    .digest('base64url')
  if (hasMore) return { ...page, next: { ...at, page: at.page + 1, firstId, digest } }
  if (at.phase === 'read') {
    return { ...page, next: at.page === 1 ? null : { ...START, phase: 'check', expected: digest, restarts: at.restarts } }
  }
  return { ...page, next: digest === at.expected ? null : restart(at.restarts) }
}

async function listPage(
  session: Session,
  page: number,
): Promise<{ response: HttpResponse; rows: Json[]; ids: (string | null)[]; given: number | null; hasMore: boolean }> {
  const what = 'the list of accounts'
  const query = { page: String(page), per_page: String(ROWS), filter_by: 'AccountType.All', sort_column: 'account_name' }
  const response = await callOrganization(session, 'chartofaccounts', query)
  if (hasFault(response)) throw toSourceError(response, what, session.kit.now())
  const body = await responseJson(response, what)
  const rows = listRows(body, 'chartofaccounts')
  if (!isPageContext.Check(body)) throw new SourceError('badData', 'Zoho answered a list that does not say whether it goes on')
  const { page: given, has_more_page: hasMore } = body.page_context
  return { response, rows, ids: rows.map((row) => textAt(row, 'account_id')), given: given ?? null, hasMore }
}

function restart(restarts: number): Json {
  return { ...START, restarts: countRestart(restarts) }
}
