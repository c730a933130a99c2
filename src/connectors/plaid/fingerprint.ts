import type { Fingerprint } from '../contract/reidentification.ts'
import { nameOf } from './map.ts'
import type { PlaidAccount } from './wire.ts'

/**
 * Fingerprint that matches an account when a new item assigns another id. Names come last: owners and banks change
 * them.
 * Source: https://plaid.com/docs/link/duplicate-items/ and persistent_account_id in Plaid's OpenAPI document
 */
export function toFingerprint(wire: PlaidAccount): Fingerprint {
  const { account } = wire
  const persistentId = account.persistent_account_id || null
  const mask = (account.mask ?? '').trim().slice(-4)
  if (mask === '') return { persistentId, descriptions: [] }
  const currency = account.balances.iso_currency_code ?? account.balances.unofficial_currency_code ?? ''
  const kind = [mask, account.type ?? '', account.subtype ?? '', currency]
  return { persistentId, descriptions: [[...kind, nameOf(wire).trim()], kind].map((words) => JSON.stringify(words)) }
}
