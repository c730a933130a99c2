import { type ReconnectReason, SourceError } from '../contract/contract.ts'
import { type ReasonWords, reasonFor } from '../contract/reconnect-reasons.ts'

/**
 * Values of `aggregationStatusCode` of an account, sometimes also of an error's `code`.
 * Source: https://developer.mastercard.com/open-finance-us/documentation/products/manage/aggregation-status-codes/
 */
const OK = '0'

/**
 * Codes that the owner resolves with Data Connect Fix: credentials, missing or wrong answers to the bank's questions,
 * expired consents.
 */
const FIXABLE: ReadonlySet<string> = new Set(['103', '108', '109', '185', '187', '945', '946', '947', '948'])

/** Reasons among those: wrong credentials, and the bank's questions unanswered or answered wrongly. */
const REASONS: ReasonWords = { loginChanged: ['103'], codeNeeded: ['185', '187'] }

function reasonOf(code: string | null): ReconnectReason | null {
  return reasonFor(REASONS, code)
}

/** Code for a rate limit of the bank. */
const HOST_LIMIT = '977'

/** Wait after a rate limit of the bank, which counts by the hour or the day, undocumented. */
export const HOST_LIMIT_WAIT_MS = 3_600_000

export function isFixable(code: string): boolean {
  return FIXABLE.has(code)
}

export function isHostLimit(code: string): boolean {
  return code === HOST_LIMIT
}

/**
 * Three-digit codes are errors of the bank: 102, 931, 936, 940 and many more, which neither the owner nor we can fix.
 */
export function isAggregationCode(code: string): boolean {
  return /^[1-9]\d{2}$/.test(code)
}

/** Aggregation state in the account records of one login; times are epoch seconds. */
export interface AggregationState {
  aggregationStatusCode?: number | string | null
  aggregationSuccessDate?: number | string | null
  balance?: number | string | null
}

/**
 * Throws when the login has to be repaired or waited for. Accounts that were read before keep their data when their
 * bank fails: such a login fails only when all of it does.
 */
export function refuseBroken(accounts: readonly AggregationState[]): void {
  const codes = accounts.map(({ aggregationStatusCode: code }) => (code === null || code === undefined ? null : String(code)))
  const fixable = codes.find((code) => code !== null && isFixable(code))
  if (fixable)
    throw new SourceError('reconnect', `Finicity: aggregation status ${fixable}, the owner has to sign in again`, {
      reason: reasonOf(fixable),
    })
  if (accounts.length === 0) return
  if (codes.every((code) => code === HOST_LIMIT))
    throw new SourceError('rateLimited', `Finicity: aggregation status ${HOST_LIMIT}, the bank takes no more calls`, {
      retryAfterMs: HOST_LIMIT_WAIT_MS,
    })
  const isUnread = (each: AggregationState) => !each.aggregationSuccessDate && (each.balance === null || each.balance === undefined)
  if (accounts.every(isUnread)) throw new SourceError('unavailable', 'Finicity: the accounts have not been read for the first time yet')
  if (codes.every((code) => code !== null && code !== OK))
    throw new SourceError('unavailable', `Finicity: aggregation status ${digitsOf(codes[0])} of all accounts`)
}

/** Whether the owner's repair has worked, as far as the accounts show. */
export function isMended(accounts: readonly AggregationState[]): boolean {
  return (
    accounts.length > 0 &&
    !accounts.some(({ aggregationStatusCode: code }) => code !== null && code !== undefined && isFixable(String(code)))
  )
}

function digitsOf(code: string | null | undefined): string {
  return /^\d{1,6}$/.test(code ?? '') ? String(code) : 'unknown'
}
