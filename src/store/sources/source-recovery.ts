import type { Db } from '../db/database.ts'

/**
 * Statements that clear what delays calls and jobs of one source ($1), including apps of an instance's own, marked by a
 * #.
 */
const FORGET = [
  `delete from source_pauses where split_part(connector_key, '#', 1) = $1`,
  `delete from source_limits where split_part(connector_key, '#', 1) = $1`,
  `update source_breakers set state = 'closed', until = null, closed_at = clock_timestamp(), updated_at = clock_timestamp(), probes_out = 0,
     probes_good = 0, steps = '{}', calls = '{}', failures = '{}' where split_part(connector_key, '#', 1) = $1`,
  `delete from source_alarms where split_part(connector_key, '#', 1) = $1`,
  `update connections set refresh_not_before = null, refresh_failures = 0 where connector_key = $1 and refresh_not_before is not null`,
  // Directories are read at night; nothing in them has failed.
  `update jobs set run_at = clock_timestamp(), attempts = 0 where state = 'ready' and provider = $1 and kind <> 'directory'
     and run_at > statement_timestamp()`,
]

/**
 * Resets a source after an outage: clears pauses, exhausted limits, open breakers, alarms and failed credential
 * refreshes, and makes waiting jobs due with all their attempts. Part of the caller's transaction.
 */
export async function forgetFailures(db: Db, connectorKey: string): Promise<void> {
  for (const text of FORGET) await db.query(text, [connectorKey])
}
