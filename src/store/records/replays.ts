import type { Db } from '../db/database.ts'
import { announceJobs } from '../jobs/jobs.ts'

/** Replay request: normalize stored raw pages again; null members match all. */
export interface Replay {
  instanceId: string
  id: string
  companyId: string | null
  serviceId: string | null
  connectorKey: string | null
  isDryRun: boolean
  /** E-mail address of the user, or the name of another requester. */
  requestedBy: string
  createdAt: Date
}

/** Result of the replay of one connection. */
export interface ReplayCounts {
  pages: number
  /** Records normalized again. */
  records: number
  changed: number
  /** Records that failed before and can be normalized now. */
  added: number
  /** Records that can no longer be normalized. */
  setAside: number
  /** Published records whose raw page no longer exists: they stay unchanged. */
  withoutPage: number
  /** Pages that can no longer be opened or read. */
  unreadablePages: number
}

/** Difference in one field of one entity. */
export interface FieldChange {
  entity: string
  field: string
  count: number
  examples: ChangeExample[]
}

type Scalar = string | number | boolean | null

export interface ChangeExample {
  recordId: string
  /** Published value. */
  before: Scalar
  after: Scalar
}

const COLUMNS = `instance_id as "instanceId", id, company_id as "companyId", service_id as "serviceId", connector_key as "connectorKey",
  is_dry_run as "isDryRun", requested_by as "requestedBy", created_at as "createdAt"`

/** Stores the request, with a part and a job for each matching connection; returns their number. */
export async function createReplay(db: Db, replay: Omit<Replay, 'createdAt'>): Promise<number> {
  await db.query(
    `insert into replays (instance_id, id, company_id, service_id, connector_key, is_dry_run, requested_by) values ($1, $2, $3, $4, $5, $6, $7)`,
    [replay.instanceId, replay.id, replay.companyId, replay.serviceId, replay.connectorKey, replay.isDryRun, replay.requestedBy],
  )
  const { rows } = await db.query<{ count: number }>(
    `with parts as (
       insert into replay_parts (instance_id, replay_id, connection_id)
       select instance_id, $2, id from connections
       where instance_id = $1 and status <> 26 and published_at is not null and ($3::uuid is null or company_id = $3)
         and ($4::uuid is null or service_id = $4) and ($5::text is null or connector_key = $5)
       returning connection_id),
     queued as (
       insert into jobs (instance_id, kind, key, payload)
       select $1, 'replay', 'connection/' || connection_id, jsonb_build_object('connectionId', connection_id) from parts
       on conflict (kind, key) where state = 'ready' do nothing)
     select count(*)::int as count from parts`,
    [replay.instanceId, replay.id, replay.companyId, replay.serviceId, replay.connectorKey],
  )
  await announceJobs(db)
  return rows[0]?.count ?? 0
}

export async function findReplay(db: Db, instanceId: string, id: string): Promise<Replay | null> {
  const { rows } = await db.query<Replay>(`select ${COLUMNS} from replays where instance_id = $1 and id = $2`, [instanceId, id])
  return rows[0] ?? null
}

/** Part of a replay: the remaining work for one connection, and its result so far. */
export interface ReplayPart {
  instanceId: string
  replayId: string
  connectionId: string
  isDryRun: boolean
  runId: string | null
  cursor: ReplayCursor | null
  counts: ReplayCounts
  changes: FieldChange[]
}

/** Cursor over the pages, in this order. */
export interface ReplayCursor {
  fetchedAt: string
  id: string
}

export const NOTHING_REPLAYED: ReplayCounts = {
  pages: 0,
  records: 0,
  changed: 0,
  added: 0,
  setAside: 0,
  withoutPage: 0,
  unreadablePages: 0,
}

/** The oldest request that is unfinished for a connection. */
export async function findWaitingPart(db: Db, instanceId: string, connectionId: string): Promise<ReplayPart | null> {
  const { rows } = await db.query<ReplayPart>(
    `select p.instance_id as "instanceId", p.replay_id as "replayId", p.connection_id as "connectionId", r.is_dry_run as "isDryRun",
       p.run_id as "runId", p.cursor, p.counts, p.changes
     from replay_parts p join replays r on r.instance_id = p.instance_id and r.id = p.replay_id
     where p.instance_id = $1 and p.connection_id = $2 and p.state = 'waiting' order by r.created_at, r.id limit 1`,
    [instanceId, connectionId],
  )
  const [part] = rows
  return part ? { ...part, counts: { ...NOTHING_REPLAYED, ...part.counts } } : null
}

/** Saves the progress of a part; false when it has been finished concurrently. */
export async function savePart(db: Db, part: ReplayPart): Promise<boolean> {
  const { rowCount } = await db.query(
    `update replay_parts set run_id = $4, cursor = $5, counts = $6, changes = $7
     where instance_id = $1 and replay_id = $2 and connection_id = $3 and state = 'waiting'`,
    [
      part.instanceId,
      part.replayId,
      part.connectionId,
      part.runId,
      part.cursor === null ? null : JSON.stringify(part.cursor),
      JSON.stringify(part.counts),
      JSON.stringify(part.changes),
    ],
  )
  return rowCount === 1
}

export async function finishPart(
  db: Db,
  part: Pick<ReplayPart, 'instanceId' | 'replayId' | 'connectionId'>,
  state: 'done' | 'skipped' | 'failed',
  error: string | null = null,
): Promise<void> {
  await db.query(
    `update replay_parts set state = $4, error = $5, finished_at = clock_timestamp()
     where instance_id = $1 and replay_id = $2 and connection_id = $3 and state = 'waiting'`,
    [part.instanceId, part.replayId, part.connectionId, state, error],
  )
}

/** Retention: deletes finished requests older than `days`; returns their number. */
export async function deleteOldReplays(db: Db, days: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from replays r where created_at < statement_timestamp() - make_interval(days => $1)
       and not exists (select from replay_parts p where p.instance_id = r.instance_id and p.replay_id = r.id and p.state = 'waiting')`,
    [days],
  )
  return rowCount ?? 0
}
