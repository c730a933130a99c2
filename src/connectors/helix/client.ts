import type { Connector } from '../contract/contract.ts'
import { pullAccounts } from './accounts.ts'
import { helixForm } from './authorization.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { pullTransactions } from './transactions.ts'
import { HelixAccount, HelixTransaction } from './wire.ts'

/** A key does not expire for us. Helix tells events by files and a bus of the program's own, so there are no webhooks. */
export const helixConnector: Connector = {
  authorize: helixForm,
  pulls: [pullAccounts, pullTransactions],
  entities: {
    Accounts: { wire: HelixAccount, map: toBankAccount },
    Transactions: { wire: HelixTransaction, map: toBankTransaction },
  },
}
