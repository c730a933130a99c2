import type { Connector } from '../contract/contract.ts'
import { accountsPull, listAccounts } from './accounts.ts'
import { checkApp } from './app-check.ts'
import { openIdFlow } from './authorization.ts'
import { listInstitutions } from './directory.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { START } from './paging.ts'
import type { Profile } from './profile.ts'
import { refreshCredentials, revoke } from './tokens.ts'
import { transactionsPull } from './transactions.ts'
import { FdxAccount, FdxTransaction } from './wire.ts'

/** Connector for all FDX banks; the profile describes the differences of each. */
export function fdxConnector(profile: Profile): Connector {
  return {
    authorize: openIdFlow(
      profile,
      async (kit, credentials) => (await listAccounts({ kit, credentials }, profile, START)).accounts.length > 0,
    ),
    checkApp: (kit) => checkApp(kit, profile),
    refreshCredentials: (kit, credentials) => refreshCredentials(kit, profile, credentials),
    pulls: [accountsPull(profile), transactionsPull(profile)],
    entities: {
      Accounts: { wire: FdxAccount, map: toBankAccount },
      Transactions: { wire: FdxTransaction, map: toBankTransaction },
    },
    disconnect: (kit, credentials) => revoke(kit, profile, credentials),
    ...(profile.institutions ? { listInstitutions: (kit) => listInstitutions(kit, profile) } : {}),
  }
}
