import type { Connector } from '../contract/contract.ts'
import { pullAccounts } from './accounts.ts'
import { trytonForm } from './authorization.ts'
import { toAccount, toTransaction } from './map.ts'
import { logIn, logOut, readSecret, readSession, toCredentials } from './request.ts'
import { pullEntries } from './transactions.ts'
import { AccountWire, LineWire } from './wire.ts'

/** Tryton over JSON-RPC: `request.ts` makes the calls, `accounts.ts` and `transactions.ts` hold the queries. */
export const trytonConnector: Connector = {
  authorize: trytonForm,
  pulls: [pullAccounts, pullEntries],
  entities: {
    Accounts: { wire: AccountWire, map: toAccount },
    Transactions: { wire: LineWire, map: toTransaction },
  },
  /** Closes the old session and opens a new one with the stored password. */
  async refreshCredentials(kit, credentials) {
    const secret = readSecret(credentials)
    if (secret.session !== null) await logOut(kit, secret, secret.session)
    return toCredentials(kit, { ...secret, session: await readSession(kit, await logIn(kit, secret)) })
  },
  async disconnect(kit, credentials) {
    const secret = readSecret(credentials)
    if (secret.session !== null) await logOut(kit, secret, secret.session)
  },
}
