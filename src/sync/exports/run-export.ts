import { randomUUID } from 'node:crypto'
import type { JobSignal } from '../../jobs/running-job.ts'
import { backoffMs, type Outcome } from '../../jobs/worker.ts'
import { FIRST_ID } from '../../model/values/first-id.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { type PinnedReads, pinnedReads } from '../../store/db/replicas/pinned-reads.ts'
import {
  appendChunk,
  beginExport,
  type ExportPart,
  type ExportProgress,
  failExport,
  listParts,
  listSummaries,
} from '../../store/exports/export-progress.ts'
import type { ExportFormat, ExportKey } from '../../store/exports/exports.ts'
import { enqueueJob, type Job } from '../../store/jobs/jobs.ts'
import type { SealContext } from '../../store/keys/sealing.ts'
import { ID_BYTES, readPinnedRecords } from '../../store/records/pinned-records.ts'
import type { CrashPoints, Logging, Store, Vault } from '../context/groups.ts'
import { type EncodeSegment, NotEncodable } from './encode-target.ts'
import { Encoder } from './encoder.ts'
import type { RecordPace } from './record-pace.ts'

const EXPORT_JOB = 'export'
/** Records per piece: bounds memory, and the work between two transactions. One row group in Parquet. */
const PIECE_RECORDS: Readonly<Record<ExportFormat, number>> = { ndjson: 5_000, csv: 5_000, parquet: 25_000 }
/** Records per query: few, so that neither PostgreSQL nor this thread keeps a processor for long that others need for answers. */
const READ_RECORDS = 100
/** Parts per query. */
const PARTS = 200
/** Failed attempts after which an export has failed. */
const ATTEMPTS = 5

export interface ExportContext extends Store, Pick<Vault, 'sealer'>, Logging, CrashPoints {
  /** Default: depends on the format. */
  pieceRecords?: number
  /** Rate limiter that all exports of a process share; absent: unlimited. */
  pace?: RecordPace
}

export function queueExport(db: Db, { instanceId, id }: ExportKey): Promise<void> {
  return enqueueJob(db, { instanceId, kind: EXPORT_JOB, key: `export/${id}`, payload: { exportId: id } })
}

/** Seal context of a piece of a file. */
export function chunkContext(instanceId: string, chunkId: string): SealContext {
  return { instanceId, table: 'export_chunks', rowId: chunkId, column: 'sealed' }
}

/** Thrown when records of a pinned publication are no longer stored. */
class PinLost extends Error {}

/** Export job. Safe to kill: the next attempt resumes after the last stored piece. */
export async function runExport(deps: ExportContext, job: Job, signal: JobSignal): Promise<Outcome> {
  try {
    if (await write(deps, keyOf(job), signal)) return { done: true }
    return { done: false, inMs: 0, isFailure: false, reason: 'the worker stopped' }
  } catch (error) {
    return await afterInterruption(deps, job, error)
  }
}

/** Outcome of an export job that did not come to its end: another attempt, or, if none would help, a failed export. */
export async function afterInterruption(deps: Store & Logging, job: Job, error: unknown): Promise<Outcome> {
  const key = keyOf(job)
  const reason = reasonFor(error)
  if (reason === null && job.attempts < ATTEMPTS) {
    deps.log.warn({ err: error, exportId: key.id }, 'export interrupted')
    return { done: false, inMs: backoffMs(job.attempts), isFailure: true, reason: 'the export was interrupted' }
  }
  if (reason === null) deps.log.error({ err: error, exportId: key.id }, 'export failed')
  await inTransaction(deps.database, (db) => failExport(db, key, reason ?? 'The file could not be written.'))
  return { done: true }
}

function keyOf(job: Job): ExportKey {
  return { instanceId: job.instanceId, id: String(job.payload.exportId) }
}

/** Failure that no retry would fix, as text for the customer; null for any other error. */
function reasonFor(error: unknown): string | null {
  if (error instanceof PinLost) return 'What was published then is no longer stored. Request a new export.'
  if (error instanceof NotEncodable) return 'An amount has more digits than Parquet can hold exactly. Request the export as NDJSON or CSV.'
  return null
}

