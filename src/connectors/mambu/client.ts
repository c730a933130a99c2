import type { Connector } from '../contract/contract.ts'
import { pullAccounts } from './accounts.ts'
import { mambuForm } from './authorization.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { pullTransactions } from './transactions.ts'
import { MambuAccount, MambuTransaction } from './wire.ts'

/** An API key does not expire for us and cannot delete itself. Webhooks are written by an administrator of the bank, so there are none. */
export const mambuConnector: Connector = {
  authorize: mambuForm,
  pulls: [pullAccounts, pullTransactions],
  entities: {
    Accounts: { wire: MambuAccount, map: toBankAccount },
    Transactions: { wire: MambuTransaction, map: toBankTransaction },
  },
}
