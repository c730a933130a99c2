import type { Fingerprint } from '../contract/reidentification.ts'
import { nameOf } from './map.ts'
import type { FinicityAccount } from './wire.ts'

/**
 * Fingerprint that matches an account when a deleted login is linked again and assigns another id. Names come last:
 * owners change them.
 */
export function toFingerprint(wire: FinicityAccount): Fingerprint {
  const { account } = wire
  const { mask } = account
  if (mask === '') return { persistentId: null, descriptions: [] }
  const kind = [mask, account.type ?? '', (account.currency ?? '').toUpperCase()]
  const descriptions = [[...kind, nameOf(wire).trim()], kind]
  return { persistentId: null, descriptions: descriptions.map((words) => JSON.stringify(words)) }
}
