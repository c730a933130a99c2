import type { Connector } from '../contract/contract.ts'
import { pullAccounts } from './accounts.ts'
import { erpnextForm } from './authorization.ts'
import { toAccount, toTransaction } from './map.ts'
import { pullEntries } from './transactions.ts'
import { AccountWire, LedgerWire } from './wire.ts'

/**
 * ERPNext over Frappe's REST API: `request.ts` holds the calls, `accounts.ts` and `transactions.ts` the queries. Key
 * and secret do not expire and belong to the user, so there is nothing to refresh and nothing to revoke.
 */
export const erpnextConnector: Connector = {
  authorize: erpnextForm,
  pulls: [pullAccounts, pullEntries],
  entities: {
    Accounts: { wire: AccountWire, map: toAccount },
    Transactions: { wire: LedgerWire, map: toTransaction },
  },
}
