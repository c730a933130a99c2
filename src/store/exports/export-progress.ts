import type { Category, Entity } from '../../model/catalogue.ts'
import type { Json } from '../../model/values/json.ts'
import type { Db } from '../db/database.ts'
import type { ExportFormat, ExportKey } from './exports.ts'

/** Position at which the work on an export resumes. */
export interface ExportProgress {
  category: Category
  entity: Entity
  format: ExportFormat
  part: number
  /** Last record of the part that is in the file. */
  afterId: string
  /** Number of records of the part that are in the file. */
  partRows: number
  chunks: number
  rows: number
  bytes: number
}

/** Record set of an export. */
export interface ExportPart {
  part: number
  companyId: string
  serviceId: string
  /** Time of its publication as the database prints it, to the microsecond. */
  publishedAt: string
  records: number
}

/** Begins or resumes; null if there is nothing to do because the export was deleted or has ended. */
export async function beginExport(db: Db, { instanceId, id }: ExportKey): Promise<ExportProgress | null> {
  const { rows } = await db.query<ExportProgress>(
    `update exports set state = 'running' where instance_id = $1 and id = $2 and state in ('waiting', 'running')
     returning category, entity, format, part, after_id as "afterId", part_rows::float8 as "partRows", chunks, rows::float8 as rows,
       bytes::float8 as bytes`,
    [instanceId, id],
  )
  return rows[0] ?? null
}

export async function listParts(db: Db, { instanceId, id }: ExportKey, from: number, limit: number): Promise<ExportPart[]> {
  const { rows } = await db.query<ExportPart>(
    `select part, company_id as "companyId", service_id as "serviceId", published_at::text as "publishedAt", records::float8 as records
     from export_parts where instance_id = $1 and export_id = $2 and part >= $3 order by part limit $4`,
    [instanceId, id, from, limit],
  )
  return rows
}

export interface NewChunk {
  id: string
  bytes: number
  /** Summary that the end of the file repeats; null for formats without. */
  summary: Json
  sealed: Uint8Array
}

/**
 * Adds one piece to the file and moves the cursor, in the caller's transaction; `isLast` completes the file. False if
 * the export has ended, or another worker has written this piece: the caller then keeps nothing.
 */
export async function appendChunk(
  db: Db,
  { instanceId, id }: ExportKey,
  before: ExportProgress,
  after: ExportProgress & { isLast: boolean },
  chunk: NewChunk | null,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update exports set part = $4, after_id = $5, part_rows = $6, chunks = $7, rows = $8, bytes = $9,
       state = case when $12 then 'completed' else state end, ended_at = case when $12 then clock_timestamp() end
     where instance_id = $1 and id = $2 and state = 'running' and chunks = $3 and part = $10 and after_id = $11`,
    [
      ...[instanceId, id, before.chunks, after.part, after.afterId, after.partRows, after.chunks, after.rows, after.bytes],
      ...[before.part, before.afterId, after.isLast],
    ],
  )
  if (rowCount !== 1) return false
  if (chunk)
    await db.query(
      `insert into export_chunks (instance_id, id, export_id, number, starts_at, bytes, summary, sealed) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [instanceId, chunk.id, id, before.chunks, before.bytes, chunk.bytes, toJsonb(chunk.summary), chunk.sealed],
    )
  return true
}

function toJsonb(value: Json): string | null {
  return value === null ? null : JSON.stringify(value)
}

/** Summaries of all pieces, in order, which the end of the file repeats. */
export async function listSummaries(db: Db, { instanceId, id }: ExportKey): Promise<Json[]> {
  const { rows } = await db.query<{ summary: Json }>(
    'select summary from export_chunks where instance_id = $1 and export_id = $2 order by number',
    [instanceId, id],
  )
  return rows.map(({ summary }) => summary)
}

/** Ends an export without a file; `error` is shown to the customer. */
export async function failExport(db: Db, { instanceId, id }: ExportKey, error: string): Promise<void> {
  const { rowCount } = await db.query(
    `update exports set state = 'failed', error = $3, ended_at = clock_timestamp(), bytes = 0
     where instance_id = $1 and id = $2 and state in ('waiting', 'running')`,
    [instanceId, id, error],
  )
  if (rowCount === 1) await db.query('delete from export_chunks where instance_id = $1 and export_id = $2', [instanceId, id])
}

/** Piece of a file. */
export interface Chunk {
  id: string
  startsAt: number
  bytes: number
  sealed: Uint8Array
}

/** Piece that contains the byte at this offset; null if the file has none, or was deleted. */
export async function findChunkAt(db: Db, { instanceId, id }: ExportKey, place: number): Promise<Chunk | null> {
  const { rows } = await db.query<Chunk>(
    `select id, starts_at::float8 as "startsAt", bytes, sealed from export_chunks
     where instance_id = $1 and export_id = $2 and starts_at <= $3 order by number desc limit 1`,
    [instanceId, id, place],
  )
  const chunk = rows[0]
  return chunk && place < chunk.startsAt + chunk.bytes ? chunk : null
}
