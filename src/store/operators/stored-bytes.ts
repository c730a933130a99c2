import { type Database, inTransaction } from '../db/database.ts'

/** Connections in one transaction. */
const CONNECTIONS = 100

/**
 * Counts the stored bytes of connections from a release that did not, and of those that have none; a periodic task.
 * Afterwards triggers keep the sums (functions/count-stored-bytes.sql).
 */
export async function countStoredBytes(database: Database, isStopping: () => boolean = () => false): Promise<void> {
  while (!isStopping()) {
    const count = await inTransaction(database, async (db) => {
      const { rows } = await db.query<{ instanceId: string; id: string }>(
        `select c.instance_id as "instanceId", c.id from connections c
         where not exists (select from stored_bytes s where s.instance_id = c.instance_id and s.connection_id = c.id)
         order by c.instance_id, c.id limit $1 for key share`,
        [CONNECTIONS],
      )
      for (const instanceId of new Set(rows.map((row) => row.instanceId)))
        await db.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [`stored bytes/${instanceId}`])
      // NOTE a statement of its own: it must see what was deleted before the lock.
      await db.query(
        `insert into stored_bytes (instance_id, connection_id, bytes)
         select c.instance_id, c.id,
           coalesce((select sum(octet_length(p.sealed) + coalesce(p.object_bytes, 0)) from raw_pages p
             where p.instance_id = c.instance_id and p.connection_id = c.id), 0)
           + coalesce((select sum(octet_length(f.sealed)) from source_files f where f.instance_id = c.instance_id and f.connection_id = c.id), 0)
         from unnest($1::uuid[], $2::uuid[]) as c (instance_id, id) on conflict do nothing`,
        [rows.map((row) => row.instanceId), rows.map((row) => row.id)],
      )
      return rows.length
    })
    if (count < CONNECTIONS) return
  }
}
