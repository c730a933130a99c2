import type { Connector } from '../contract/contract.ts'
import { hledgerForm } from './authorization.ts'
import { pullBooks } from './books.ts'
import { toAccount, toTransaction } from './map.ts'
import { AccountWire, LineWire } from './wire.ts'

/** hledger-web: `http.ts` holds the calls, `books.ts` what is read from them. */
export const hledgerConnector: Connector = {
  authorize: hledgerForm,
  pulls: [pullBooks],
  entities: {
    Accounts: { wire: AccountWire, map: toAccount },
    Transactions: { wire: LineWire, map: toTransaction },
  },
}
