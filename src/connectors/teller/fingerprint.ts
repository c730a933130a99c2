import type { Fingerprint } from '../contract/reidentification.ts'
import type { TellerAccount } from './wire.ts'

/**
 * Fingerprint that matches an account when a new enrollment assigns another id. Names come last: owners and banks
 * change them.
 */
export function toFingerprint({ account, ending }: TellerAccount): Fingerprint {
  const number = (account.last_four || ending || '').slice(-4)
  if (number === '') return { persistentId: null, descriptions: [] }
  const kind = [number, account.type ?? '', account.subtype ?? '', account.currency ?? '']
  return { persistentId: null, descriptions: [[...kind, account.name?.trim() ?? ''], kind].map((words) => JSON.stringify(words)) }
}
