import { deleteOldAudit } from '../../store/access/audit.ts'
import { deleteOldKeys } from '../../store/access/idempotency-keys.ts'
import { deleteOldAttempts } from '../../store/access/login-rate-limits.ts'
import { deleteOldPasswordResets } from '../../store/access/password-resets.ts'
import { deleteOldSessions } from '../../store/access/refresh-tokens.ts'
import { deleteOldChallenges } from '../../store/access/two-step.ts'
import type { Database } from '../../store/db/database.ts'

/** Audit entries are kept thirteen months. */
const AUDIT_MS = 396 * 86_400_000

/** Drops what access no longer needs; for a worker, once an hour or so. May run anywhere at any time, also twice at once. */
export async function pruneAccess(database: Database, at: Date): Promise<void> {
  await deleteOldSessions(database, at)
  await deleteOldChallenges(database, at)
  await deleteOldAttempts(database, at)
  await deleteOldPasswordResets(database)
  await deleteOldKeys(database)
  await deleteOldAudit(database, new Date(at.getTime() - AUDIT_MS))
}
