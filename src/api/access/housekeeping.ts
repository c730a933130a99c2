import { deleteOldAudit } from '../../store/access/audit.ts'
import { deleteOldKeys } from '../../store/access/idempotency-keys.ts'
import { deleteOldAttempts } from '../../store/access/login-rate-limits.ts'
import { deleteOldPasswordResets } from '../../store/access/password-resets.ts'
import { deleteOldSessions } from '../../store/access/refresh-tokens.ts'
import { deleteOldChallenges } from '../../store/access/two-step.ts'
import type { Database } from '../../store/db/database.ts'

/** Retention of audit entries: thirteen months. */
const AUDIT_MS = 396 * 86_400_000

/** Cleanup of access data, about hourly in a worker. Idempotent and safe to run concurrently. */
export async function pruneAccess(database: Database, at: Date): Promise<void> {
  await deleteOldSessions(database, at)
  await deleteOldChallenges(database, at)
  await deleteOldAttempts(database, at)
  await deleteOldPasswordResets(database)
  await deleteOldKeys(database)
  await deleteOldAudit(database, new Date(at.getTime() - AUDIT_MS))
}
