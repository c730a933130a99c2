import type { Connector } from '../contract/contract.ts'
import { pullAccounts } from './accounts.ts'
import { odooForm } from './authorization.ts'
import { toAccount, toTransaction } from './map.ts'
import { pullEntries } from './transactions.ts'
import { AccountWire, LineWire } from './wire.ts'

/**
 * Odoo over JSON-2 or JSON-RPC: `request.ts` makes the calls, `accounts.ts` and `transactions.ts` hold the queries. An
 * API key does not expire and cannot delete itself, so there is nothing to refresh and nothing to revoke.
 */
export const odooConnector: Connector = {
  authorize: odooForm,
  pulls: [pullAccounts, pullEntries],
  entities: {
    Accounts: { wire: AccountWire, map: toAccount },
    Transactions: { wire: LineWire, map: toTransaction },
  },
}
