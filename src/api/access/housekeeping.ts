import { deleteOldAudit } from '../../store/audit.ts'
import type { Database } from '../../store/database.ts'
import { deleteOldKeys } from '../../store/idempotency-keys.ts'
import { deleteOldAttempts } from '../../store/login-throttle.ts'
import { deleteOldPasswordResets } from '../../store/password-resets.ts'
import { deleteOldSessions } from '../../store/refresh-tokens.ts'
import { deleteOldChallenges } from '../../store/two-step.ts'

/** Audit entries are kept thirteen months. */
const AUDIT_MS = 396 * 86_400_000

/** Drops what access no longer needs; for a worker, once an hour or so. May run anywhere at any time, also twice at once. */
export async function tidyAccess(database: Database, at: Date): Promise<void> {
  await deleteOldSessions(database, at)
  await deleteOldChallenges(database, at)
  await deleteOldAttempts(database, at)
  await deleteOldPasswordResets(database)
  await deleteOldKeys(database)
  await deleteOldAudit(database, new Date(at.getTime() - AUDIT_MS))
}
