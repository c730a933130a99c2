import type { Database } from '../../store/db/database.ts'
import { deleteOldPages, listConnectionsWithOldPages } from '../../store/records/raw-pages.ts'
import { deleteOldReplays } from '../../store/records/replays.ts'

/** Retention of replay reports. */
const REPLAY_DAYS = 90

/**
 * Retention: deletes old raw pages and reports of old replays; returns the number of pages. Safe in any process at any
 * time.
 */
export async function tidyRawPages(database: Database, months: number): Promise<number> {
  let deleted = 0
  for (const { instanceId, connectionId } of await listConnectionsWithOldPages(database, months)) {
    deleted += await deleteOldPages(database, instanceId, connectionId, months)
  }
  await deleteOldReplays(database, REPLAY_DAYS)
  return deleted
}
