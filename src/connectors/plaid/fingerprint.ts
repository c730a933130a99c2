import type { Fingerprint } from '../reidentification.ts'
import type { PlaidAccount } from './wire.ts'

/**
 * What an account is known by when a new item gives it another id. Names come last: owners and banks change them.
 * Source: https://plaid.com/docs/link/duplicate-items/ and persistent_account_id in Plaid's OpenAPI document
 */
export function toFingerprint({ account }: PlaidAccount): Fingerprint {
  const persistentId = account.persistent_account_id || null
  const mask = (account.mask ?? '').trim().slice(-4)
  if (mask === '') return { persistentId, descriptions: [] }
  const currency = account.balances.iso_currency_code ?? account.balances.unofficial_currency_code ?? ''
  const kind = [mask, account.type ?? '', account.subtype ?? '', currency]
  const official = account.official_name?.trim() ?? ''
  const name = account.name?.trim() ?? ''
  const full = [...kind, official, name]
  // That both have no official name says nothing.
  const descriptions = [full, official === '' ? full : [...kind, official], kind]
  return { persistentId, descriptions: descriptions.map((words) => JSON.stringify(words)) }
}
