import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Connector, type Page, type Session, SourceError } from '../contract/contract.ts'
import { countRestart, cursorReader } from '../toolkit/cursors.ts'
import { jsonBytes } from '../toolkit/http/answers.ts'
import { checkByRefusedGrant } from '../toolkit/oauth/app-check.ts'
import { authorization, refreshCredentials, revoke, secretOf } from './authorization.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { CURRENCY, LIST, readAccounts, readEnvelope, readPostings, rowId } from './read.ts'
import { type Answer, findAnswer, getAnswer, readBaseCurrency } from './request.ts'
import { AccountWire, PostingWire } from './wire.ts'

/**
 * Maximum page size of Sage.
 * Source: https://developer.sage.com/accounting/reference/accounting-setup/#tag/Ledger-Accounts
 */
const ROWS = 200

const Cursor = Type.Object({
  /** Counted from 1. */
  page: Type.Integer({ minimum: 1 }),
  /** Rows of the previous pages. */
  read: Type.Integer({ minimum: 0 }),
  /** `$total` of the previous pages. */
  total: Type.Union([Type.Integer(), Type.Null()]),
  /** First id of the previous page: a page that begins with it is a repetition. */
  firstId: Type.Union([Type.String(), Type.Null()]),
  restarts: Type.Integer({ minimum: 0 }),
  /** The base currency, read once a run. */
  currency: Type.Union([Type.Object({ id: Type.Union([Type.String(), Type.Null()]) }), Type.Null()]),
})
type Cursor = Type.Static<typeof Cursor>
const isCursor = Compile(Cursor)
const toCursor = cursorReader(Cursor)

export const sageConnector: Connector = {
  authorize: authorization,
  checkApp: checkByRefusedGrant(refreshCredentials, { businessId: '' }),
  refreshCredentials,
  pulls: [
    { name: 'accounts', delivers: ['Accounts'], fetch: fetchAccounts, read: readAccounts },
    { name: 'journals', delivers: ['Transactions'], fetch: fetchJournals, read: readPostings },
  ],
  entities: {
    Accounts: { wire: AccountWire, map: accountMapping },
    Transactions: { wire: PostingWire, map: transactionMapping },
  },
  disconnect: revoke,
}

/** Without `attributes=all` only ids and names are returned. Accounts outside the chart are listed too. */
async function fetchAccounts(session: Session, cursor: Json | null): Promise<Page> {
  const at = await startAt(session, cursor)
  return toPage(at, await getAnswer(session.kit, callFor(session, 'ledger_accounts', at.page)))
}

/** Journals. A person without the role for them has none; data from an earlier person is kept. */
async function fetchJournals(session: Session, cursor: Json | null): Promise<Page> {
  const at = await startAt(session, cursor)
  const answer = await findAnswer(session.kit, callFor(session, 'journals', at.page))
  return answer === null ? { answers: {}, next: null, listing: 'changes' } : toPage(at, answer)
}

async function startAt(session: Session, cursor: Json | null): Promise<Cursor> {
  if (cursor === null) {
    const { accessToken } = secretOf(session.credentials)
    const currency = await readBaseCurrency(session.kit, accessToken, session.entityId)
    return startingAt(0, currency)
  }
  return toCursor(cursor)
}

function startingAt(restarts: number, currency: Json): Cursor {
  const start = { page: 1, read: 0, total: null, firstId: null, restarts, currency }
  if (!isCursor.Check(start)) throw new SourceError('badData', 'Sage answered an unreadable base currency')
  return start
}

function callFor(session: Session, list: 'ledger_accounts' | 'journals', page: number) {
  const query = new URLSearchParams({ attributes: 'all', items_per_page: String(ROWS), page: String(page) })
  const { accessToken } = secretOf(session.credentials)
  return { accessToken, businessId: session.entityId, path: `${list}?${query}`, what: `page ${page} of ${list}` }
}

/**
 * `$next` shows whether more pages exist; its URL is not followed, ours is built. Pages are numbered, so an added or
 * removed row shifts all others: when `$total` changes, or the previous page is repeated, the listing restarts. One
 * that ends before `$total` is bad data.
 */
function toPage(at: Cursor, { bytes, body }: Answer): Page {
  const { items, total, page, hasNext } = readEnvelope(body)
  const answers = { [LIST]: bytes, [CURRENCY]: jsonBytes(at.currency) }
  const firstId = rowId(items[0])
  const read = at.read + items.length
  const isRepeated = at.page > 1 && firstId !== null && firstId === at.firstId
  const isOther = page !== null && page !== at.page
  const isMoved = at.page > 1 && total !== at.total
  const isEndless = hasNext && (items.length === 0 || (total !== null && read >= total))
  if (isRepeated || isOther || isMoved || isEndless)
    return { answers, next: startingAt(countRestart(at.restarts), at.currency), listing: 'complete' }
  if (hasNext) return { answers, next: { ...at, page: at.page + 1, read, total, firstId }, listing: 'complete' }
  if (total !== null && read < total) throw new SourceError('badData', `Sage ended a list of ${total} after ${read}`)
  return { answers, next: null, listing: 'complete' }
}
