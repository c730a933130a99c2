import type { Connector, Page, Session } from '../contract/contract.ts'
import { checkByRefusedGrant } from '../toolkit/oauth/app-check.ts'
import { authorization, refreshCredentials, revoke, secretOf } from './authorization.ts'
import { fetchReport } from './currencies.ts'
import { accountMapping } from './map.ts'
import { ANSWER, listRows, readAccounts } from './read.ts'
import { getAnswer } from './request.ts'
import { AccountWire } from './wire.ts'

/** Maximum response size: the whole chart is in one response; 20,000 accounts are about 9 MB. */
const MAX_CHART_BYTES = 32 * 1024 * 1024

export const freshbooksConnector: Connector = {
  authorize: authorization,
  checkApp: checkByRefusedGrant(refreshCredentials, { businessUuid: '' }),
  refreshCredentials,
  pulls: [{ name: 'accounts', delivers: ['Accounts'], fetch: fetchChart, read: readAccounts }],
  entities: { Accounts: { wire: AccountWire, map: accountMapping } },
  disconnect: revoke,
}

/**
 * Chart of accounts, archived accounts included, and the report with their currencies. There is no filter by time, so a
 * run cannot request changes only.
 * Source: https://www.freshbooks.com/api/chart-of-accounts
 */
async function fetchChart(session: Session): Promise<Page> {
  const { bytes, body } = await getAnswer(session.kit, {
    accessToken: secretOf(session.credentials).accessToken,
    path: `/accounting/businesses/${encodeURIComponent(session.entityId)}/ledger_accounts/accounts`,
    what: 'the list of accounts',
    maxBytes: MAX_CHART_BYTES,
  })
  listRows(body)
  const report = await fetchReport(session, MAX_CHART_BYTES)
  return { answers: { [ANSWER]: bytes, ...report }, next: null, listing: 'complete' }
}
