import type { Connector } from '../contract/contract.ts'
import { pullAccounts } from './accounts.ts'
import { mambuForm } from './authorization.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { pullTransactions } from './transactions.ts'
import { MambuAccount, MambuTransaction } from './wire.ts'

/**
 * Connector without token refresh and webhooks: an API key does not expire and cannot delete itself; webhooks are
 * configured by an administrator of the bank.
 */
export const mambuConnector: Connector = {
  authorize: mambuForm,
  pulls: [pullAccounts, pullTransactions],
  entities: {
    Accounts: { wire: MambuAccount, map: toBankAccount },
    Transactions: { wire: MambuTransaction, map: toBankTransaction },
  },
}
