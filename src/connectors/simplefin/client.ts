import type { Connector } from '../contract/contract.ts'
import { pullAccounts } from './accounts.ts'
import { tokenForm } from './authorization.ts'
import { toFingerprint } from './fingerprint.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { pullTransactions } from './transactions.ts'
import { SimplefinAccount, SimplefinTransaction } from './wire.ts'

/**
 * Connector without revocation: an access URL does not expire, and only its owner can revoke it, at the server that
 * issued it.
 */
export const simplefinConnector: Connector = {
  authorize: tokenForm,
  pulls: [pullAccounts, pullTransactions],
  entities: {
    Accounts: { wire: SimplefinAccount, map: toBankAccount },
    Transactions: { wire: SimplefinTransaction, map: toBankTransaction },
  },
  reidentify: { account: toFingerprint, renumbersTransactions: true },
}
