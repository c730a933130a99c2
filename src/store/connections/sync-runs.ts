import type { Json } from '../../model/values/json.ts'
import type { Db } from '../db/database.ts'

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

export interface SyncRun {
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

export const RUN_COLUMNS = `instance_id as "instanceId", id, connection_id as "connectionId", reason, is_awaited as "isAwaited", state, pull, page, cursor, cursors, counts,
  unmapped, started_at as "startedAt", ended_at as "endedAt", error_kind as "errorKind", error, fence`

interface OpenedRun {
  instanceId: string
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

/** Whether the staged records of a run still exist; SQL over `sync_runs`. */
const HAS_STAGED_DATA = 'exists (select from staged_runs s where s.instance_id = sync_runs.instance_id and s.run_id = sync_runs.id)'

/**
 * Resumes the run of a lost worker, or opens a new one when there is none or its staged records are lost. Only the
 * holder of its new fence may write to it.
 */
export async function openRun(db: Db, run: OpenedRun): Promise<SyncRun> {
  if (run.reason !== 'replay') await abandonReplay(db, run.instanceId, run.connectionId)
  const resumed = await db.query<SyncRun & { hasStage: boolean }>(
    `update sync_runs set fence = fence + 1, is_awaited = is_awaited or ($3 and ($4::timestamptz is null or started_at >= $4))
     where instance_id = $1 and connection_id = $2 and state = 'running' returning ${RUN_COLUMNS}, ${HAS_STAGED_DATA} as "hasStage"`,
    [run.instanceId, run.connectionId, run.isAwaited, run.requestedAt ?? null],
  )
  const [known] = resumed.rows
  if (known?.hasStage) return known
  if (known) await abandonRuns(db, run.instanceId, run.connectionId)
  const isAwaited = run.isAwaited || (known?.isAwaited ?? false)
  const { rows } = await db.query<SyncRun>(
    `with marked as (insert into staged_runs (instance_id, run_id) values ($1, $2))
     insert into sync_runs (instance_id, id, connection_id, reason, is_awaited, state, fence, counts)
     values ($1, $2, $3, $4, $5, 'running', 1, $6) returning ${RUN_COLUMNS}`,
    [run.instanceId, run.id, run.connectionId, run.reason, isAwaited, JSON.stringify(run.counts)],
  )
  const [opened] = rows
  if (!opened) throw new Error('the insert gave no row back')
  return opened
}

/** Locks the run for a write; false when another worker has resumed it or it has ended. Throws `StagedDataLost`. */
export async function lockRun(db: Db, run: SyncRun): Promise<boolean> {
  const { rows } = await db.query<{ hasStage: boolean }>(
    `select ${HAS_STAGED_DATA} as "hasStage" from sync_runs where instance_id = $1 and id = $2 and fence = $3 and state = 'running' for update`,
    [run.instanceId, run.id, run.fence],
  )
  if (rows[0]?.hasStage === false) throw new StagedDataLost('what the run had staged was lost')
  return rows.length === 1
}

/** Records seen on a page of a complete listing; `pull` is the index of the pull. */
export interface SeenPage {
  pull: number
  page: number
  /** Eight bytes per record. */
  seen: Uint8Array
}

/**
 * Saves the progress of a run with the records seen on its last page. Asynchronous commit: a crash of PostgreSQL loses
 * the staged records anyway, and the run starts over.
 */
export async function saveProgress(db: Db, run: SyncRun, shown: SeenPage | null = null): Promise<void> {
  await db.query({
    name: 'save-progress',
    text: `with shown as (
       insert into run_pages (instance_id, run_id, pull, page, seen) select $1, $2, $9::int, $10::int, $11::bytea where $11::bytea is not null
       on conflict (instance_id, run_id, pull, page) do update set seen = excluded.seen)
     update sync_runs set pull = $3, page = $4, cursor = $5, cursors = $6, counts = $7, unmapped = $8 where instance_id = $1 and id = $2
     returning set_config('synchronous_commit', 'off', true)`,
    values: [
      run.instanceId,
      run.id,
      run.pull,
      run.page,
      run.cursor === null ? null : JSON.stringify(run.cursor),
      JSON.stringify(run.cursors),
      JSON.stringify(run.counts),
      JSON.stringify(run.unmapped),
      shown?.pull ?? null,
      shown?.page ?? null,
      shown?.seen ?? null,
    ],
  })
}

/** Ends the run (and `run` in memory) and drops its temporary data. */
export async function closeRun(
  db: Db,
  run: SyncRun,
  end: { state: Exclude<RunState, 'running'>; errorKind?: string; error?: string },
): Promise<void> {
  const { rows } = await db.query<{ endedAt: Date }>(
    `update sync_runs set state = $3, ended_at = clock_timestamp(), error_kind = $4, error = $5, counts = $6, unmapped = $7
     where instance_id = $1 and id = $2 returning ended_at as "endedAt"`,
    [run.instanceId, run.id, end.state, end.errorKind ?? null, end.error ?? null, JSON.stringify(run.counts), JSON.stringify(run.unmapped)],
  )
  run.state = end.state
  run.endedAt = rows[0]?.endedAt ?? null
  await db.query('delete from staged_records where instance_id = $1 and run_id = $2 and seq >= 0', [run.instanceId, run.id])
  for (const table of ['staged_runs', 'run_pages']) {
    await db.query(`delete from ${table} where instance_id = $1 and run_id = $2`, [run.instanceId, run.id])
  }
}

/** Locks the running run; null when there is none. */
export async function lockRunningRun(db: Db, instanceId: string, connectionId: string): Promise<SyncRun | null> {
  const { rows } = await db.query<SyncRun>(
    `select ${RUN_COLUMNS} from sync_runs where instance_id = $1 and connection_id = $2 and state = 'running' for update`,
    [instanceId, connectionId],
  )
  return rows[0] ?? null
}

export async function listRuns(db: Db, instanceId: string, connectionId: string, limit: number): Promise<SyncRun[]> {
  const { rows } = await db.query<SyncRun>(
    `select ${RUN_COLUMNS} from sync_runs where instance_id = $1 and connection_id = $2 order by started_at desc, id limit $3`,
    [instanceId, connectionId, limit],
  )
  return rows
}

/**
 * Ends the running run of a connection, whichever worker holds it (its fence becomes invalid), and deletes its
 * temporary data. NOTE by an array of ids: for a join the planner, whose statistics show these tables as empty, would
 * read the staged records of all running runs.
 */
export async function abandonRuns(db: Db, instanceId: string, connectionId: string): Promise<void> {
  await db.query(
    `with abandoned as (
       update sync_runs set state = 'abandoned', ended_at = clock_timestamp()
       where instance_id = $1 and connection_id = $2 and state = 'running' returning id),
       unstaged as (delete from staged_records where instance_id = $1 and run_id = any (array(select id from abandoned)) and seq >= 0),
       gone as (delete from staged_runs where instance_id = $1 and run_id = any (array(select id from abandoned)))
     delete from run_pages where instance_id = $1 and run_id = any (array(select id from abandoned))`,
    [instanceId, connectionId],
  )
}

/** Rewrites the records seen on a page; pages outside a complete listing have none. */
export async function replaceSeen(db: Db, run: SyncRun, pull: number, page: number, seen: Uint8Array): Promise<void> {
  await db.query('update run_pages set seen = $5 where instance_id = $1 and run_id = $2 and pull = $3 and page = $4', [
    run.instanceId,
    run.id,
    pull,
    page,
    seen,
  ])
}

/** Records seen by the complete listings of a run, page by page; `pull` is the index of the pull. */
export async function listSeen(db: Db, run: SyncRun): Promise<{ pull: number; seen: Uint8Array }[]> {
  const { rows } = await db.query<{ pull: number; seen: Uint8Array }>(
    'select pull, seen from run_pages where instance_id = $1 and run_id = $2',
    [run.instanceId, run.id],
  )
  return rows
}

/**
 * Ends the running replay of a connection, if any, and drops its staged records: it starts over after the run that
 * replaces it.
 */
export async function abandonReplay(db: Db, instanceId: string, connectionId: string): Promise<void> {
  await db.query(
    `with gone as (
       update sync_runs set state = 'abandoned', ended_at = clock_timestamp()
       where instance_id = $1 and connection_id = $2 and state = 'running' and reason = 'replay' returning id),
       unstaged as (delete from staged_records where instance_id = $1 and run_id = any (array(select id from gone)) and seq >= 0)
     delete from staged_runs where instance_id = $1 and run_id = any (array(select id from gone))`,
    [instanceId, connectionId],
  )
}
