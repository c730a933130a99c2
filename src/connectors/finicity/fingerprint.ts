import type { Fingerprint } from '../contract/reidentification.ts'
import { nameOf } from './map.ts'
import type { FinicityAccount } from './wire.ts'

/**
 * What an account is known by when a login that was deleted is linked anew and gives it another id. Names come last:
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
