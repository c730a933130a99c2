import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Answers, type Connector, type Page, type Session, SourceError } from '../contract/contract.ts'
import { checkByRefusedGrant } from '../toolkit/app-check.ts'
import { authorization, refreshCredentials, secretOf } from './authorization.ts'
import { groupLines, orderRows } from './entries.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { CONTEXT, LIST, listName, readAccounts, readList, readPostings, rowId } from './read.ts'
import { type Answer, companyUrl, findAnswer, getAnswer, readCurrency } from './request.ts'
import { answerHandshake, readWebhook, subscribe } from './webhook.ts'
import { AccountWire, PostingWire } from './wire.ts'

/** Without `netChange`, which the server would add up for each account. */
const ACCOUNT_FIELDS = 'id,number,displayName,category,subCategory,blocked,accountType,directPosting,lastModifiedDateTime'

/** Business Central gives 20,000 at most; fewer keep an answer within the size that the kit takes. */
const ACCOUNT_ROWS = 5_000
const LEDGER_ROWS = 5_000

/** An entry of more lines than so many answers hold is set aside. */
const MAX_ANSWERS = 8

/** How often a listing that moved under our hands is begun anew before the run gives up. */
const MAX_RESTARTS = 2

/** The whole ledger is read again when the last time is this long ago: it heals what reading by number cannot see. */
const WHOLE_LEDGER_MS = 7 * 86_400_000

const Nullable = Type.Union([Type.String(), Type.Null()])

const AccountCursor = Type.Object({
  /** The query of `@odata.nextLink`; null for the first page. */
  query: Nullable,
  /** First id of the page before: a page that begins with it is that page once more. */
  firstId: Nullable,
  restarts: Type.Integer({ minimum: 0 }),
  currencyCode: Nullable,
})

const LedgerCursor = Type.Object({
  mode: Type.Union([Type.Literal('complete'), Type.Literal('changes')]),
  /** Entry number behind which the page begins. */
  after: Type.Integer(),
  /** When the last complete listing began, ISO 8601. */
  wholeSince: Type.String(),
  /** Whether a page of this run was read already. */
  isUnderWay: Type.Boolean(),
  restarts: Type.Integer({ minimum: 0 }),
  currencyCode: Nullable,
})
type LedgerCursor = Static<typeof LedgerCursor>

/** What a run leaves to the next one. */
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

/** Always the whole chart: a list of what changed since would not tell of deleted accounts. */
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
    // A link that is too old is refused as a bad request.
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
  const answers = { [LIST]: answer.bytes, [CONTEXT]: toBytes({ currencyCode: at.currencyCode }) }
  return { answers, next: next === null ? null : { ...at, query: queryOf(next), firstId }, listing: 'complete' }
}

/**
 * Pages in the order of entry numbers, each asked for by the number behind which it begins, so that nothing can shift. A page ends with a
 * whole entry. Posted entries never change, so a run asks only for those behind the last number; once a week it reads them all.
 */
async function fetchLedger(session: Session, cursor: Json | null): Promise<Page> {
  const at = await startLedger(session, cursor)
  const answers: Answers = { [CONTEXT]: toBytes({ currencyCode: at.currencyCode, after: at.after }) }
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

/** Null for a person who may read the chart but not the ledger: what another one read before stays. */
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

/** Only a ledger that was closed from the start counts as none: half a listing must not look like a whole one. */
function refusedLedger(at: LedgerCursor, part: number): Page {
  if (part > 0 || at.isUnderWay) throw new SourceError('reconnect', 'Business Central closed the ledger while it was read')
  return { answers: {}, next: null, listing: 'changes' }
}

function lastPage(at: LedgerCursor, answers: Answers, position: number): Page {
  return { answers, next: null, resume: { after: position, wholeSince: at.wholeSince }, listing: at.mode }
}

/** The source gave what was read before, or nothing although there is more: the page is asked for again and this answer not kept. */
function repeatPage(at: LedgerCursor): Page {
  return { answers: {}, next: { ...at, restarts: countRestart(at.restarts) }, listing: at.mode }
}

function countRestart(restarts: number): number {
  if (restarts >= MAX_RESTARTS) throw new SourceError('badData', `the listing moved while it was read, ${restarts + 1} times`)
  return restarts + 1
}

/** Only the query of the link is followed: the address stays ours. */
function queryOf(next: string): string {
  const query = URL.canParse(next) ? new URL(next).search : ''
  if (query === '' || query.length > 4_000) throw new SourceError('badData', 'Business Central answered an unreadable nextLink')
  return query
}

function toBytes(value: Json): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

function foreignCursor(): SourceError {
  return new SourceError('badData', 'the stored cursor is not one of this connector')
}
