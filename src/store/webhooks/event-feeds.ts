import { ALWAYS_DELIVERED_EVENTS } from '../../model/events.ts'
import type { Db } from '../db/database.ts'

/** Events placed by one statement. */
const BATCH = 500

/** Instances with committed events that have no place yet. */
export async function listWaitingInstances(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ instanceId: string }>({
    name: 'list-waiting-instances',
    text: 'select distinct instance_id as "instanceId" from events where position is null',
  })
  return rows.map((row) => row.instanceId)
}

/**
 * Gives every committed event of an instance that has none its place in the feed and one delivery for each subscription that is active
 * at this moment; returns how many. Needs a transaction: to its end it holds the feed, as does whatever else decides who hears of what.
 * An event that commits while a subscription is active is therefore placed while it is active.
 */
export async function appendWaitingEvents(db: Db, instanceId: string): Promise<number> {
  const waiting = await db.query({
    name: 'has-waiting-events',
    text: 'select 1 from events where instance_id = $1 and position is null limit 1',
    values: [instanceId],
  })
  if (waiting.rows.length === 0) return 0
  await lockFeed(db, instanceId)
  return appendAll(db, instanceId)
}

/** As `appendWaitingEvents`, but holds the feed in any case: a change of subscriptions takes effect between two events. Returns the head. */
export async function catchUpFeed(db: Db, instanceId: string): Promise<string> {
  await lockFeed(db, instanceId)
  await appendAll(db, instanceId)
  const { rows } = await db.query<{ position: string }>('select position from event_feeds where instance_id = $1', [instanceId])
  return rows[0]?.position ?? '0'
}

/**
 * NOTE: the lock is a statement of its own: a statement sees what was committed before it began, so one that locked and read at once
 * could wait for the lock and then not see the events that were placed meanwhile.
 */
async function lockFeed(db: Db, instanceId: string): Promise<void> {
  const lock = { name: 'hold-feed', text: 'select 1 from event_feeds where instance_id = $1 for update', values: [instanceId] }
  if ((await db.query(lock)).rows.length > 0) return
  await db.query('insert into event_feeds (instance_id) values ($1) on conflict do nothing', [instanceId])
  await db.query(lock)
}

async function appendAll(db: Db, instanceId: string): Promise<number> {
  let total = 0
  let placed = BATCH
  while (placed === BATCH) {
    placed = await appendBatch(db, instanceId)
    total += placed
  }
  return total
}

async function appendBatch(db: Db, instanceId: string): Promise<number> {
  const { rows } = await db.query<{ placed: number }>({
    name: 'place-events',
    text: `with waiting as (
             select id, row_number() over (order by created_at, id) as place from (
               select id, created_at from events where instance_id = $1 and position is null order by created_at, id limit $2) oldest),
           placed as (
             update events e set position = f.position + waiting.place from waiting, event_feeds f
             where e.instance_id = $1 and e.id = waiting.id and f.instance_id = $1
             returning e.id, e.kind, e.only_for),
           fanned as (
             insert into deliveries (instance_id, event_id, subscription_id)
             select $1, placed.id, s.id from placed join subscriptions s on s.instance_id = $1 and s.status = 'active'
               and case when placed.only_for is null then s.event = placed.kind or placed.kind = any($3) else s.id = placed.only_for end
             on conflict (instance_id, subscription_id, event_id) do nothing),
           moved as (
             update event_feeds set position = position + (select count(*) from placed) where instance_id = $1)
           select count(*)::int as placed from placed`,
    values: [instanceId, BATCH, ALWAYS_DELIVERED_EVENTS],
  })
  return rows[0]?.placed ?? 0
}
