import type { Db } from '../database.ts'

/** On a cluster: adds to the stored bytes of a connection; elsewhere triggers do (functions/count-stored-bytes.sql). */
export async function addStoredBytes(
  db: Db,
  { instanceId, connectionId }: { instanceId: string; connectionId: string },
  bytes: number,
): Promise<void> {
  if (!db.isDistributed || bytes === 0) return
  await db.query(
    `insert into stored_bytes as s (instance_id, connection_id, bytes) values ($1, $2, $3)
     on conflict (instance_id, connection_id) do update set bytes = s.bytes + excluded.bytes`,
    [instanceId, connectionId, bytes],
  )
}

/** On a cluster: the pages of these objects have been deleted, which a trigger notes elsewhere (functions/note-unclaimed-objects.sql). */
export async function queueObjectRemoval(
  db: Db,
  { instanceId, connectionId }: { instanceId: string; connectionId: string },
  objectIds: readonly string[],
): Promise<void> {
  if (!db.isDistributed || objectIds.length === 0) return
  await db.query(
    `insert into unclaimed_objects (object_key, is_condemned, due_at) select key, true, clock_timestamp() from unnest($1::text[]) key
     on conflict (object_key) do update set is_condemned = true, due_at = excluded.due_at`,
    [objectIds.map((id) => `${instanceId}/${connectionId}/${id}`)],
  )
}
