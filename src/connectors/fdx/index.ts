import { join } from 'node:path'
import { Parse } from 'typebox/value'
import type { ConnectorDescription } from '../contract/contract.ts'
import { MINUTE_MS } from '../contract/limits.ts'
import { listAppKeys, type Profile, ProfileShape } from './profile.ts'
import { ProfileFaults, readProfiles } from './profile-files.ts'

/**
 * Banks and aggregators with an FDX API (versions 4 to 6): each is a profile, a file with its differences. One client
 * serves them all; README.md documents profiles.
 */
export const fdxBanks: readonly ConnectorDescription[] = readProfiles(join(import.meta.dirname, 'profiles')).map(toDescription)

/** Example banks (invented) that demonstrate profiles: for the sandbox. */
export const fdxExamples: readonly ConnectorDescription[] = readProfiles(join(import.meta.dirname, 'examples')).map((profile) => ({
  ...toDescription(profile),
  isExample: true,
}))

/**
 * All sources together with those of the operator's own profiles. A profile with the key of one of ours replaces it;
 * the key of any other source is a fault. Throws `ProfileFaults`.
 */
export function withOwnProfiles(all: readonly ConnectorDescription[], folder: string): ConnectorDescription[] {
  const own = readProfiles(folder)
  const ours = new Set([...fdxBanks, ...fdxExamples].map(({ key }) => key))
  const taken = own.filter(({ key }) => !ours.has(key) && all.some((each) => each.key === key))
  if (taken.length > 0) {
    throw new ProfileFaults(taken.map(({ key }) => `${join(folder, `${key}.json`)}: /key "${key}" is that of another source`))
  }
  const replaced = new Set(own.map(({ key }) => key))
  return [...all.filter(({ key }) => !replaced.has(key)), ...own.map(toDescription)]
}

/** The bank of a profile that was read before. */
export function fdxBankOf(profile: object): ConnectorDescription {
  return toDescription(Parse(ProfileShape, profile))
}

function toDescription(profile: Profile): ConnectorDescription {
  const { key, name, description, route, callsPerMinute, idleDays } = profile
  return {
    key,
    folder: 'fdx',
    profile,
    name,
    title: name,
    description,
    category: 'Banking',
    route,
    entities: ['Accounts', 'Transactions'],
    link: 'redirect',
    ...(profile.institutions ? { hasInstitutions: true } : {}),
    appKeys: listAppKeys(profile),
    ...(profile.authorization.client === 'private_key_jwt' ? { optionalAppKeys: ['signingKeyId'] } : {}),
    hosts: { ...profile.hosts },
    ...(callsPerMinute === undefined
      ? {}
      : { limits: [{ name: 'minute', scope: 'app' as const, hosts: ['api'], calls: callsPerMinute, perMs: MINUTE_MS }] }),
    refreshHours: profile.refreshHours,
    ...(idleDays === undefined ? {} : { idleDays }),
    load: async () => (await import('./client.ts')).fdxConnector(profile),
  }
}
