import type { Json } from '../../model/values/json.ts'
import type { Db } from '../db/database.ts'
import { OF_CONNECTION, ofCompany } from '../db/row-companies/of-company.ts'
import { type SeenPage, saveSeen } from './run-pages.ts'

/** What made a run. `file`: a person brought files; `feed`: they came by themselves. */
export type RunReason = 'first' | 'schedule' | 'refresh' | 'hint' | 'file' | 'feed' | 'resume' | 'reconnect' | 'replay'
export type RunState = 'running' | 'published' | 'unchanged' | 'failed' | 'abandoned'

/** Progress counters of a run; stored with each page. */
export interface RunCounts {
  pages: number
  /** Records listed by the source that could be normalized. */
  records: number
  /** New records and records that differ from the published ones. */
  changed: number
  setAside: number
  deleted: number
  /** Deletions held back because they looked like a fault of the source. */
  heldBack: number
  /** Accounts that got other ids by a reconnect and were matched to the existing records. */
  reidentified: number
  /** Accounts whose successors under other ids were ambiguous: they ended, and new ones began. */
  unclear: number
}

/** Value of the source that no mapping knows, with its number of occurrences. */
export interface UnmappedWord {
  entity: string
  field: string
  word: string
  count: number
}

/** Connection whose runs are meant. */
export interface RunOwner {
  instanceId: string
  companyId: string
  /** Of the connection. */
  id: string
}

/** Run as lists show it. */
export interface StoredRun {
  instanceId: string
  id: string
  connectionId: string
  reason: RunReason
  /** Requested by a caller: its event is raised even when nothing changed. */
  isAwaited: boolean
  state: RunState
  // Progress, changed by `sync/runs/run-progress.ts` only.
  /** Index of the next pull and of its next page. */
  readonly pull: number
  readonly page: number
  readonly cursor: Json | null
  /** Start cursor of the next run, per finished pull. */
  readonly cursors: Readonly<Record<string, Json>>
  readonly counts: Readonly<RunCounts>
  unmapped: UnmappedWord[]
  startedAt: Date
  endedAt: Date | null
  errorKind: string | null
  error: string | null
  /** Fencing token: raised each time a worker resumes the run, so that an overtaken worker can no longer write. */
  fence: string
}

export interface SyncRun extends StoredRun {
  companyId: string
}

export const RUN_COLUMNS = `instance_id as "instanceId", id, connection_id as "connectionId", reason, is_awaited as "isAwaited", state, pull, page, cursor, cursors, counts,
  unmapped, started_at as "startedAt", ended_at as "endedAt", error_kind as "errorKind", error, fence`

interface OpenedRun {
  instanceId: string
  companyId: string
  id: string
  connectionId: string
  reason: RunReason
  isAwaited: boolean
  /**
   * When a caller requested it: a run that started earlier may have read older pages and does not satisfy the request.
   */
  requestedAt?: Date | null
  counts: RunCounts
}

/** Thrown when a crash of PostgreSQL lost the staged records of a run: the run starts over (`openRun`). */
export class StagedDataLost extends Error {}

/** Whether the staged records of a run still exist; SQL over `sync_runs`, with the company as a parameter. */
const hasStagedData = (company: string) =>
  `exists (select from staged_runs s where s.instance_id = sync_runs.instance_id and s.run_id = sync_runs.id and ${ofCompany('s.company_id', company)})`

/**
 * Resumes the run of a lost worker, or opens a new one when there is none or its staged records are lost. Only the
 * holder of its new fence may write to it.
 */
export async function openRun(db: Db, run: OpenedRun): Promise<SyncRun> {
  const { companyId } = run
  const owner = { instanceId: run.instanceId, companyId, id: run.connectionId }
  if (run.reason !== 'replay') await abandonReplay(db, owner)
  const resumed = await db.query<StoredRun & { hasStage: boolean }>(
    `update sync_runs set fence = fence + 1, is_awaited = is_awaited or ($3 and ($4::timestamptz is null or started_at >= $4))
     where instance_id = $1 and connection_id = $2 and ${ofCompany('company_id', '$5')} and state = 'running'
     returning ${RUN_COLUMNS}, ${hasStagedData('$5')} as "hasStage"`,
    [run.instanceId, run.connectionId, run.isAwaited, run.requestedAt ?? null, companyId],
  )
  const [known] = resumed.rows
  if (known?.hasStage) return { ...known, companyId }
  if (known) await abandonRuns(db, owner)
  const isAwaited = run.isAwaited || (known?.isAwaited ?? false)
  const marked = 'insert into staged_runs (instance_id, run_id, company_id) values'
  if (db.isDistributed) await db.query(`${marked} ($1, $2, $3)`, [run.instanceId, run.id, companyId])
  const { rows } = await db.query<StoredRun>(
    `${db.isDistributed ? '' : `with marked as (${marked} ($1, $2, $7))`}
     insert into sync_runs (instance_id, id, connection_id, reason, is_awaited, state, fence, counts, company_id)
     values ($1, $2, $3, $4, $5, 'running', 1, $6, $7) returning ${RUN_COLUMNS}`,
    [run.instanceId, run.id, run.connectionId, run.reason, isAwaited, JSON.stringify(run.counts), companyId],
  )
  const [opened] = rows
  if (!opened) throw new Error('the insert returned no row')
  return { ...opened, companyId }
}

/**
 * Locks the run for a write; false when another worker has resumed it or it has ended. Throws `StagedDataLost`. NOTE with
 * its connection: in the index of running runs, which the planner prefers with fresh statistics, an open transaction
 * keeps an entry for each run of the instance since it began.
 */
