import type { Fingerprint } from '../contract/reidentification.ts'
import { nameOf } from './map.ts'
import type { MxAccount } from './wire.ts'

/**
 * Fingerprint that matches an account when a new member assigns another guid. Names come last: owners and banks change
 * them.
 */
export function toFingerprint(wire: MxAccount): Fingerprint {
  const { account } = wire
  const mask = (account.account_number ?? '').replace(/[^0-9A-Za-z]/g, '').slice(-4)
  if (mask === '') return { persistentId: null, descriptions: [] }
  const kind = [mask, account.type ?? '', account.subtype ?? '', account.currency_code ?? '']
  return { persistentId: null, descriptions: [[...kind, nameOf(wire).trim()], kind].map((words) => JSON.stringify(words)) }
}
