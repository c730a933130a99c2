import type { Db } from '../db/database.ts'
import type { FeedKey, FileMark } from './file-feeds.ts'

/** Which of these states of files have an outcome: hashes of their paths in hex. */
export async function listSettledPaths(db: Db, { instanceId, id }: FeedKey, marks: readonly FileMark[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ path: string }>(
    `select encode(m.path_hash, 'hex') as path from unnest($3::bytea[], $4::bigint[], $5::bigint[]) m (path_hash, size, modified_ms)
     where exists (select from feed_files f where f.instance_id = $1 and f.feed_id = $2 and f.path_hash = m.path_hash
       and f.size = m.size and f.modified_ms = m.modified_ms)`,
    [instanceId, id, marks.map(({ pathHash }) => pathHash), marks.map(({ size }) => size), marks.map(({ modifiedMs }) => modifiedMs)],
  )
  return new Set(rows.map(({ path }) => path))
}
