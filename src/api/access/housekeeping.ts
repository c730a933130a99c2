import { deleteOldAudit } from '../../store/access/audit.ts'
import { deleteOldKeys } from '../../store/access/idempotency-keys.ts'
import { deleteOldAttempts } from '../../store/access/login-rate-limits.ts'
import { deleteOldPasskeyChallenges } from '../../store/access/passkeys.ts'
import { deleteOldPasswordResets } from '../../store/access/password-resets.ts'
import { deleteOldProviderSessions } from '../../store/access/provider-sessions.ts'
import { deleteOldSessions } from '../../store/access/sessions.ts'
import { deleteOldChallenges } from '../../store/access/two-step.ts'
import type { Database } from '../../store/db/database.ts'
import { deleteOldOperatorSessions } from '../../store/operators/operator-sessions.ts'

/**
 * Cleanup of access data, about hourly in a worker. `auditMonths`: retention of audit entries; null: for ever.
 * Idempotent and safe to run concurrently.
 */
export async function pruneAccess(database: Database, at: Date, auditMonths: number | null): Promise<void> {
  await deleteOldProviderSessions(database, at)
  await deleteOldSessions(database, at)
  await deleteOldChallenges(database, at)
  await deleteOldPasskeyChallenges(database, at)
  await deleteOldAttempts(database, at)
  await deleteOldPasswordResets(database)
  await deleteOldKeys(database)
  await deleteOldOperatorSessions(database, at)
  if (auditMonths !== null) await deleteOldAudit(database, monthsBefore(at, auditMonths))
}

/** The same day of an earlier month; its last day where that month is shorter. */
function monthsBefore(at: Date, months: number): Date {
  const before = new Date(at)
  before.setUTCMonth(before.getUTCMonth() - months)
  if (before.getUTCDate() !== at.getUTCDate()) before.setUTCDate(0)
  return before
}
