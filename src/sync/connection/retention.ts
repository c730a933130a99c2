import type { Database } from '../../store/db/database.ts'
import { deleteOldPages, listConnectionsWithOldPages } from '../../store/records/raw-pages.ts'
import { deleteOldReplays } from '../../store/records/replays.ts'

/** Reports of replays are looked at within days. */
const REPLAY_DAYS = 90

/** Deletes raw pages past their time and reports of old replays; gives how many pages. Any process may call it at any time. */
export async function tidyRawPages(database: Database, months: number): Promise<number> {
  let deleted = 0
  for (const { instanceId, connectionId } of await listConnectionsWithOldPages(database, months)) {
    deleted += await deleteOldPages(database, instanceId, connectionId, months)
  }
  await deleteOldReplays(database, REPLAY_DAYS)
  return deleted
}
