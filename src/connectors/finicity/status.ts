import { type ReconnectReason, SourceError } from '../contract/contract.ts'
import { type ReasonWords, reasonFor } from '../contract/reconnect-reasons.ts'

/**
 * What stands in `aggregationStatusCode` of an account, and at times in an error's `code`.
 * Source: https://developer.mastercard.com/open-finance-us/documentation/products/manage/aggregation-status-codes/
 */
const OK = '0'

/** The owner mends these with Data Connect Fix: credentials, missing or wrong answers to the bank's questions, consents that ended. */
const FIXABLE: ReadonlySet<string> = new Set(['103', '108', '109', '185', '187', '945', '946', '947', '948'])

/** Of those: wrong credentials, and questions of the bank that wait for an answer or had a wrong one. */
const REASONS: ReasonWords = { loginChanged: ['103'], codeNeeded: ['185', '187'] }

function reasonOf(code: string | null): ReconnectReason | null {
  return reasonFor(REASONS, code)
}

/** The bank takes no more calls for now. */
const HOST_LIMIT = '977'

/** The bank counts by the hour or the day, and says which to nobody. */
export const HOST_LIMIT_WAIT_MS = 3_600_000

export function isFixable(code: string): boolean {
  return FIXABLE.has(code)
}

export function isHostLimit(code: string): boolean {
  return code === HOST_LIMIT
}

/** Codes of three digits are the bank's side: 102, 931, 936, 940 and many more, of which none is mended by the owner or by us. */
export function isAggregationCode(code: string): boolean {
  return /^[1-9]\d{2}$/.test(code)
}

/** What the account records of one login say about it; times are epoch seconds. */
export interface AggregationState {
  aggregationStatusCode?: number | string | null
  aggregationSuccessDate?: number | string | null
  balance?: number | string | null
}

/**
 * Throws where the login has to be mended or waited for. Accounts that were read before keep their data when their bank fails: such a login
 * fails only when all of it does.
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

/** Whether the owner's repair has worked as far as anybody can tell. */
export function isMended(accounts: readonly AggregationState[]): boolean {
  return (
    accounts.length > 0 &&
    !accounts.some(({ aggregationStatusCode: code }) => code !== null && code !== undefined && isFixable(String(code)))
  )
}

function digitsOf(code: string | null | undefined): string {
  return /^\d{1,6}$/.test(code ?? '') ? String(code) : 'unknown'
}
