import type { RunOwner } from '../connections/sync-runs.ts'
import { addStoredBytes } from '../db/cluster/without-triggers.ts'
import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'

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
  connection: RunOwner,
  file: { id: string; name: string; contentHash: Uint8Array; sealed: Uint8Array },
): Promise<boolean> {
  const { instanceId, companyId, id } = connection
  const known = await db.query(
    `select from source_files where instance_id = $1 and connection_id = $2 and ${ofCompany('company_id', '$3')} and content_hash = $4 limit 1`,
    [instanceId, id, companyId, file.contentHash],
  )
  if (known.rowCount === 1) return false
  await db.query(
    `insert into source_files (instance_id, id, connection_id, name, content_hash, sealed, company_id) values ($1, $2, $3, $4, $5, $6, $7)`,
    [instanceId, file.id, id, file.name, file.contentHash, file.sealed, companyId],
  )
  await addStoredBytes(db, { instanceId, connectionId: id }, file.sealed.length)
  return true
}

/** The oldest file after `after` (null: of all) whose bytes are still stored. */
export async function findNextFile(db: Db, { instanceId, companyId, id }: RunOwner, after: string | null): Promise<StoredFile | null> {
  const { rows } = await db.query<StoredFile>(
    `select id, name, sealed from source_files
     where instance_id = $1 and connection_id = $2 and ${ofCompany('company_id', '$4')} and sealed is not null and ($3::uuid is null
       or (received_at, id) > (select received_at, id from source_files where instance_id = $1 and id = $3 and ${ofCompany('company_id', '$4')}))
     order by received_at, id limit 1`,
    [instanceId, id, after, companyId],
  )
  return rows[0] ?? null
}
