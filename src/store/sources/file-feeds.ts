import type { Db } from '../db/database.ts'
import { type Columns, type Filter, toCondition } from '../db/list-selection.ts'

/** Source of a feed's files. */
export type FeedSource =
  | { kind: 'folder'; path: string }
  | {
      kind: 'sftp'
      host: string
      port: number
      user: string
      path: string
      /** `SHA256:…` of the server's key, as OpenSSH prints it. */
      hostKey: string
      authentication: 'password' | 'key'
      afterwards: 'move' | 'leave'
    }

export interface FileFeed {
  instanceId: string
  id: string
  name: string
  /** Null if each folder of the feed is named by a company id. */
  companyId: string | null
  source: FeedSource
  everyMinutes: number
  isPaused: boolean
  checkedAt: Date | null
  problem: string | null
  createdAt: Date
}

export type NewFeed = Pick<FileFeed, 'name' | 'companyId' | 'source' | 'everyMinutes' | 'isPaused'>

const COLUMNS = `instance_id as "instanceId", id, name, company_id as "companyId", source, every_minutes as "everyMinutes",
  is_paused as "isPaused", checked_at as "checkedAt", problem, created_at as "createdAt"`

export async function createFeed(db: Db, feedKey: FeedKey, feed: NewFeed, secret: Uint8Array | null): Promise<void> {
  await db.query(
    `insert into file_feeds (instance_id, id, name, company_id, source, secret, every_minutes, is_paused)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [feedKey.instanceId, feedKey.id, feed.name, feed.companyId, JSON.stringify(feed.source), secret, feed.everyMinutes, feed.isPaused],
  )
}

/**
 * Replaces a feed and makes its next poll due; `secret` undefined keeps the stored one. False when the feed does not
 * exist.
 */
export async function replaceFeed(db: Db, feedKey: FeedKey, feed: NewFeed, secret: Uint8Array | null | undefined): Promise<boolean> {
  const { rowCount } = await db.query(
    `update file_feeds set name = $3, company_id = $4, source = $5, secret = case when $6 then $7 else secret end, every_minutes = $8,
       is_paused = $9, next_at = clock_timestamp(), problem = null
     where instance_id = $1 and id = $2`,
    [
      ...[feedKey.instanceId, feedKey.id, feed.name, feed.companyId, JSON.stringify(feed.source)],
      ...[secret !== undefined, secret ?? null, feed.everyMinutes, feed.isPaused],
    ],
  )
  return rowCount === 1
}

export async function deleteFeed(db: Db, feedKey: FeedKey): Promise<boolean> {
  const { rowCount } = await db.query('delete from file_feeds where instance_id = $1 and id = $2', [feedKey.instanceId, feedKey.id])
  return rowCount === 1
}

export interface FeedKey {
  instanceId: string
  id: string
}

export async function findFeed(db: Db, { instanceId, id }: FeedKey): Promise<FileFeed | null> {
  const { rows } = await db.query<FileFeed>(`select ${COLUMNS} from file_feeds where instance_id = $1 and id = $2`, [instanceId, id])
  return rows[0] ?? null
}

/** Sealed secret of a feed. */
export async function findFeedSecret(db: Db, { instanceId, id }: FeedKey): Promise<Uint8Array | null> {
  const { rows } = await db.query<{ secret: Uint8Array | null }>('select secret from file_feeds where instance_id = $1 and id = $2', [
    instanceId,
    id,
  ])
  return rows[0]?.secret ?? null
}

const FEED_COLUMNS: Columns = {
  id: { sql: 'id', type: 'uuid' },
  name: { sql: 'name', type: 'string' },
  companyId: { sql: 'company_id', type: 'uuid' },
  isPaused: { sql: 'is_paused', type: 'boolean' },
  checkedOn: { sql: 'checked_at', type: 'date' },
  createdOn: { sql: 'created_at', type: 'date' },
}

interface FilteredPage {
  filter: Filter
  limit: number
  offset: number
}

/** In order of creation. */
export async function listFeeds(db: Db, instanceId: string, page: FilteredPage): Promise<{ feeds: FileFeed[]; total: number }> {
  const values: unknown[] = [instanceId, page.limit, page.offset]
  const { rows } = await db.query<FileFeed & { total: string }>(
    `select ${COLUMNS}, count(*) over () as total from file_feeds where instance_id = $1 and ${toCondition(page.filter, FEED_COLUMNS, values)}
     order by created_at, id limit $2 offset $3`,
    values,
  )
  return { feeds: rows.map(({ total: _total, ...feed }) => feed), total: Number(rows[0]?.total ?? 0) }
}

const IS_DUE = 'next_at <= statement_timestamp() and not is_paused'

/** NOTE a process at rest asks this alone: one statement instead of a transaction of three. */
export async function hasDueFeeds(db: Db): Promise<boolean> {
  return (await db.query(`select from file_feeds where ${IS_DUE} limit 1`)).rows.length > 0
}

/** Claims feeds that are due for a poll and schedules their next poll. */
export async function claimDueFeeds(db: Db, limit: number): Promise<FeedKey[]> {
  const { rows } = await db.query<FeedKey>(
    `update file_feeds f set next_at = clock_timestamp() + make_interval(mins => f.every_minutes)
     from (select instance_id, id from file_feeds where ${IS_DUE} order by next_at limit $1 for update skip locked) due
     where f.instance_id = due.instance_id and f.id = due.id
     returning f.instance_id as "instanceId", f.id`,
    [limit],
  )
  return rows
}

/**
 * Brings forward the poll of folder feeds with a change below `path`, which is relative to the instance's own folder.
 */
export async function hintFolders(db: Db, instanceId: string, path: string): Promise<void> {
  await db.query(
    `update file_feeds set next_at = clock_timestamp()
     where instance_id = $1 and not is_paused and source->>'kind' = 'folder' and starts_with($2 || '/', (source->>'path') || '/')`,
    [instanceId, path],
  )
}

export async function noteChecked(db: Db, { instanceId, id }: FeedKey, problem: string | null): Promise<void> {
  await db.query('update file_feeds set checked_at = clock_timestamp(), problem = $3 where instance_id = $1 and id = $2', [
    instanceId,
    id,
    problem,
  ])
}

/** State of one file: its path, and the metadata found there. */
export interface FileMark {
  pathHash: Uint8Array
  size: number
  modifiedMs: number
}

/** For how many seconds a file has been in this state; 0 when seen for the first time. */
export async function noteArrival(db: Db, { instanceId, id }: FeedKey, mark: FileMark): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    `insert into feed_arrivals as a (instance_id, feed_id, path_hash, size, modified_ms) values ($1, $2, $3, $4, $5)
     on conflict (instance_id, feed_id, path_hash) do update set
       seen_at = case when a.size = excluded.size and a.modified_ms = excluded.modified_ms then a.seen_at else clock_timestamp() end,
       size = excluded.size, modified_ms = excluded.modified_ms
     returning extract(epoch from clock_timestamp() - seen_at)::float8 as seconds`,
    [instanceId, id, mark.pathHash, mark.size, mark.modifiedMs],
  )
  return rows[0]?.seconds ?? 0
}

/** Forgets arrivals of files that no longer exist. */
export async function pruneArrivals(db: Db, { instanceId, id }: FeedKey, present: readonly Uint8Array[]): Promise<void> {
  await db.query('delete from feed_arrivals where instance_id = $1 and feed_id = $2 and not path_hash = any($3)', [instanceId, id, present])
}

export type FileState = 'imported' | 'duplicate' | 'quarantined'

export interface SettledFile {
  id: string
  name: string
  companyId: string
  connectionId: string | null
  state: FileState
  reason: string | null
  size: number
  settledAt: Date
}

export interface SettledBefore {
  state: FileState
  /** Null for a file too large to read. */
  contentHash: Uint8Array | null
}

/** Earlier outcome for this file state; null when there is none. */
export async function findSettled(db: Db, { instanceId, id }: FeedKey, mark: FileMark): Promise<SettledBefore | null> {
  const { rows } = await db.query<SettledBefore>(
    `select state, content_hash as "contentHash" from feed_files where instance_id = $1 and feed_id = $2 and path_hash = $3 and size = $4 and modified_ms = $5
     order by settled_at desc limit 1`,
    [instanceId, id, mark.pathHash, mark.size, mark.modifiedMs],
  )
  return rows[0] ?? null
}

export async function settleFile(
  db: Db,
  { instanceId, id }: FeedKey,
  mark: FileMark,
  file: Omit<SettledFile, 'settledAt' | 'size'> & { contentHash: Uint8Array | null },
): Promise<void> {
  await db.query(
    `insert into feed_files (instance_id, id, feed_id, path_hash, size, modified_ms, content_hash, name, company_id, connection_id, state, reason)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      ...[instanceId, file.id, id, mark.pathHash, mark.size, mark.modifiedMs, file.contentHash],
      ...[file.name, file.companyId, file.connectionId, file.state, file.reason],
    ],
  )
}

const FILE_COLUMNS: Columns = {
  id: { sql: 'id', type: 'uuid' },
  name: { sql: 'name', type: 'string' },
  companyId: { sql: 'company_id', type: 'uuid' },
  sessionId: { sql: 'connection_id', type: 'uuid' },
  state: { sql: 'state', type: 'string' },
  settledOn: { sql: 'settled_at', type: 'date' },
}

/** Outcomes of a feed's files, newest first. */
export async function listSettled(
  db: Db,
  { instanceId, id }: FeedKey,
  page: FilteredPage,
): Promise<{ files: SettledFile[]; total: number }> {
  const values: unknown[] = [instanceId, id, page.limit, page.offset]
  const { rows } = await db.query<SettledFile & { total: string }>(
    `select id, name, company_id as "companyId", connection_id as "connectionId", state, reason, size::float8 as size,
       settled_at as "settledAt", count(*) over () as total
     from feed_files where instance_id = $1 and feed_id = $2 and ${toCondition(page.filter, FILE_COLUMNS, values)}
     order by settled_at desc, id limit $3 offset $4`,
    values,
  )
  return { files: rows.map(({ total: _total, ...file }) => file), total: Number(rows[0]?.total ?? 0) }
}
