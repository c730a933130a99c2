import { type Static, Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { type Answers, type Connector, type Page, type Session, SourceError } from '../contract/contract.ts'
import { cursorReader } from '../toolkit/cursors.ts'
import { jsonBytes } from '../toolkit/http/answers.ts'
import { authorization, refreshCredentials, revoke, secretOf } from './authorization.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { accountIdOf, CONTEXT, LIST, type List, listName, readAccounts, readList, readPostings, transactionOf } from './read.ts'
import { findAnswer, getAnswer, ROWS, readFeatures } from './request.ts'
import { AccountWire, Features, PostingWire } from './wire.ts'

/** Less than any id: some records that NetSuite creates itself have negative ones. */
const BELOW_ALL = -1_000_000

/** Maximum responses for one transaction; a longer one is set aside. */
const MAX_ANSWERS = 20

/** Maximum repetitions of a request with an unexpected response before the run fails. */
const MAX_RESTARTS = 2

const Cursor = Type.Object({
  /** Accounts: the id after which the page begins. Lines: the transaction with which it begins. */
  from: Type.Integer(),
  /** Whether a page of this run was already read. */
  isUnderWay: Type.Boolean(),
  restarts: Type.Integer({ minimum: 0 }),
  features: Features,
})
type Cursor = Static<typeof Cursor>
const toCursor = cursorReader(Cursor)

export const netsuiteConnector: Connector = {
  authorize: authorization,
  refreshCredentials,
  pulls: [
    { name: 'accounts', delivers: ['Accounts'], fetch: fetchAccounts, read: readAccounts },
    { name: 'transactions', delivers: ['Transactions'], fetch: fetchLines, read: readPostings },
  ],
  entities: {
    Accounts: { wire: AccountWire, map: accountMapping },
    Transactions: { wire: PostingWire, map: transactionMapping },
  },
  disconnect: revoke,
}

/**
 * Chart of accounts in id order, each page requested by the id after which it begins, so that nothing can shift and no
 * offset grows. Columns of a disabled feature would be refused.
 */
async function fetchAccounts(session: Session, cursor: Json | null): Promise<Page> {
  const at = await startAt(session, cursor)
  const currency = at.features.hasCurrencies ? ', currency' : ''
  const sql =
    'SELECT id, acctnumber, accountsearchdisplayname, accountsearchdisplaynamecopy, fullname, accttype, sspecacct, parent, isinactive, ' +
    `issummary, description${currency} FROM account WHERE id > ${at.from} ORDER BY id`
  const { bytes, body } = await getAnswer(session.kit, secretOf(session.credentials), { sql, what: 'the query for accounts' })
  const list = readList(body)
  const ids = list.rows.map((row) => accountIdOf(row)).filter((id) => id !== null)
  if (!isAsked(list, ids, at.from + 1)) return repeatPage(at)
  const answers = { [LIST]: bytes, [CONTEXT]: jsonBytes(at.features) }
  return { answers, next: list.hasMore ? { ...at, from: Math.max(...ids), isUnderWay: true } : null, listing: 'complete' }
}

/**
 * All posted lines of the primary book in the order of transactions. A page ends with a complete transaction: one cut
 * off at the end begins the next page. Posted transactions can be edited and lose lines without a change of date, so
 * each run reads all of them.
 */
async function fetchLines(session: Session, cursor: Json | null): Promise<Page> {
  const at = await startAt(session, cursor)
  const answers: Answers = { [CONTEXT]: jsonBytes(at.features) }
  let head: string | null = null
  let first: number | null = null
  let last = at.from
  for (let part = 0; part < MAX_ANSWERS; part++) {
    const query = { sql: linesQuery(at), offset: part * ROWS, what: 'the query for accounting lines' }
    const answer = await findAnswer(session.kit, secretOf(session.credentials), query)
    if (answer === null) return hiddenLines(at, part)
    const list = readList(answer.body)
    const ids = list.rows.map((row) => transactionOf(row)).filter((id) => id !== null)
    const isHeadAgain = head !== null && head === JSON.stringify(list.rows[0])
    if (isHeadAgain || !isAsked(list, ids, at.from)) return repeatPage(at)
    answers[listName(part)] = answer.bytes
    if (!list.hasMore) return { answers, next: null, listing: 'complete' }
    head = JSON.stringify(list.rows[0])
    first ??= Math.min(...ids)
    last = Math.max(...ids)
    if (last > first) return { answers, next: { ...at, from: last, isUnderWay: true }, listing: 'complete' }
  }
  return { answers, next: { ...at, from: last + 1, isUnderWay: true }, listing: 'complete' }
}

function linesQuery({ from, features }: Cursor): string {
  const subsidiary = features.subsidiaries === null ? '' : ', tl.subsidiary'
  return (
    "SELECT tal.transaction, tal.transactionline, tal.account, tal.debit, tal.credit, TO_CHAR(t.trandate, 'YYYY-MM-DD') AS trandate, " +
    `t.tranid, t.type, BUILTIN.DF(t.entity) AS entityname, t.memo, tl.memo AS linememo${subsidiary} ` +
    'FROM transactionaccountingline tal INNER JOIN transaction t ON t.id = tal.transaction ' +
    'LEFT OUTER JOIN transactionline tl ON tl.transaction = tal.transaction AND tl.id = tal.transactionline ' +
    "WHERE tal.accountingbook = 1 AND tal.posting = 'T' AND (tal.debit IS NOT NULL OR tal.credit IS NOT NULL) " +
    `AND tal.transaction >= ${from} ORDER BY tal.transaction, tal.transactionline`
  )
}

/**
 * Whether these are the requested rows, from `from` on. A response with earlier rows, or an empty one that announces
 * more, is not.
 */
function isAsked(list: List, ids: readonly number[], from: number): boolean {
  if (ids.length === 0) return !list.hasMore
  return Math.min(...ids) >= from
}

async function startAt(session: Session, cursor: Json | null): Promise<Cursor> {
  if (cursor === null) {
    const features = await readFeatures(session.kit, secretOf(session.credentials))
    return { from: BELOW_ALL, isUnderWay: false, restarts: 0, features }
  }
  return toCursor(cursor)
}

/** Unexpected response: the page is requested again and this response not kept. */
function repeatPage(at: Cursor): Page {
  if (at.restarts >= MAX_RESTARTS) throw new SourceError('badData', `NetSuite answered other rows than asked for, ${at.restarts + 1} times`)
  return { answers: {}, next: { ...at, restarts: at.restarts + 1 }, listing: 'complete' }
}

/** A role without access to transactions yields none. A partial listing must not be taken for a complete one. */
function hiddenLines(at: Cursor, part: number): Page {
  if (part > 0 || at.isUnderWay) throw new SourceError('reconnect', 'NetSuite hid the transactions while they were read')
  return { answers: {}, next: null, listing: 'changes' }
}
