import type { Db } from '../db/database.ts'

export interface StoredFile {
  id: string
  name: string
  sealed: Uint8Array
}

/**
 * Stores an uploaded file until a run has read it. False when the same bytes were uploaded before for this connection.
 */
export async function storeFile(
  db: Db,
  file: { instanceId: string; id: string; connectionId: string; name: string; contentHash: Uint8Array; sealed: Uint8Array },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into source_files (instance_id, id, connection_id, name, content_hash, sealed)
     select $1, $2, $3, $4, $5, $6
     where not exists (select 1 from source_files where instance_id = $1 and connection_id = $3 and content_hash = $5)`,
    [file.instanceId, file.id, file.connectionId, file.name, file.contentHash, file.sealed],
  )
  return rowCount === 1
}

/** The oldest file after `after` (null: of all) whose bytes are still stored. */
export async function findNextFile(db: Db, instanceId: string, connectionId: string, after: string | null): Promise<StoredFile | null> {
  const { rows } = await db.query<StoredFile>(
    `select id, name, sealed from source_files where instance_id = $1 and connection_id = $2 and sealed is not null
       and ($3::uuid is null or (received_at, id) > (select received_at, id from source_files where instance_id = $1 and id = $3))
     order by received_at, id limit 1`,
    [instanceId, connectionId, after],
  )
  return rows[0] ?? null
}
