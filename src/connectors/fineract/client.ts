import type { Connector } from '../contract/contract.ts'
import { pullAccounts } from './accounts.ts'
import { fineractForm } from './authorization.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { renewToken } from './request.ts'
import { pullTransactions } from './transactions.ts'
import { FineractAccount, FineractTransaction } from './wire.ts'

/** Connector without revocation: nothing is written at Fineract; its hooks are for operators and unsigned. */
export const fineractConnector: Connector = {
  authorize: fineractForm,
  refreshCredentials: renewToken,
  pulls: [pullAccounts, pullTransactions],
  entities: {
    Accounts: { wire: FineractAccount, map: toBankAccount },
    Transactions: { wire: FineractTransaction, map: toBankTransaction },
  },
}
