import type { Db } from '../db/database.ts'

/** Statements that clear what delays calls of an app at a source, and of the same app with other keys, which follow a slash. */
const OF_CLIENT = [
  `delete from source_pauses where split_part(connector_key, '/', 1) = $1`,
  `delete from source_limits where split_part(connector_key, '/', 1) = $1`,
  `update source_breakers set state = 'closed', until = null, closed_at = clock_timestamp(), updated_at = clock_timestamp(), probes_out = 0,
     probes_good = 0, steps = '{}', calls = '{}', failures = '{}' where split_part(connector_key, '/', 1) = $1`,
  `delete from source_alarms where split_part(connector_key, '/', 1) = $1`,
]

/** The same for the connections and jobs of an instance. */
const OF_INSTANCE = [
  `update connections set refresh_not_before = null, refresh_failures = 0
     where instance_id = $1 and connector_key = $2 and refresh_not_before is not null`,
  // Directories are read at night; nothing in them has failed.
  `update jobs set run_at = clock_timestamp(), attempts = 0 where instance_id = $1 and state = 'ready' and provider = $2 and kind <> 'directory'
     and run_at > statement_timestamp()`,
]

/** Source of an instance, by the name that limits and pauses have for its app (`nameOfClient`). */
interface Recovered {
  client: string
  connectorKey: string
  instanceId: string
}

/**
 * Resets a source of an instance after an outage: clears pauses, exhausted limits, open breakers, alarms and failed
 * credential refreshes, and makes waiting jobs due with all their attempts. Part of the caller's transaction.
 */
export async function forgetFailures(db: Db, { client, connectorKey, instanceId }: Recovered): Promise<void> {
  for (const text of OF_CLIENT) await db.query(text, [client])
  for (const text of OF_INSTANCE) await db.query(text, [instanceId, connectorKey])
}
