import { ALWAYS_DELIVERED_EVENTS } from '../../model/events.ts'
import type { Db } from '../db/database.ts'

/** Events appended per statement. */
const BATCH = 500

/**
 * Which waiting events are looked at: all, or those of the last minute. While a transaction stays open elsewhere in the
 * database, the entries of all events since appended are still in the index (docs/decisions/0079).
 */
export type Waiting = 'all' | 'recent'

const since = (parameter: '$1' | '$2' | '$4') =>
  `created_at >= case when ${parameter} = 'all' then '-infinity' else statement_timestamp() - interval '1 minute' end`

/** Instances with committed events that have no feed position yet. */
export async function listWaitingInstances(db: Db, which: Waiting = 'all'): Promise<string[]> {
  const { rows } = await db.query<{ instanceId: string }>({
    name: 'list-waiting-instances',
    text: `select distinct instance_id as "instanceId" from events where position is null and ${since('$1')}`,
    values: [which],
  })
  return rows.map((row) => row.instanceId)
}

/**
 * Appends committed events of an instance to its feed: assigns the next positions, and creates one delivery per active
 * subscription; returns their number. Needs a transaction, which holds the feed's lock until its end, as does every
 * change of subscriptions. So an event that commits while a subscription is active is appended while it is active.
 */
export async function appendWaitingEvents(db: Db, instanceId: string, which: Waiting = 'all'): Promise<number> {
  const waiting = await db.query({
    name: 'has-waiting-events',
    text: `select 1 from events where instance_id = $1 and position is null and ${since('$2')} order by created_at limit 1`,
    values: [instanceId, which],
  })
  if (waiting.rows.length === 0) return 0
  await lockFeed(db, instanceId)
  return appendAll(db, instanceId, which)
}

/**
 * Like `appendWaitingEvents`, but takes the lock even without waiting events: a change of subscriptions takes effect
 * between two events. Returns the head.
 */
export async function catchUpFeed(db: Db, instanceId: string): Promise<string> {
  await lockFeed(db, instanceId)
  await appendAll(db, instanceId, 'all')
  const { rows } = await db.query<{ position: string }>('select position from event_feeds where instance_id = $1', [instanceId])
  return rows[0]?.position ?? '0'
}

/**
 * NOTE a separate statement: a statement sees only what was committed before it began, so one that locked and read
 * could wait for the lock and then miss the events appended meanwhile.
 */
async function lockFeed(db: Db, instanceId: string): Promise<void> {
  const lock = { name: 'hold-feed', text: 'select 1 from event_feeds where instance_id = $1 for update', values: [instanceId] }
  if ((await db.query(lock)).rows.length > 0) return
  await db.query('insert into event_feeds (instance_id) values ($1) on conflict do nothing', [instanceId])
  await db.query(lock)
}

async function appendAll(db: Db, instanceId: string, which: Waiting): Promise<number> {
  let total = 0
  let placed = BATCH
  while (placed === BATCH) {
    placed = await appendBatch(db, instanceId, which)
    total += placed
  }
  return total
}

async function appendBatch(db: Db, instanceId: string, which: Waiting): Promise<number> {
  const { rows } = await db.query<{ placed: number }>({
    name: 'place-events',
    text: `with waiting as (
             select id, row_number() over (order by created_at, id) as place from (
               select id, created_at from events where instance_id = $1 and position is null and ${since('$4')}
               order by created_at, id limit $2) oldest),
           placed as (
             update events e set position = f.position + waiting.place from waiting, event_feeds f
             where e.instance_id = $1 and e.id = waiting.id and f.instance_id = $1
             returning e.id, e.kind, e.only_for, e.position),
           fanned as (
             insert into deliveries (instance_id, event_id, subscription_id, due_at)
             select $1, event_id, subscription_id, clock_timestamp() from (
               select placed.id as event_id, s.id as subscription_id from placed join subscriptions s on s.instance_id = $1 and s.status = 'active'
                 and case when placed.only_for is null then s.event = placed.kind or placed.kind = any($3) else s.id = placed.only_for end
               order by placed.position) ordered
             on conflict do nothing),
           moved as (
             update event_feeds set position = position + (select count(*) from placed) where instance_id = $1)
           select count(*)::int as placed from placed`,
    values: [instanceId, BATCH, ALWAYS_DELIVERED_EVENTS, which],
  })
  return rows[0]?.placed ?? 0
}
