import type { Connector, Page, Session } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { checkByRefusedGrant } from '../toolkit/oauth/app-check.ts'
import { authorization, refreshCredentials } from './authorization.ts'
import { disconnect } from './disconnect.ts'
import { toSourceError } from './errors.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { BASE, listRows, readAccounts, readPostings } from './read.ts'
import { get, readBase } from './request.ts'
import { fetchPostings } from './transactions.ts'
import { readWebhook } from './webhook.ts'
import { AccountWire, PostingWire } from './wire.ts'

/** Maximum response size: the whole chart is one response, about 500 bytes per account. */
const CHART_BYTES = 20 * 1024 * 1024

export const xeroConnector: Connector = {
  authorize: authorization,
  checkApp: checkByRefusedGrant(refreshCredentials, { connectionId: '' }),
  refreshCredentials,
  pulls: [
    { name: 'accounts', delivers: ['Accounts'], fetch: fetchAccounts, read: readAccounts },
    {
      name: 'journals',
      delivers: ['Transactions'],
      fetch: fetchPostings,
      read: readPostings,
    },
  ],
  entities: {
    Accounts: { wire: AccountWire, map: accountMapping },
    Transactions: { wire: PostingWire, map: transactionMapping },
  },
  disconnect,
  readWebhook,
}

/**
 * Every account, archived ones too: this list has no pages. Requesting changes only would save nothing but bytes, and
 * would hide deletions.
 * Source: https://developer.xero.com/documentation/api/accounting/accounts
 */
async function fetchAccounts(session: Session): Promise<Page> {
  const base = await readBase(session)
  const response = await get(session, 'Accounts', {}, CHART_BYTES)
  if (response.status !== 200) throw toSourceError(response, 'the list of accounts', session.kit.now())
  listRows(await responseJson(response, 'the list of accounts'), 'Accounts')
  return { answers: { [BASE]: base, Accounts: response.body }, next: null, listing: 'complete' }
}
