import type { Entity } from '../model/catalogue.ts'
import type { Db } from './database.ts'

/** The published data of one company at one service. */
export interface RecordScope {
  instanceId: string
  companyId: string
  serviceId: string
}

/**
 * Of a connection ($1 its instance, $2 its id), found by the place of its data: an index over connections alone would cost every write, and without
 * statistics, as after a first sync, PostgreSQL takes it to look up a record among all of the connection.
 */
export const THROUGH_CONNECTION = `instance_id = $1 and connection_id = $2
  and (company_id, service_id) = (select company_id, service_id from connections where instance_id = $1 and id = $2)`

export interface CurrentRecord {
  id: string
  contentHash: Uint8Array
  sourceVersion: string | null
  deleted: boolean
}

/** What this connection has published for these ids; those it never published are left out. */
export async function listCurrentHashes(
  db: Db,
  scope: RecordScope,
  entity: Entity,
  ids: string[],
  connectionId: string,
): Promise<CurrentRecord[]> {
  const { rows } = await db.query<CurrentRecord>({
    name: 'current-hashes',
    text: `select id, content_hash as "contentHash", source_version as "sourceVersion", deleted from record_versions
           where instance_id = $1 and company_id = $2 and service_id = $3 and entity = $4 and id = any($5) and connection_id = $6
             and valid_to is null`,
    values: [scope.instanceId, scope.companyId, scope.serviceId, entity, ids, connectionId],
  })
  return rows
}

