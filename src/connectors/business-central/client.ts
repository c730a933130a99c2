import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Answers, type Connector, type Page, type Session, SourceError } from '../contract/contract.ts'
import { countRestart, foreignCursor, MAX_RESTARTS } from '../toolkit/cursors.ts'
import { jsonBytes } from '../toolkit/http/answers.ts'
import { checkByRefusedGrant } from '../toolkit/oauth/app-check.ts'
import { authorization, refreshCredentials, secretOf } from './authorization.ts'
import { groupLines, orderRows } from './entries.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { CONTEXT, LIST, listName, readAccounts, readList, readPostings, rowId } from './read.ts'
import { type Answer, companyUrl, findAnswer, getAnswer, readCurrency } from './request.ts'
import { answerHandshake, readWebhook, subscribe } from './webhook.ts'
import { AccountWire, PostingWire } from './wire.ts'

/** Account fields without `netChange`, which the server would compute for each account. */
const ACCOUNT_FIELDS = 'id,number,displayName,category,subCategory,blocked,accountType,directPosting,lastModifiedDateTime'

/** Page size of accounts: Business Central's maximum is 20,000; fewer keep a response within the kit's limit. */
const ACCOUNT_ROWS = 5_000
const LEDGER_ROWS = 5_000

/** Maximum number of responses for one entry; a longer entry is set aside. */
const MAX_ANSWERS = 8

/** Interval of full ledger reads, which repair gaps that reading by entry number cannot detect. */
const WHOLE_LEDGER_MS = 7 * 86_400_000

const Nullable = Type.Union([Type.String(), Type.Null()])

const AccountCursor = Type.Object({
  /** Query of `@odata.nextLink`; null for the first page. */
  query: Nullable,
  /** First id of the previous page: a page that begins with it is a repetition. */
  firstId: Nullable,
  restarts: Type.Integer({ minimum: 0 }),
  currencyCode: Nullable,
})

const LedgerCursor = Type.Object({
  mode: Type.Union([Type.Literal('complete'), Type.Literal('changes')]),
  /** Entry number after which the page begins. */
  after: Type.Integer(),
  /** Start of the last complete listing, ISO 8601. */
  wholeSince: Type.String(),
  /** Whether a page of this run was already read. */
  isUnderWay: Type.Boolean(),
  restarts: Type.Integer({ minimum: 0 }),
  currencyCode: Nullable,
})
type LedgerCursor = Static<typeof LedgerCursor>

/** Resume cursor of the next run. */
const LedgerResume = Type.Object({ after: Type.Integer(), wholeSince: Type.String() })

const isAccountCursor = Compile(AccountCursor)
const isLedgerCursor = Compile(LedgerCursor)
const isLedgerResume = Compile(LedgerResume)

export const businessCentralConnector: Connector = {
  authorize: authorization,
  checkApp: checkByRefusedGrant(refreshCredentials, { tenantId: 'organizations', environment: '', companyId: '' }),
  refreshCredentials,
  pulls: [
    { name: 'accounts', delivers: ['Accounts'], fetch: fetchAccounts, read: readAccounts },
    { name: 'generalLedgerEntries', delivers: ['Transactions'], fetch: fetchLedger, read: readPostings },
  ],
  entities: {
    Accounts: { wire: AccountWire, map: accountMapping },
    Transactions: { wire: PostingWire, map: transactionMapping },
  },
  readWebhook,
  answerHandshake,
  subscribe,
}

/** Always the whole chart of accounts: a list of changes would not include deleted accounts. */
async function fetchAccounts(session: Session, cursor: Json | null): Promise<Page> {
  const secret = secretOf(session.credentials)
  const at = cursor ?? { query: null, firstId: null, restarts: 0, currencyCode: await readCurrency(session.kit, secret) }
  if (!isAccountCursor.Check(at)) throw foreignCursor()
  const query = at.query ?? `?${new URLSearchParams({ $select: ACCOUNT_FIELDS })}`
  const call = {
    accessToken: secret.accessToken,
    url: `${companyUrl(session.kit, secret)}/accounts${query}`,
    what: 'the list of accounts',
    rows: ACCOUNT_ROWS,
  }
  const restarted: Page = { answers: {}, next: { ...at, query: null, firstId: null, restarts: at.restarts + 1 }, listing: 'complete' }
  const answer = await getAnswer(session.kit, call).catch((error: unknown) => {
    // An expired link is refused as a bad request.
    if (at.query === null || at.restarts >= MAX_RESTARTS || !(error instanceof SourceError) || error.kind !== 'badData') throw error
    return null
  })
  if (answer === null) return restarted
  const { rows, next } = readList(answer.body)
  const firstId = rowId(rows[0])
  const isRepeated = at.query !== null && (rows.length === 0 ? next !== null : firstId !== null && firstId === at.firstId)
  if (isRepeated) {
    countRestart(at.restarts)
    return restarted
  }
  const answers = { [LIST]: answer.bytes, [CONTEXT]: jsonBytes({ currencyCode: at.currencyCode }) }
  return { answers, next: next === null ? null : { ...at, query: queryOf(next), firstId }, listing: 'complete' }
}

