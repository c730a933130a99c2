import { Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import type { Connector, Page, Session } from '../contract/contract.ts'
import { countRestart, cursorReader } from '../toolkit/cursors.ts'
import { checkByRefusedGrant } from '../toolkit/oauth/app-check.ts'
import { authorization, refreshCredentials, revoke, secretOf } from './authorization.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { ANSWER, listRows, readAccounts, readPostings, rowId } from './read.ts'
import { getCompany } from './request.ts'
import { readWebhook } from './webhook.ts'
import { AccountWire, PostingWire } from './wire.ts'

interface Listing {
  entity: 'Account' | 'JournalEntry'
  where: string
  /** Rows per request; Intuit's maximum is 1,000. */
  rows: number
}

/** `WHERE` must name both states: otherwise QuickBooks adds `Active = true`. */
const ACCOUNTS: Listing = { entity: 'Account', where: 'WHERE Active IN (true, false) ', rows: 1000 }

/** Smaller pages for entries, which have any number of lines, so that a page stays within the kit's limit. */
const JOURNAL_ENTRIES: Listing = { entity: 'JournalEntry', where: '', rows: 200 }

const Cursor = Type.Object({
  /** STARTPOSITION of the page, from 1. */
  position: Type.Integer({ minimum: 1 }),
  /** Expected first id of the page: the last row of the previous page, requested again. */
  firstId: Type.Union([Type.String(), Type.Null()]),
  restarts: Type.Integer({ minimum: 0 }),
})
const toCursor = cursorReader(Cursor)

export const quickbooksConnector: Connector = {
  authorize: authorization,
  checkApp: checkByRefusedGrant(refreshCredentials),
  refreshCredentials,
  pulls: [
    { name: 'accounts', delivers: ['Accounts'], fetch: (session, cursor) => fetchPage(session, ACCOUNTS, cursor), read: readAccounts },
    {
      name: 'journalEntries',
      delivers: ['Transactions'],
      fetch: (session, cursor) => fetchPage(session, JOURNAL_ENTRIES, cursor),
      read: readPostings,
    },
  ],
  entities: {
    Accounts: { wire: AccountWire, map: accountMapping },
    Transactions: { wire: PostingWire, map: transactionMapping },
  },
  disconnect: revoke,
  readWebhook,
}

/**
 * One page in the order of Ids. Each page after the first begins with the last row of the previous one: when that row
 * is not found, rows shifted (or the source repeated itself) and a row may have been skipped, so the listing restarts.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/data-queries
 */
async function fetchPage(session: Session, listing: Listing, cursor: Json | null): Promise<Page> {
  const at = toCursor(cursor ?? { position: 1, firstId: null, restarts: 0 })
  const query = `SELECT * FROM ${listing.entity} ${listing.where}ORDERBY Id STARTPOSITION ${at.position} MAXRESULTS ${listing.rows}`
  const { bytes, body } = await getCompany(session.kit, {
    accessToken: secretOf(session.credentials).accessToken,
    realmId: session.entityId,
    path: 'query',
    query: { query },
    what: `the query for ${listing.entity}`,
  })
  const rows = listRows(body, listing.entity)
  const page = { answers: { [ANSWER]: bytes }, listing: 'complete' } as const
  if (at.firstId !== null && rowId(rows[0]) !== at.firstId)
    return { ...page, next: { position: 1, firstId: null, restarts: countRestart(at.restarts) } }
  if (rows.length < listing.rows) return { ...page, next: null }
  const lastId = rowId(rows.at(-1))
  return { ...page, next: { position: at.position + rows.length - (lastId === null ? 0 : 1), firstId: lastId, restarts: at.restarts } }
}
