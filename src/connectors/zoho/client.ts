import type { Connector } from '../contract/contract.ts'
import { checkByRefusedGrant } from '../toolkit/oauth/app-check.ts'
import { fetchAccounts } from './accounts.ts'
import { authorization, refreshCredentials, revoke } from './authorization.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { readAccounts, readPostings } from './read.ts'
import { fetchJournals } from './transactions.ts'
import { AccountWire, PostingWire } from './wire.ts'

export const zohoConnector: Connector = {
  authorize: authorization,
  checkApp: checkByRefusedGrant(refreshCredentials, { accountsAt: 'us', apiAt: 'us' }),
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
