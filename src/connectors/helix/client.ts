import type { Connector } from '../contract/contract.ts'
import { pullAccounts } from './accounts.ts'
import { helixForm } from './authorization.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { pullTransactions } from './transactions.ts'
import { HelixAccount, HelixTransaction } from './wire.ts'

/**
 * Connector without token refresh and without webhooks: API keys do not expire, and Helix publishes events only by
 * files and a message bus of the program.
 */
export const helixConnector: Connector = {
  authorize: helixForm,
  pulls: [pullAccounts, pullTransactions],
  entities: {
    Accounts: { wire: HelixAccount, map: toBankAccount },
    Transactions: { wire: HelixTransaction, map: toBankTransaction },
  },
}
