import { SourceError } from '../contract/contract.ts'
import { type ReasonWords, reasonFor } from '../contract/reconnect-reasons.ts'
import type { ProviderAccount } from './wire.ts'

/**
 * Additional statuses that only the owner can resolve.
 * Source: AccountDataset.additionalStatus in Yodlee's API document
 */
const NEEDS_OWNER: ReadonlySet<string> = new Set([
  ...[
    'ACCOUNT_LOCKED',
    'ADDL_AUTHENTICATION_REQUIRED',
    'CREDENTIALS_UPDATE_NEEDED',
    'ENROLLMENT_REQUIRED_FOR_DATASET',
    'INCORRECT_CREDENTIALS',
  ],
  ...['INCORRECT_OAUTH_TOKEN', 'INVALID_ADDL_INFO_PROVIDED', 'NEW_AUTHENTICATION_REQUIRED', 'USER_ACTION_NEEDED_AT_SITE'],
  ...['CONSENT_EXPIRED', 'CONSENT_REQUIRED', 'CONSENT_REVOKED'],
])
const REASONS: ReasonWords = {
  consentExpired: ['CONSENT_EXPIRED'],
  codeNeeded: ['ADDL_AUTHENTICATION_REQUIRED', 'INVALID_ADDL_INFO_PROVIDED', 'USER_INPUT_REQUIRED'],
  loginChanged: ['INCORRECT_CREDENTIALS', 'CREDENTIALS_UPDATE_NEEDED', 'ACCOUNT_LOCKED'],
}
const NOT_SUPPORTED: ReadonlySet<string> = new Set(['SITE_NOT_SUPPORTED', 'DATASET_NOT_SUPPORTED'])

/**
 * Yodlee's status that requires the owner to act; null when there is none. Only the datasets of accounts and
 * transactions count, not documents and others.
 */
export function wordForOwner(account: ProviderAccount): string | null {
  const word = basicOf(account)?.additionalStatus ?? null
  if (word !== null && NEEDS_OWNER.has(word)) return word
  return account.status === 'USER_INPUT_REQUIRED' ? account.status : null
}

/**
 * Throws when the data cannot be read now: `reconnect` when the owner has to act, `unavailable` before the first
 * reading at the bank is done. Later errors at the bank leave the older data, with their date.
 */
export function checkReadable(account: ProviderAccount): void {
  checkAccountStatus(account)
  const basic = basicOf(account)
  if (basic?.lastUpdated) return
  const word = basic?.additionalStatus ?? account.status ?? 'no status'
  if (NOT_SUPPORTED.has(word)) throw new SourceError('badData', `Yodlee cannot read this bank: ${word}`)
  throw new SourceError('unavailable', `Yodlee has not read the bank yet (${word})`)
}

/** Throws `reconnect` when the owner has to act. */
export function checkAccountStatus(account: ProviderAccount): void {
  const word = wordForOwner(account)
  if (word !== null) throw new SourceError('reconnect', `the bank login at Yodlee is ${word}`, { reason: reasonFor(REASONS, word) })
}

function basicOf({ dataset }: ProviderAccount) {
  return dataset?.find(({ name }) => name === 'BASIC_AGG_DATA')
}
