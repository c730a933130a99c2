import { SourceError } from '../contract/contract.ts'
import { type ReasonWords, reasonFor } from '../contract/reconnect-reasons.ts'
import type { MxMember } from './wire.ts'

const REASONS: ReasonWords = {
  codeNeeded: ['CHALLENGED', 'REJECTED', 'EXPIRED'],
  loginChanged: ['DENIED', 'PREVENTED', 'LOCKED', 'IMPAIRED'],
}

/**
 * Statuses that only the owner can resolve.
 * Source: https://docs.mx.com/api-reference/platform-api/reference/member-connection-statuses
 */
const NEEDS_OWNER: ReadonlySet<string> = new Set([
  ...['PREVENTED', 'DENIED', 'CHALLENGED', 'REJECTED', 'LOCKED', 'IMPEDED', 'IMPORTED', 'EXPIRED', 'IMPAIRED'],
  // Connection ended; the owner may create another one.
  ...['DISCONNECTED', 'DISCONTINUED', 'CLOSED', 'DISABLED'],
])

export function needsOwner(status: string | null | undefined): boolean {
  return NEEDS_OWNER.has(status ?? '')
}

/**
 * Throws when the member's data cannot be read now: `reconnect` when the owner has to act, `unavailable` before the
 * first reading at the bank is done. Errors between MX and the bank (DEGRADED, DELAYED, FAILED) leave the older data,
 * with their date.
 */
export function checkReadable(member: MxMember): void {
  const status = member.connection_status ?? null
  if (needsOwner(status)) throw new SourceError('reconnect', `the bank login at MX is ${status}`, { reason: reasonFor(REASONS, status) })
  if (member.needs_updated_credentials === true)
    throw new SourceError('reconnect', 'MX needs the bank login again', { reason: 'loginChanged' })
  if (!member.successfully_aggregated_at) {
    throw new SourceError('unavailable', `MX has not read the bank yet${status === null ? '' : ` (${status})`}`)
  }
}