/**
 * Ledger pages in the order of entry numbers, each requested by the number after which it begins, so that nothing can
 * shift. A page ends with a complete entry. Posted entries never change, so a run requests only those after the last
 * number; once a week it reads them all.
 */
async function fetchLedger(session: Session, cursor: Json | null): Promise<Page> {
  const at = await startLedger(session, cursor)
  const answers: Answers = { [CONTEXT]: jsonBytes({ currencyCode: at.currencyCode, after: at.after }) }
  const rows: Json[] = []
  let position = at.after
  for (let part = 0; part < MAX_ANSWERS; part++) {
    const answer = await findLedger(session, position)
    if (answer === null) return refusedLedger(at, part)
    const list = readList(answer.body)
    const fresh = orderRows(list.rows, position)
    if (fresh.length === 0 && (list.rows.length > 0 || list.next !== null)) return repeatPage(at)
    answers[listName(part)] = answer.bytes
    rows.push(...list.rows)
    position = fresh.at(-1)?.entryNumber ?? position
    if (list.next === null) return lastPage(at, answers, position)
    const whole = groupLines(orderRows(rows, at.after)).entries.at(-1)
    if (whole) return { answers, next: { ...at, after: whole.last, isUnderWay: true }, listing: at.mode }
  }
  return { answers, next: { ...at, after: position, isUnderWay: true }, listing: at.mode }
}

async function startLedger(session: Session, cursor: Json | null): Promise<LedgerCursor> {
  if (isLedgerCursor.Check(cursor)) return cursor
  if (cursor !== null && !isLedgerResume.Check(cursor)) throw foreignCursor()
  const now = session.kit.now()
  const currencyCode = await readCurrency(session.kit, secretOf(session.credentials))
  if (cursor === null || now.getTime() - Date.parse(cursor.wholeSince) >= WHOLE_LEDGER_MS) {
    return { mode: 'complete', after: 0, wholeSince: now.toISOString(), isUnderWay: false, restarts: 0, currencyCode }
  }
  return { mode: 'changes', ...cursor, isUnderWay: false, restarts: 0, currencyCode }
}

/** Null for a person who may read the chart but not the ledger: data from an earlier person is kept. */
async function findLedger(session: Session, after: number): Promise<Answer | null> {
  const secret = secretOf(session.credentials)
  const query = new URLSearchParams({ $filter: `entryNumber gt ${after}`, $orderby: 'entryNumber' })
  return await findAnswer(session.kit, {
    accessToken: secret.accessToken,
    url: `${companyUrl(session.kit, secret)}/generalLedgerEntries?${query}`,
    what: 'the list of ledger entries',
    rows: LEDGER_ROWS,
  })
}

/**
 * A ledger counts as inaccessible only if it was so from the first page: a partial listing must not be taken for a
 * complete one.
 */
function refusedLedger(at: LedgerCursor, part: number): Page {
  if (part > 0 || at.isUnderWay) throw new SourceError('reconnect', 'Business Central closed the ledger while it was read')
  return { answers: {}, next: null, listing: 'changes' }
}

function lastPage(at: LedgerCursor, answers: Answers, position: number): Page {
  return { answers, next: null, resume: { after: position, wholeSince: at.wholeSince }, listing: at.mode }
}

/**
 * Repeated page, or an empty one although more rows exist: the page is requested again and this response is not kept.
 */
function repeatPage(at: LedgerCursor): Page {
  return { answers: {}, next: { ...at, restarts: countRestart(at.restarts) }, listing: at.mode }
}

/** Only the query of the link is used: the host and path are always ours. */
function queryOf(next: string): string {
  const query = URL.canParse(next) ? new URL(next).search : ''
  if (query === '' || query.length > 4_000) throw new SourceError('badData', 'Business Central answered an unreadable nextLink')
  return query
}
