import { Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { type Connector, type Page, type Session, SourceError } from '../contract/contract.ts'
import { countRestart, cursorReader } from '../toolkit/cursors.ts'
import { jsonBytes, property } from '../toolkit/http/answers.ts'
import { checkByRefusedGrant } from '../toolkit/oauth/app-check.ts'
import { authorization, refreshCredentials, secretOf } from './authorization.ts'
import { toBaseCurrency } from './currencies.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { CURRENCY, LIST, readAccounts, readPostings } from './read.ts'
import { getAnswer, readFile } from './request.ts'
import { listItems, rowId } from './rows.ts'
import { AccountWire, PostingWire } from './wire.ts'

interface Listing {
  resource: 'Account' | 'JournalTransaction'
  /** Total order, so that pages neither overlap nor leave gaps. */
  orderBy: string
  /** Rows per request; MYOB's maximum is 1,000, and it may return fewer. */
  rows: number
}

const ACCOUNTS: Listing = { resource: 'Account', orderBy: 'DisplayID', rows: 1000 }

/** Smaller pages for transactions, which have any number of lines, so that a page stays within the kit's limit. */
const JOURNALS: Listing = { resource: 'JournalTransaction', orderBy: 'UID', rows: 400 }

const Cursor = Type.Object({
  skip: Type.Integer({ minimum: 0 }),
  /** Expected first id of the page: the last row of the previous page, requested again. */
  firstId: Type.Union([Type.String(), Type.Null()]),
  restarts: Type.Integer({ minimum: 0 }),
  /** Currency of the company file, read once a run; empty when unknown. */
  currency: Type.String(),
})
type Cursor = Type.Static<typeof Cursor>
const toCursor = cursorReader(Cursor)

export const myobConnector: Connector = {
  authorize: authorization,
  checkApp: checkByRefusedGrant(refreshCredentials, { businessId: '' }),
  refreshCredentials,
  pulls: [
    { name: 'accounts', delivers: ['Accounts'], fetch: (session, cursor) => fetchPage(session, ACCOUNTS, cursor), read: readAccounts },
    { name: 'journals', delivers: ['Transactions'], fetch: (session, cursor) => fetchPage(session, JOURNALS, cursor), read: readPostings },
  ],
  entities: {
    Accounts: { wire: AccountWire, map: accountMapping },
    Transactions: { wire: PostingWire, map: transactionMapping },
  },
}

/**
 * One page. Each page after the first begins with the last row of the previous one: when that row is not found, rows
 * shifted (or the source repeated itself) and a row may have been skipped, so the listing restarts. `NextPageLink`
 * shows whether more pages exist; its URL is not followed, ours is built.
 * Source: http://developers.myob.com/api/accountright/api-overview/retrieving-data/
 */
async function fetchPage(session: Session, listing: Listing, stored: Json | null): Promise<Page> {
  const at = stored === null ? await startCursor(session) : toCursor(stored)
  const query = new URLSearchParams({ $top: String(listing.rows), $skip: String(at.skip), $orderby: listing.orderBy })
  const { bytes, body } = await getAnswer(session.kit, {
    accessToken: secretOf(session.credentials).accessToken,
    path: `${encodeURIComponent(session.entityId)}/GeneralLedger/${listing.resource}?${query}`,
    what: `the list of ${listing.resource}`,
  })
  const answers = { [LIST]: bytes, [CURRENCY]: jsonBytes(at.currency) }
  return { answers, next: nextCursor(at, body), listing: 'complete' }
}

function nextCursor(at: Cursor, body: Json): Cursor | null {
  const rows = listItems(body)
  const hasNext = (property(body, 'NextPageLink') ?? null) !== null
  const count = property(body, 'Count')
  const end = at.skip + rows.length
  const isMoved = at.firstId !== null && rowId(rows[0]) !== at.firstId
  if (isMoved || (hasNext && rows.length < 2)) return { ...at, skip: 0, firstId: null, restarts: countRestart(at.restarts) }
  if (hasNext) {
    const lastId = rowId(rows.at(-1))
    return { ...at, skip: end - (lastId === null ? 0 : 1), firstId: lastId }
  }
  if (typeof count === 'number' && end < count) throw new SourceError('badData', `MYOB ended a list of ${count} after ${end}`)
  return null
}

async function startCursor({ kit, credentials, entityId }: Session): Promise<Cursor> {
  const { Country } = await readFile(kit, secretOf(credentials).accessToken, entityId)
  return { skip: 0, firstId: null, restarts: 0, currency: toBaseCurrency(Country ?? '') }
}