export async function lockRun(db: Db, run: SyncRun): Promise<boolean> {
  const { rows } = await db.query<{ hasStage: boolean }>({
    name: 'lock-run',
    text: `select ${hasStagedData('$3')} as "hasStage" from sync_runs where ${OF_CONNECTION} and id = $4 and fence = $5 and state = 'running' for update`,
    values: [run.instanceId, run.connectionId, run.companyId, run.id, run.fence],
  })
  if (rows[0]?.hasStage === false) throw new StagedDataLost('what the run had staged was lost')
  return rows.length === 1
}

/**
 * Saves the progress of a run with the records seen on its last page. Asynchronous commit: a crash of PostgreSQL loses
 * the staged records anyway, and the run starts over.
 */
export async function saveProgress(db: Db, run: SyncRun, shown: SeenPage | null = null): Promise<void> {
  const { instanceId, id, companyId, pull, page } = run
  const cursor = run.cursor === null ? null : JSON.stringify(run.cursor)
  const json = [cursor, ...[run.cursors, run.counts, run.unmapped].map((value) => JSON.stringify(value))]
  const saved = [instanceId, id, pull, page, ...json, companyId]
  if (db.isDistributed) {
    if (shown) await saveSeen(db, run, shown)
    // NOTE commits stay synchronous: Citus moves a shard by what is in the log.
    await db.query({ name: 'save-progress', text: SAVE, values: saved })
    return
  }
  await db.query({
    name: 'save-progress',
    text: `with shown as (
       insert into run_pages (instance_id, run_id, pull, page, seen, company_id)
       select $1, $2, $10::int, $11::int, $12::bytea, $9 where $12::bytea is not null
       on conflict (instance_id, run_id, pull, page) do update set seen = excluded.seen)
     ${SAVE} returning set_config('synchronous_commit', 'off', true)`,
    values: [...saved, shown?.pull ?? null, shown?.page ?? null, shown?.seen ?? null],
  })
}

const SAVE = `update sync_runs set pull = $3, page = $4, cursor = $5, cursors = $6, counts = $7, unmapped = $8
  where instance_id = $1 and id = $2 and ${ofCompany('company_id', '$9')}`

/** Ends the run (and `run` in memory) and drops its temporary data. */
export async function closeRun(
  db: Db,
  run: SyncRun,
  end: { state: Exclude<RunState, 'running'>; errorKind?: string; error?: string },
): Promise<void> {
  const { rows } = await db.query<{ endedAt: Date }>(
    `update sync_runs set state = $3, ended_at = statement_timestamp(), error_kind = $4, error = $5, counts = $6, unmapped = $7
     where instance_id = $1 and id = $2 and ${ofCompany('company_id', '$8')} returning ended_at as "endedAt"`,
    [
      ...[run.instanceId, run.id, end.state, end.errorKind ?? null, end.error ?? null],
      ...[JSON.stringify(run.counts), JSON.stringify(run.unmapped), run.companyId],
    ],
  )
  run.state = end.state
  run.endedAt = rows[0]?.endedAt ?? null
  await dropTemporaryData(db, run, [run.id])
}

/** Deletes what is staged, and the pages that were seen, of runs of one company. */
async function dropTemporaryData(
  db: Db,
  { instanceId, companyId }: Pick<RunOwner, 'instanceId' | 'companyId'>,
  runIds: readonly string[],
): Promise<void> {
  const ofRuns = `instance_id = $1 and run_id = any ($2) and ${ofCompany('company_id', '$3')}`
  const values = [instanceId, runIds, companyId]
  await db.query(`delete from staged_records where ${ofRuns} and seq >= 0`, values)
  for (const table of ['staged_runs', 'run_pages']) await db.query(`delete from ${table} where ${ofRuns}`, values)
}

/** Locks the running run; null when there is none. */
export async function lockRunningRun(db: Db, { instanceId, companyId, id }: RunOwner): Promise<SyncRun | null> {
  const { rows } = await db.query<StoredRun>(
    `select ${RUN_COLUMNS} from sync_runs where ${OF_CONNECTION} and state = 'running' for update`,
    [instanceId, id, companyId],
  )
  return rows[0] ? { ...rows[0], companyId } : null
}

/**
 * Ends the running run of a connection, whichever worker holds it (its fence becomes invalid), and deletes its
 * temporary data. Needs a transaction.
 */
export async function abandonRuns(db: Db, owner: RunOwner): Promise<void> {
  await abandon(db, owner, `state = 'running'`)
}

/**
 * Ends the running replay of a connection, if any, and drops its staged records: it starts over after the run that
 * replaces it. Needs a transaction.
 */
export async function abandonReplay(db: Db, owner: RunOwner): Promise<void> {
  await abandon(db, owner, `state = 'running' and reason = 'replay'`)
}

/**
 * NOTE several statements: the first may wait for a worker that stores a page, or on a cluster for a node that recovers
 * its half of that. A deletion that began before the page was committed would not see it.
 */
async function abandon(db: Db, owner: RunOwner, which: string): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    `update sync_runs set state = 'abandoned', ended_at = statement_timestamp() where ${OF_CONNECTION} and ${which} returning id`,
    [owner.instanceId, owner.id, owner.companyId],
  )
  if (rows.length === 0) return
  await dropTemporaryData(
    db,
    owner,
    rows.map(({ id }) => id),
  )
}
