import type { Category, Entity } from '../../model/catalogue.ts'
import { type Database, type Db, inTransaction } from '../db/database.ts'
import { type Columns, type Filter, toCondition } from '../db/list-selection.ts'
import { countRows } from '../db/lists/count-rows.ts'
import { type Delivery, type ExportKey, IS_BEING_ERASED, queueErasures, queueRemains } from './deliveries.ts'

export const EXPORT_FORMATS = ['ndjson', 'csv', 'parquet'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** `erased`: data of the export has been erased since, and the file with it. */
export const EXPORT_STATES = ['waiting', 'running', 'completed', 'failed', 'erased'] as const
export type ExportState = (typeof EXPORT_STATES)[number]

export type { ExportKey }

/** Export: records of one kind of a company, or of all companies, as a file. */
export interface Export extends ExportKey {
  /** Null: all companies. */
  companyId: string | null
  category: Category
  entity: Entity
  format: ExportFormat
  state: ExportState
  requestedBy: string
  requestedAt: Date
  /** For the whole export, as published at the request. */
  expectedRows: number
  rows: number
  bytes: number
  error: string | null
  endedAt: Date | null
  delivery: (Pick<Delivery, 'destinationId' | 'objectKey' | 'state' | 'error'> & { partsSent: number }) | null
}

export type NewExport = Pick<Export, 'instanceId' | 'id' | 'companyId' | 'category' | 'entity' | 'format' | 'requestedBy'>

const COLUMNS = `e.instance_id as "instanceId", e.id, e.company_id as "companyId", e.category, e.entity, e.format, e.state,
  e.requested_by as "requestedBy", e.requested_at as "requestedAt", e.rows::float8 as rows, e.bytes::float8 as bytes, e.error, e.ended_at as "endedAt",
  (select json_build_object('destinationId', d.destination_id, 'objectKey', d.object_key, 'state', d.state, 'partsSent', cardinality(d.etags), 'error', d.error)
    from export_deliveries d where d.instance_id = e.instance_id and d.export_id = e.id) as delivery,
  (select coalesce(sum(p.records), 0)::float8 from export_parts p where p.instance_id = e.instance_id and p.export_id = e.id) as "expectedRows"`

/**
 * Inserts an export and pins it: one part per service with published data, with its publication. The publications are
 * locked until the transaction ends, so that a publication being closed is either not included, or erases the export.
 */
export async function insertExport(db: Db, wanted: NewExport): Promise<void> {
  const { instanceId, id, companyId, category, entity, format, requestedBy } = wanted
  await db.query(
    'insert into exports (instance_id, id, company_id, category, entity, format, requested_by) values ($1, $2, $3, $4, $5, $6, $7)',
    [instanceId, id, companyId, category, entity, format, requestedBy],
  )
  await lockPins(db, instanceId)
  const publications = db.isDistributed ? await listToPin(db, instanceId, companyId) : null
  await db.query(
    `with pinned as (
       select p.company_id, p.service_id, p.published_at, p.accounts, p.transactions from ${publications === null ? 'publications p' : PINNED_ROWS}
       where p.instance_id = $1 and ($3::uuid is null or p.company_id = $3)
         and exists (select from connections c where c.instance_id = $1 and c.company_id = p.company_id and c.service_id = p.service_id
           and c.category = $4 and c.first_published_at is not null)
       ${publications === null ? 'for key share of p' : ''})
     insert into export_parts (instance_id, export_id, part, company_id, service_id, published_at, records)
     select $1, $2, row_number() over (order by company_id, service_id) - 1, company_id, service_id, published_at,
       case $5 when 'Accounts' then accounts else transactions end from pinned`,
    [instanceId, id, companyId, category, entity, ...(publications === null ? [] : [publications])],
  )
}

const PINNED_ROWS = `jsonb_to_recordset($6::jsonb)
  as p (instance_id uuid, company_id uuid, service_id uuid, published_at timestamptz, accounts integer, transactions integer)`

/** Publications as JSON text. Rows of several nodes cannot be locked by one statement: `lockPins` stands for it. */
async function listToPin(db: Db, instanceId: string, companyId: string | null): Promise<string> {
  const { rows } = await db.query<{ pinned: string | null }>(
    `select json_agg(json_build_object('instance_id', instance_id, 'company_id', company_id, 'service_id', service_id, 'published_at', published_at::text,
       'accounts', accounts, 'transactions', transactions))::text as pinned
     from publications where instance_id = $1 and ${companyId === null ? '$2::uuid is null' : 'company_id = $2'}`,
    [instanceId, companyId],
  )
  return rows[0]?.pinned ?? '[]'
}

/**
 * On a cluster: until the transaction has ended on all nodes, no publication of the instance is closed that an export
 * could pin, and none is pinned that is being closed.
 */
export async function lockPins(db: Db, instanceId: string): Promise<void> {
  if (!db.isDistributed) return
  await db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`pins/${instanceId}`])
}

export async function findExport(db: Db, { instanceId, id }: ExportKey): Promise<Export | null> {
  const { rows } = await db.query<Export>(`select ${COLUMNS} from exports e where e.instance_id = $1 and e.id = $2`, [instanceId, id])
  return rows[0] ?? null
}

