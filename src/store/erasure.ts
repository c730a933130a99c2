import type { Db } from './database.ts'

/** Deletes what a connection left besides its records: pages, runs, files, set-aside records. Its row and timeline stay as history. */
export async function eraseConnectionData(db: Db, instanceId: string, connectionId: string): Promise<void> {
  for (const table of ['raw_pages', 'sync_runs', 'source_files', 'quarantined_records', 'record_versions']) {
    await db.query(`delete from ${table} where instance_id = $1 and connection_id = $2`, [instanceId, connectionId])
  }
  await db.query(`update connections set cursors = '{}', fault = null where instance_id = $1 and id = $2`, [instanceId, connectionId])
}
