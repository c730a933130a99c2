import type { Fingerprint } from '../contract/reidentification.ts'
import { currencyOf, nameOf } from './map.ts'
import type { YodleeAccount } from './wire.ts'

/**
 * Fingerprint that matches an account when a new provider account assigns another id. Names come last: owners and banks
 * change them.
 */
export function toFingerprint(account: YodleeAccount): Fingerprint {
  const mask = (account.accountNumber ?? '').replace(/[^0-9A-Za-z]/g, '').slice(-4)
  if (mask === '') return { persistentId: null, descriptions: [] }
  const kind = [mask, account.CONTAINER ?? '', account.accountType ?? '', currencyOf(account)]
  return { persistentId: null, descriptions: [[...kind, nameOf(account).trim()], kind].map((words) => JSON.stringify(words)) }
}
