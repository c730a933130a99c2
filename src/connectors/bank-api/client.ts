import type { Connector } from '../contract/contract.ts'
import { accountsPull } from './accounts.ts'
import { formOf } from './authorization.ts'
import { accountMapping, transactionMapping } from './map.ts'
import type { Profile } from './profile.ts'
import { opensWithKeysAlone, secretOf, toCredentials, usesTokens } from './tokens.ts'
import { transactionsPull } from './transactions.ts'
import { RowWire } from './wire.ts'

/** Connector described by a profile. Credentials other than tokens never expire. */
export function bankApiConnector(profile: Profile): Connector {
  const hasTransactions = profile.transactions.length > 0
  return {
    authorize: formOf(profile),
    ...(usesTokens(profile) ? { refreshCredentials: (kit, credentials) => toCredentials(profile, kit, secretOf(credentials).fields) } : {}),
    ...(opensWithKeysAlone(profile) ? { checkApp: async (kit) => void (await toCredentials(profile, kit, {})) } : {}),
    pulls: [accountsPull(profile), ...(hasTransactions ? [transactionsPull(profile)] : [])],
    entities: {
      Accounts: { wire: RowWire, map: accountMapping(profile) },
      ...(hasTransactions ? { Transactions: { wire: RowWire, map: transactionMapping(profile) } } : {}),
    },
  }
}
