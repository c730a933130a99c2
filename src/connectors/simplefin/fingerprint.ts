import type { Fingerprint } from '../contract/reidentification.ts'
import type { SimplefinAccount } from './wire.ts'

/**
 * Fingerprint by account name: a bank that is added again at the server has accounts with other ids. By the protocol,
 * names are unique among all accounts of the owner.
 */
export function toFingerprint({ account }: SimplefinAccount): Fingerprint {
  const { org, name, currency } = account
  const place = org?.domain ?? org?.name ?? ''
  return { persistentId: null, descriptions: name ? [[place, name, currency ?? ''].join('\n')] : [] }
}