const LISTED = {
  id: { sql: 'e.id', type: 'uuid' },
  companyId: { sql: 'e.company_id', type: 'uuid' },
  category: { sql: 'e.category', type: 'string' },
  entity: { sql: 'e.entity', type: 'string' },
  format: { sql: 'e.format', type: 'string' },
  state: { sql: 'e.state', type: 'string' },
  requestedBy: { sql: 'e.requested_by', type: 'string' },
  requestedOn: { sql: 'e.requested_at', type: 'date' },
  endedOn: { sql: 'e.ended_at', type: 'date' },
  expiresOn: { sql: `e.requested_at + interval '7 days'`, type: 'date' },
} as const satisfies Columns

/** Newest first. */
export async function listExports(
  db: Db,
  instanceId: string,
  { filter, limit, offset }: { filter: Filter; limit: number; offset: number },
): Promise<{ exports: Export[]; total: number }> {
  const values: unknown[] = [instanceId]
  const condition = `e.instance_id = $1 and ${toCondition(filter, LISTED, values)}`
  const total = await countRows(db, `from exports e where ${condition}`, values)
  const { rows } = await db.query<Export>(
    `select ${COLUMNS} from exports e where ${condition} order by e.requested_at desc, e.id limit $${values.push(limit)} offset $${values.push(offset)}`,
    values,
  )
  return { exports: rows, total }
}

/**
 * Deletes an export with its file, in the caller's transaction; its running job then stops. Refused while its object is
 * being deleted at a destination (`erasing`).
 */
export async function deleteExport(db: Db, key: ExportKey): Promise<'deleted' | 'unknown' | 'erasing'> {
  const values = [key.instanceId, key.id]
  // Separate statement: after the lock, no erasure can be queued that it does not see.
  await db.query('select from exports where instance_id = $1 and id = $2 for update', values)
  const { rows } = await db.query<{ isErasing: boolean }>(
    `select (${IS_BEING_ERASED}) as "isErasing" from exports e where e.instance_id = $1 and e.id = $2`,
    values,
  )
  const [found] = rows
  if (!found) return 'unknown'
  if (found.isErasing) return 'erasing'
  await queueRemains(db, key)
  await db.query('delete from exports where instance_id = $1 and id = $2', values)
  return 'deleted'
}

/** False, and nothing is deleted, while the object of any of them is being deleted at a destination. */
export async function deleteExportsOfCompany(db: Db, instanceId: string, companyId: string): Promise<boolean> {
  const values = [instanceId, companyId]
  await db.query('select from exports where instance_id = $1 and company_id = $2 order by id for update', values)
  const { rows } = await db.query<{ id: string; isErasing: boolean }>(
    `select e.id, (${IS_BEING_ERASED}) as "isErasing" from exports e where e.instance_id = $1 and e.company_id = $2`,
    values,
  )
  if (rows.some(({ isErasing }) => isErasing)) return false
  for (const { id } of rows) await deleteExport(db, { instanceId, id })
  return true
}

/** Number of exports of an instance: unfinished ones, and all. Other callers wait until the transaction ends. */
export async function countExports(db: Db, instanceId: string): Promise<{ unfinished: number; all: number }> {
  await db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`exports/${instanceId}`])
  const { rows } = await db.query<{ unfinished: number; all: number }>(
    `select (count(*) filter (where state in ('waiting', 'running')))::int as unfinished, count(*)::int as all from exports where instance_id = $1`,
    [instanceId],
  )
  return rows[0] ?? { unfinished: 0, all: 0 }
}

/**
 * Retention: deletes exports requested more than `days` ago, with their files. An export whose object is being deleted
 * at a destination stays until a later run.
 */
export async function deleteOldExports(database: Database, days: number): Promise<void> {
  const { rows } = await database.query<ExportKey>(
    `select instance_id as "instanceId", id from exports where requested_at < statement_timestamp() - make_interval(days => $1)`,
    [days],
  )
  for (const key of rows) await inTransaction(database, (db) => deleteExport(db, key))
}

/** Erases export files that contain data of a company at one service, in the caller's transaction. */
export async function eraseExportsWith(db: Db, at: { instanceId: string; companyId: string; serviceId: string }): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    `update exports e set state = 'erased', error = null, ended_at = coalesce(e.ended_at, clock_timestamp()), bytes = 0
     where e.instance_id = $1 and e.state <> 'erased' and exists (select from export_parts p
       where p.instance_id = e.instance_id and p.export_id = e.id and p.company_id = $2 and p.service_id = $3)
     returning e.id`,
    [at.instanceId, at.companyId, at.serviceId],
  )
  await eraseFiles(db, at.instanceId, rows)
}

/** Erases all export files of an instance, here and at destinations, in the caller's transaction. */
export async function eraseAllExports(db: Db, instanceId: string): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    `update exports set state = 'erased', error = null, ended_at = coalesce(ended_at, clock_timestamp()), bytes = 0
     where instance_id = $1 and state <> 'erased' returning id`,
    [instanceId],
  )
  await eraseFiles(db, instanceId, rows)
}

async function eraseFiles(db: Db, instanceId: string, exports: readonly { id: string }[]): Promise<void> {
  if (exports.length === 0) return
  const ids = exports.map(({ id }) => id)
  await db.query('delete from export_chunks where instance_id = $1 and export_id = any($2)', [instanceId, ids])
  await queueErasures(db, instanceId, ids)
}
