import type { Entity } from '../../model/catalogue.ts'
import { THROUGH_CONNECTION, throughConnection } from '../connections/through-connection.ts'
import type { Db } from '../db/database.ts'

/** Record scope: the published data of one company at one service. */
export interface RecordScope {
  instanceId: string
  companyId: string
  serviceId: string
}

/** The first three parameters of most statements: instance, company and service. */
export function scopeValues({ instanceId, companyId, serviceId }: RecordScope): [instanceId: string, companyId: string, serviceId: string] {
  return [instanceId, companyId, serviceId]
}

/** Where the values of a record set stand in a statement. */
interface RecordSetParameters {
  /** SQL. */
  entity?: string
  /** Number of the parameter with the instance; company and service follow it. */
  first?: number
  /** Whether the statement reads a set in the order of the list index. Not on a cluster, where the company chooses the shard. */
  isWhole?: boolean
}

/**
 * Condition of one record set, with the hash that leads both indexes: a statement without it scans the whole table.
 * NOTE the planner takes each of the four values for rare, and so expects one row of a set, which it would rather sort
 * than read in order. Of a `coalesce` it expects half of the rows, so for a whole set the values are within one.
 */
export function inRecordSet(alias: string, { entity = '$4', first = 1, isWhole = false }: RecordSetParameters = {}): string {
  const of = alias === '' ? '' : `${alias}.`
  const [instance, company, service] = [`$${first}`, `$${first + 1}`, `$${first + 2}`]
  const values = `${of}instance_id = ${instance} and ${of}company_id = ${company} and ${of}service_id = ${service} and ${of}entity = ${entity}`
  return `${isWhole ? `coalesce(${values}, false)` : values} and ${of}record_set = record_set_key(${company}, ${service}, ${entity})`
}

/** Record set of one entity: instance ($1), company ($2), service ($3), entity ($4). */
export const IN_RECORD_SET = inRecordSet('')

/** Record sets of both entities. */
export const IN_RECORD_SETS = 'instance_id = $1 and company_id = $2 and service_id = $3 and record_set = any (record_set_keys($2, $3))'

/** Instance, company and service of a record set, as SQL. */
type ScopeSql = readonly [instance: string, company: string, service: string]

/**
 * First publication of the connection whose data is published, as SQL. On a cluster the publication knows it, in the
 * shard of its records.
 */
export function firstPublished(db: Db, [instance, company, service]: ScopeSql): string {
  const source = db.isDistributed ? 'publications' : 'connections'
  return `(select max(first_published_at) from ${source} where instance_id = ${instance} and company_id = ${company} and service_id = ${service})`
}

/**
 * Since when readers see a version of a record: SQL over `record_versions`. The first versions of a connection are valid
 * from `-infinity`, which means from its first publication: its data replaced that of any connection before.
 */
export function visibleFrom(db: Db, version: string, scope: ScopeSql): string {
  return `greatest(${version}.valid_from, ${firstPublished(db, scope)})`
}

export interface CurrentRecord {
  id: string
  contentHash: Uint8Array
  sourceVersion: string | null
  deleted: boolean
}

/** Published hashes of this connection for these ids; unpublished ids are left out. */
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
           where ${IN_RECORD_SET} and id = any($5) and connection_id = $6
             and valid_to is null`,
    values: [...scopeValues(scope), entity, ids, connectionId],
  })
  return rows
}

/** Ids of the active records of this connection: the next ones after `after`, ascending. */
export async function listUndeletedIds(
  db: Db,
  scope: RecordScope,
  entity: Entity,
  connectionId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from record_versions where ${IN_RECORD_SET} and id > $5 and connection_id = $6 and valid_to is null and ${NOT_DELETED} order by id limit $7`,
    [...scopeValues(scope), entity, after, connectionId, limit],
  )
  return rows.map((row) => row.id)
}

/**
 * Not deleted, for lookups by id. NOTE `not deleted` would let the planner use the list index, which would scan every
 * row for each record; of a cast it would expect one row in 200, and sort a whole record set for each piece of it.
 */
export const NOT_DELETED = 'deleted is not true'

/** Columns of a version, in the order in which they are written. */
export const VERSION_COLUMNS = `instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, deleted, doc,
  content_hash, source_version, sort_key, run_id, raw_page_id, raw_index, mapping_version`

/** Closes records that a complete listing no longer shows and opens their deleted versions (tombstones). */
export async function publishDeletions(
  db: Db,
  scope: RecordScope,
  run: { id: string; connectionId: string },
  entity: Entity,
  ids: string[],
  at: Date,
): Promise<void> {
  if (ids.length === 0) return
  const values = [...scopeValues(scope), entity, ids, at]
  await db.query(
    `update record_versions set valid_to = $6 where ${IN_RECORD_SET} and id = any($5) and valid_to is null and ${NOT_DELETED}`,
    values,
  )
  await db.query(
    `insert into record_versions (${VERSION_COLUMNS})
     select $1, company_id, $3, $4, id, $6, orig_id, $8, true, deleted_document(doc, $6), content_hash, source_version, sort_key, $7,
       raw_page_id, raw_index, mapping_version
     from record_versions where ${IN_RECORD_SET} and id = any($5) and valid_to = $6`,
    [...values, run.id, run.connectionId],
  )
}

/** Erases the records of a connection, up to `limit` rows per call; returns their number. */
export async function eraseRecords(db: Db, instanceId: string, connectionId: string, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from record_versions where company_id = $3 and ctid = any (array(
       select ctid from record_versions where ${THROUGH_CONNECTION} limit $5))`,
    [...(await throughConnection(db, instanceId, connectionId)), limit],
  )
  return rowCount ?? 0
}

/** Current version of an account, deleted or not, with the location of its raw record. */
export interface CurrentAccount {
  id: string
  deleted: boolean
  /** The id that readers see. */
  keptOrigId: string
  /** Masked number of a bank account; empty where there is none. */
  number: string
  rawPageId: string | null
  rawIndex: number
}

export async function listCurrentAccounts(db: Db, scope: RecordScope): Promise<CurrentAccount[]> {
  const { rows } = await db.query<CurrentAccount>(
    `select id, deleted, doc::json ->> 'origId' as "keptOrigId", coalesce(doc::json ->> 'accountNumber', '') as number, raw_page_id as "rawPageId", raw_index as "rawIndex" from record_versions
     where ${inRecordSet('', { entity: "'Accounts'" })} and valid_to is null order by id`,
    scopeValues(scope),
  )
  return rows
}
