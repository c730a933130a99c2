import type { Db } from '../../src/store/db/database.ts'
import { listWeeks, PARTITIONED, partitionOf } from '../../src/store/webhooks/event-weeks.ts'

/** Partitions of the oldest week, where what is finished lies; the feed has it from here on. */
export async function openPartitions(db: Db, instanceId: string): Promise<Map<string, string>> {
  const [week] = await listWeeks(db, 'events')
  if (week === undefined) return new Map()
  await db.query(
    `insert into feed_weeks (instance_id, week, begins_after)
     select $1, $2, coalesce((select position from event_feeds where instance_id = $1), 0) on conflict do nothing`,
    [instanceId, week],
  )
  return new Map(PARTITIONED.map((table) => [table, partitionOf(table, week)]))
}

/** Sets the head of a feed, which never goes back. */
export async function advanceFeed(db: Db, instanceId: string, position: number): Promise<void> {
  await db.query(
    `insert into event_feeds (instance_id, position) values ($1, $2)
     on conflict (instance_id) do update set position = greatest(event_feeds.position, excluded.position)`,
    [instanceId, position],
  )
}
