import type { Entity } from '../model/catalogue.ts'
import type { Db } from './database.ts'

/** The published data of one company at one service. */
export interface RecordScope {
  instanceId: string
  companyId: string
  serviceId: string
}

export interface CurrentRecord {
  id: string
  contentHash: Uint8Array
  sourceVersion: string | null
  deleted: boolean
}

/** What is published now for these ids; those never published are left out. */
export async function listCurrentHashes(db: Db, scope: RecordScope, entity: Entity, ids: string[]): Promise<CurrentRecord[]> {
  const { rows } = await db.query<CurrentRecord>({
    name: 'current-hashes',
    text: `select id, content_hash as "contentHash", source_version as "sourceVersion", deleted from record_versions
           where instance_id = $1 and company_id = $2 and service_id = $3 and entity = $4 and id = any($5) and valid_to is null`,
    values: [scope.instanceId, scope.companyId, scope.serviceId, entity, ids],
  })
  return rows
}

/** Ids of the living records that came through this connection. */
export async function listLivingIds(db: Db, scope: RecordScope, entity: Entity, connectionId: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from record_versions where instance_id = $1 and company_id = $2 and service_id = $3 and entity = $4
       and connection_id = $5 and valid_to is null and not deleted`,
    [scope.instanceId, scope.companyId, scope.serviceId, entity, connectionId],
  )
  return rows.map((row) => row.id)
}

/**
 * Makes the staged records of a run the current ones: closes the versions they replace and opens theirs; a staged removal opens a deleted
 * version. Gives how many records changed.
 */
export async function publishStaged(db: Db, scope: RecordScope, run: { id: string; connectionId: string }, at: Date): Promise<number> {
  const values = [scope.instanceId, scope.companyId, scope.serviceId, run.id, at]
  // NOTE the last text goes on as the deleted version's text, marked, so that includeDeleted can show what it was.
  const { rowCount } = await db.query(
    `with closed as (
       update record_versions v set valid_to = $5 from staged_records s
       where s.instance_id = $1 and s.run_id = $4 and v.instance_id = $1 and v.company_id = $2 and v.service_id = $3
         and v.entity = s.entity and v.id = s.id and v.valid_to is null and not (s.doc is null and v.deleted)
       returning v.entity, v.id, v.doc, v.content_hash, v.sort_key)
     insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, deleted, doc,
       content_hash, source_version, sort_key, run_id, raw_page_id, raw_index, mapping_version)
     select $1, $2, $3, s.entity, s.id, $5, s.orig_id, $6, s.doc is null, coalesce(s.doc, deleted_document(closed.doc, $5)),
       coalesce(s.content_hash, closed.content_hash), s.source_version, case when s.doc is null then closed.sort_key else s.sort_key end,
       $4, s.raw_page_id, s.raw_index, s.mapping_version
     from staged_records s left join closed on closed.entity = s.entity and closed.id = s.id
     where s.instance_id = $1 and s.run_id = $4 and (s.doc is not null or closed.id is not null)`,
    [...values, run.connectionId],
  )
  return rowCount ?? 0
}

/** Closes records that a complete listing no longer shows and opens their deleted versions. */
export async function publishDeletions(
  db: Db,
  scope: RecordScope,
  run: { id: string; connectionId: string },
  entity: Entity,
  ids: string[],
  at: Date,
): Promise<void> {
  if (ids.length === 0) return
  await db.query(
    `with closed as (
       update record_versions set valid_to = $7 where instance_id = $1 and company_id = $2 and service_id = $3 and entity = $4
         and id = any($5) and valid_to is null and not deleted returning *)
     insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, deleted, doc,
       content_hash, source_version, sort_key, run_id, raw_page_id, raw_index, mapping_version)
     select instance_id, company_id, service_id, entity, id, $7, orig_id, $8, true, deleted_document(doc, $7), content_hash, source_version, sort_key, $6,
       raw_page_id, raw_index, mapping_version from closed`,
    [scope.instanceId, scope.companyId, scope.serviceId, entity, ids, run.id, at, run.connectionId],
  )
}

/** Deletes everything that came through a connection, a bounded number of rows a call; true when nothing is left. */
export async function eraseRecords(db: Db, instanceId: string, connectionId: string, limit: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `delete from record_versions where ctid = any (array(
       select ctid from record_versions where instance_id = $1 and connection_id = $2 limit $3))`,
    [instanceId, connectionId, limit],
  )
  return (rowCount ?? 0) < limit
}
