import type { Db } from '../db/database.ts'

/** Head of a feed. */
export interface FeedHead {
  /** Identifies the feed: another instance or deployment has another one. */
  feedId: string
  /** Last position; `0` before the first. */
  position: string
  /** Id of the place at that position; null before the first. */
  placeId: string | null
}

/** Days for which notes of an instance without a feed are kept. */
const NOTE_DAYS = 1

/** Null before the first read by the instance. */
export async function findHead(db: Db, instanceId: string): Promise<(FeedHead & { isCompared: boolean }) | null> {
  const { rows } = await db.query<FeedHead & { isCompared: boolean }>({
    name: 'change-feed-head',
    text: `select f.id as "feedId", f.position, c.id as "placeId", coalesce(f.compared_at > '-infinity', false) as "isCompared" from change_feeds f
           left join placed_changes c on c.instance_id = f.instance_id and c.position = f.position where f.instance_id = $1`,
    values: [instanceId],
  })
  return rows[0] ?? null
}

/** Instances with a feed. */
export async function listFeeds(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ instanceId: string }>('select instance_id as "instanceId" from change_feeds')
  return rows.map(({ instanceId }) => instanceId)
}

/**
 * Retention: deletes the oldest notes of instances without a feed; returns their number. A feed that is created later
 * begins with everything published by then.
 */
export async function deleteOldNotes(db: Db, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from unplaced_publications u where ctid = any (array(
       select ctid from unplaced_publications o where noted_at < statement_timestamp() - make_interval(days => ${NOTE_DAYS})
         and not exists (select from change_feeds f where f.instance_id = o.instance_id)
       order by noted_at, id limit $1 for update skip locked))`,
    [limit],
  )
  return rowCount ?? 0
}

/**
 * Reason why reading cannot continue from a place: it is too old, or from another history than the database has now.
 */
export type LossReason = 'expired' | 'restored'

/** Null if a reader can continue from this place. */
export async function findLoss(db: Db, instanceId: string, { position, placeId }: Omit<FeedHead, 'feedId'>): Promise<LossReason | null> {
  const { rows } = await db.query<{ first: string | null; head: string; id: string | null }>(
    `select (select min(position) from placed_changes where instance_id = $1) as first, f.position as head,
       (select id from placed_changes where instance_id = $1 and position = $2) as id
     from change_feeds f where f.instance_id = $1`,
    [instanceId, position],
  )
  const [row] = rows
  if (!row || BigInt(position) > BigInt(row.head)) return 'restored'
  if (position === '0') return row.first === null || row.first === '1' ? null : 'expired'
  if (row.id === null) return 'expired'
  return row.id === placeId ? null : 'restored'
}

/**
 * Retention: deletes places that have had a successor for `days`. A reader at the last place thus has that long to
 * continue, however old the place is. Deletes from the beginning of a feed only.
 */
export async function deleteOldPlaces(db: Db, days: number): Promise<void> {
  await db.query(
    `delete from placed_changes c using (
       select f.instance_id, coalesce((select min(y.position) from placed_changes y
         where y.instance_id = f.instance_id and y.placed_at >= statement_timestamp() - make_interval(days => $1)), f.position + 1) as young
       from change_feeds f) k
     where k.instance_id = c.instance_id and c.position + 1 < k.young`,
    [days],
  )
}
