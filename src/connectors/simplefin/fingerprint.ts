import type { Fingerprint } from '../contract/reidentification.ts'
import type { SimplefinAccount } from './wire.ts'

/**
 * A bank that is added anew at the server gives its accounts other ids. Their names tell them apart among all that the
 * owner has, says the protocol.
 */
export function toFingerprint({ account }: SimplefinAccount): Fingerprint {
  const { org, name, currency } = account
  const place = org?.domain ?? org?.name ?? ''
  return { persistentId: null, descriptions: name ? [[place, name, currency ?? ''].join('\n')] : [] }
}
