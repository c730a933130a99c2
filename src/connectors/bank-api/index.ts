import { join } from 'node:path'
import { Parse } from 'typebox/value'
import type { ConnectorDescription } from '../contract/contract.ts'
import { MINUTE_MS } from '../contract/limits.ts'
import { type Profile, ProfileShape } from './profile.ts'
import { readProfiles } from './profile-files.ts'

/**
 * Example banks (invented), in the formats of three platforms with closed contracts: for the sandbox, and as templates.
 */
export const exampleBanks: readonly ConnectorDescription[] = bankApiBanks(join(import.meta.dirname, 'examples')).map((bank) => ({
  ...bank,
  isExample: true,
}))

/**
 * Banks of a folder of profiles, as `bank-api-<profile>` each. Throws `BankApiFaults` with all faults of all profiles.
 */
function bankApiBanks(folder: string): ConnectorDescription[] {
  return readProfiles(folder).map(toDescription)
}

/**
 * All sources together with the banks of a folder; a bank with the key of an example replaces it. Throws
 * `BankApiFaults`.
 */
export function withOwnBanks(all: readonly ConnectorDescription[], folder: string): ConnectorDescription[] {
  const own = bankApiBanks(folder)
  return [...all.filter(({ key }) => !own.some((bank) => bank.key === key)), ...own]
}

/** The bank of a profile that was read before. */
export function bankApiOf(profile: object): ConnectorDescription {
  return toDescription(Parse(ProfileShape, profile))
}

function toDescription(profile: Profile): ConnectorDescription {
  const { key, name, description, keys, hosts, callsPerMinute, refreshHours, transactions } = profile
  return {
    key: `bank-api-${key}`,
    folder: 'bank-api',
    profile,
    name,
    title: name,
    description,
    category: 'Banking',
    route: 'core',
    entities: transactions.length > 0 ? ['Accounts', 'Transactions'] : ['Accounts'],
    link: 'form',
    appKeys: keys,
    hosts: { ...hosts },
    ...(callsPerMinute === undefined
      ? {}
      : { limits: [{ name: 'minute', scope: 'app' as const, hosts: ['api'], calls: callsPerMinute, perMs: MINUTE_MS }] }),
    refreshHours,
    load: async () => (await import('./client.ts')).bankApiConnector(profile),
  }
}