/** Ids of living records that came through this connection: the next ones behind `after`, ascending. */
export async function listLivingIds(
  db: Db,
  scope: RecordScope,
  entity: Entity,
  connectionId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from record_versions where instance_id = $1 and company_id = $2 and service_id = $3 and entity = $4
       and id > $5 and connection_id = $6 and valid_to is null and not deleted order by id limit $7`,
    [scope.instanceId, scope.companyId, scope.serviceId, entity, after, connectionId, limit],
  )
  return rows.map((row) => row.id)
}

/** Records published by one statement: one over a million of them would outlast its time limit. */
const PUBLISH_BATCH = 20_000
/** Sorts before every id of a record. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

interface Publisher {
  id: string
  connectionId: string
}

/**
 * Makes the staged records of a run the current ones: closes the versions they replace and opens theirs; a staged removal opens a deleted
 * version. Gives how many records changed.
 */
export async function publishStaged(db: Db, scope: RecordScope, run: Publisher, at: Date): Promise<number> {
  const { rows } = await db.query<{ hasCurrent: boolean }>(
    `select exists (select from record_versions where instance_id = $1 and company_id = $2 and service_id = $3 and valid_to is null) as "hasCurrent"`,
    [scope.instanceId, scope.companyId, scope.serviceId],
  )
  let changed = 0
  for (const entity of ['Accounts', 'Transactions'] as const) {
    let after: string | null = FIRST_ID
    while (after !== null) {
      const last: string | null = await findBatchEnd(db, scope.instanceId, run.id, entity, after)
      changed += await publishRange(db, scope, run, at, { entity, after, last, hasCurrent: rows[0]?.hasCurrent ?? true })
      after = last
    }
  }
  return changed
}

/** The last id of a batch of staged records behind this one; null when what is left is less than a batch. */
async function findBatchEnd(db: Db, instanceId: string, runId: string, entity: Entity, after: string): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    'select id from staged_records where instance_id = $1 and run_id = $2 and entity = $3 and id > $4 order by id offset $5 limit 1',
    [instanceId, runId, entity, after, PUBLISH_BATCH - 1],
  )
  return rows[0]?.id ?? null
}

/** NOTE no joins between the two tables: without statistics, as in the midst of a first sync, PostgreSQL may choose to read one whole for each row of the other. */
async function publishRange(
  db: Db,
  scope: RecordScope,
  run: Publisher,
  at: Date,
  range: { entity: Entity; after: string; last: string | null; hasCurrent: boolean },
): Promise<number> {
  const values = [scope.instanceId, scope.companyId, scope.serviceId, range.entity, run.id, range.after, range.last ?? LAST_ID, at]
  const staged = 'instance_id = $1 and run_id = $5 and entity = $4 and id > $6 and id <= $7'
  const current = `instance_id = $1 and company_id = $2 and service_id = $3 and entity = $4 and valid_to is null`
  let removed = 0
  if (range.hasCurrent) {
    await db.query(
      `update record_versions set valid_to = $8 where ${current}
         and id = any (array(select id from staged_records where ${staged} and doc is not null))`,
      values,
    )
    // The last text goes on as the deleted version's text, marked, so that includeDeleted can show what it was; its source version too,
    // so that an older page that comes late does not bring the record back.
    const { rowCount } = await db.query(
      `with closed as (
         update record_versions set valid_to = $8 where ${current} and not deleted
           and id = any (array(select id from staged_records where ${staged} and doc is null)) returning *)
       insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, deleted, doc,
         content_hash, source_version, sort_key, run_id, raw_page_id, raw_index, mapping_version)
       select $1, $2, $3, $4, c.id, $8, s.orig_id, $9, true, deleted_document(c.doc, $8), c.content_hash, coalesce(s.source_version, c.source_version), c.sort_key, $5,
         s.raw_page_id, s.raw_index, s.mapping_version
       from closed c join staged_records s on s.instance_id = $1 and s.run_id = $5 and s.entity = $4 and s.id = c.id`,
      [...values, run.connectionId],
    )
    removed = rowCount ?? 0
  }
  // In the order of the key, so that its index grows at its end.
  const { rowCount } = await db.query(
    `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, deleted, doc,
       content_hash, source_version, sort_key, run_id, raw_page_id, raw_index, mapping_version)
     select $1, $2, $3, $4, id, $8, orig_id, $9, false, doc, content_hash, source_version, sort_key, $5, raw_page_id, raw_index, mapping_version
     from staged_records where ${staged} and doc is not null order by id`,
    [...values, run.connectionId],
  )
  return removed + (rowCount ?? 0)
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

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

/** Deletes what an earlier, ended connection left at this place and nobody has erased yet. */
export async function eraseLeftovers(db: Db, scope: RecordScope, connectionId: string): Promise<void> {
  await db.query('delete from record_versions where instance_id = $1 and company_id = $2 and service_id = $3 and connection_id <> $4', [
    scope.instanceId,
    scope.companyId,
    scope.serviceId,
    connectionId,
  ])
}

/** Deletes everything that came through a connection, a bounded number of rows a call; true when nothing is left. */
export async function eraseRecords(db: Db, instanceId: string, connectionId: string, limit: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `delete from record_versions where ctid = any (array(
       select ctid from record_versions where ${THROUGH_CONNECTION} limit $3))`,
    [instanceId, connectionId, limit],
  )
  return (rowCount ?? 0) < limit
}

/** The current version of an account, deleted or not, with the place of its raw record. */
export interface CurrentAccount {
  id: string
  deleted: boolean
  /** As readers see it. */
  keptOrigId: string
  /** Of a bank account, masked; empty where there is none. */
  number: string
  rawPageId: string | null
  rawIndex: number
}

export async function listCurrentAccounts(db: Db, scope: RecordScope): Promise<CurrentAccount[]> {
  const { rows } = await db.query<CurrentAccount>(
    `select id, deleted, doc::json ->> 'origId' as "keptOrigId", coalesce(doc::json ->> 'accountNumber', '') as number, raw_page_id as "rawPageId", raw_index as "rawIndex" from record_versions
     where instance_id = $1 and company_id = $2 and service_id = $3 and entity = 'Accounts' and valid_to is null order by id`,
    [scope.instanceId, scope.companyId, scope.serviceId],
  )
  return rows
}
