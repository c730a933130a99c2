import type { Json } from '../../model/values/json.ts'
import type { Connector, Page, Session } from '../contract/contract.ts'
import { checkByRefusedGrant } from '../toolkit/oauth/app-check.ts'
import { authorization, refreshCredentials, revoke, secretOf } from './authorization.ts'
import { accountMapping } from './map.ts'
import { advance, toCursor } from './paging.ts'
import { ACCOUNTS } from './queries.ts'
import { ANSWER, findConnection, readAccounts } from './read.ts'
import { ask } from './request.ts'
import { AccountWire } from './wire.ts'

/** Page size: Wave publishes no maximum; this one keeps a response near 100 KB. */
const ROWS = 200

export const waveConnector: Connector = {
  authorize: authorization,
  checkApp: checkByRefusedGrant(refreshCredentials, { businessId: '', redirectUri: 'https://localhost/' }),
  refreshCredentials,
  pulls: [{ name: 'accounts', delivers: ['Accounts'], fetch: fetchAccounts, read: readAccounts }],
  entities: { Accounts: { wire: AccountWire, map: accountMapping } },
  disconnect: revoke,
}

/**
 * One page of the active and one of the archived accounts in one call. There is no filter by time, so a run cannot
 * request changes only.
 */
async function fetchAccounts(session: Session, stored: Json | null): Promise<Page> {
  const cursor = toCursor(stored)
  const variables = {
    businessId: session.entityId,
    pageSize: ROWS,
    active: cursor.active !== null,
    activePage: cursor.active?.page ?? 1,
    archived: cursor.archived !== null,
    archivedPage: cursor.archived?.page ?? 1,
  }
  const { accessToken } = secretOf(session.credentials)
  const { bytes, body } = await ask(session.kit, accessToken, { query: ACCOUNTS, variables, what: 'the query for accounts' })
  const next = advance(cursor, { active: findConnection(body, 'active'), archived: findConnection(body, 'archived') })
  return { answers: { [ANSWER]: bytes }, next, listing: 'complete' }
}