/** False when stopped before the end. */
async function write(deps: ExportContext, key: ExportKey, signal: JobSignal): Promise<boolean> {
  const begun = await beginExport(deps.database, key)
  if (!begun) return true
  const encoder = new Encoder({ category: begun.category, entity: begun.entity, format: begun.format })
  const inScope = pinnedReads(deps.replicas, key.instanceId)
  try {
    let progress: ExportProgress = begun
    // Reads the next piece while one is being encoded.
    let reading: Promise<Piece> | null = readPiece(deps, key, progress, inScope)
    while (reading) {
      if (signal.isStopping()) return false
      const piece: Piece = await reading
      reading = piece.isLast ? null : readPiece(deps, key, { ...progress, ...piece.cursor }, inScope)
      // Awaited in the next turn, unless this one fails.
      reading?.catch(() => undefined)
      const after = await append(deps, key, progress, piece, encoder)
      await deps.crashPoint?.('after-export-piece')
      if (after === null) return true
      progress = after
      signal.advance(progress.rows)
    }
    return true
  } finally {
    await encoder.close()
  }
}

interface Piece {
  segments: EncodeSegment[]
  count: number
  cursor: Pick<ExportProgress, 'part' | 'afterId' | 'partRows'>
  isLast: boolean
}

/** Next records, from as many parts as fill a piece. */
async function readPiece(
  deps: ExportContext,
  key: ExportKey,
  { entity, format, ...progress }: ExportProgress,
  inScope: PinnedReads,
): Promise<Piece> {
  const limit = deps.pieceRecords ?? PIECE_RECORDS[format]
  const segments: EncodeSegment[] = []
  let cursor = { part: progress.part, afterId: progress.afterId, partRows: progress.partRows }
  let count = 0
  const parts = await inScope(() => listParts(deps.database, key, cursor.part, PARTS))
  for (const part of parts) {
    const scope = { instanceId: key.instanceId, companyId: part.companyId, serviceId: part.serviceId }
    for (let isWhole = false; !isWhole; ) {
      if (count === limit) return { segments, count, cursor, isLast: false }
      const wanted = Math.min(READ_RECORDS, limit - count)
      await deps.pace?.admit(wanted)
      const pinned = { entity, publishedAt: part.publishedAt, after: cursor.afterId, limit: wanted }
      const read = await inScope(() => readPinnedRecords(deps.database, scope, pinned))
      if (read.count > 0) segments.push({ companyId: part.companyId, records: read.count, idBytes: ID_BYTES, lines: read.lines })
      count += read.count
      cursor = { ...cursor, afterId: read.lastId ?? cursor.afterId, partRows: cursor.partRows + read.count }
      isWhole = read.count < wanted
    }
    checkWhole(part, cursor.partRows)
    cursor = { part: part.part + 1, afterId: FIRST_ID, partRows: 0 }
  }
  return { segments, count, cursor, isLast: parts.length < PARTS }
}

function checkWhole({ records }: ExportPart, rows: number): void {
  if (rows !== records) throw new PinLost()
}

/** Null if the export has ended meanwhile. */
async function append(
  deps: ExportContext,
  key: ExportKey,
  before: ExportProgress,
  { segments, count, cursor, isLast }: Piece,
  encoder: Encoder,
): Promise<ExportProgress | null> {
  const earlier = isLast ? (await listSummaries(deps.database, key)).map(String) : null
  const { bytes, compressed, summary } = await encoder.encode({ segments, startsAt: before.bytes, earlier })
  const id = randomUUID()
  const chunk = bytes === 0 ? null : { id, bytes, summary, sealed: deps.sealer.seal(chunkContext(key.instanceId, id), compressed) }
  const after = {
    ...{ ...before, ...cursor, isLast },
    chunks: before.chunks + (chunk ? 1 : 0),
    rows: before.rows + count,
    bytes: before.bytes + bytes,
  }
  return (await inTransaction(deps.database, (db) => appendChunk(db, key, before, after, chunk))) ? after : null
}
