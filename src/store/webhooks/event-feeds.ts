import { ALWAYS_DELIVERED_EVENTS } from '../../model/events.ts'
import type { Db } from '../db/database.ts'
import { partitionOf, presentWeek, type Week } from './event-weeks.ts'
import { KINDS_OF_RUNS } from './events-of-runs.ts'

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
    text: `select distinct instance_id as "instanceId" from only events where position is null and ${since('$1')}`,
    values: [which],
  })
  return rows.map((row) => row.instanceId)
}

/**
 * Appends committed events of an instance to its feed: assigns the next positions, and creates one delivery per active
 * subscription; returns their number. Needs a transaction, which holds the feed's lock until its end, as does every
 * change of subscriptions. So an event that commits while a subscription is active is appended while it is active. `shown`:
 * on a cluster, `listShownEvents`; others that are about data wait.
 */
export async function appendWaitingEvents(
  db: Db,
  instanceId: string,
  which: Waiting = 'all',
  shown: readonly string[] = [],
): Promise<number> {
  const waiting = await db.query({
    name: 'has-waiting-events',
    text: `select 1 from only events where instance_id = $1 and position is null and ${since('$2')} order by created_at limit 1`,
    values: [instanceId, which],
  })
  if (waiting.rows.length === 0) return 0
  return appendAll(db, instanceId, { which, shown }, await lockFeed(db, instanceId))
}

/**
 * Like `appendWaitingEvents`, but takes the lock even without waiting events: a change of subscriptions takes effect
 * between two events; on a cluster an event about data that the nodes may not show yet comes after it. Returns the head.
 */
export async function catchUpFeed(db: Db, instanceId: string): Promise<string> {
  await appendAll(db, instanceId, { which: 'all', shown: [] }, await lockFeed(db, instanceId))
  const { rows } = await db.query<{ position: string }>('select position from event_feeds where instance_id = $1', [instanceId])
  return rows[0]?.position ?? '0'
}

/** Locks a feed until the transaction ends: nothing is appended to it meanwhile, and no event moves to a partition. */
export async function holdFeed(db: Db, instanceId: string): Promise<void> {
  await lockFeed(db, instanceId)
}

/**
 * The week whose partition takes the next events, which never goes back; null without that partition.
 * NOTE a separate statement: a statement sees only what was committed before it began, so one that locked and read
 * could wait for the lock and then miss the events appended meanwhile.
 */
async function lockFeed(db: Db, instanceId: string): Promise<Week | null> {
  const lock = {
    name: 'hold-feed',
    text: `select ${presentWeek('events', 'greatest(f.week, now.week)')} as week
           from event_feeds f, (select date_trunc('week', statement_timestamp() at time zone 'UTC')::date as week) now
           where f.instance_id = $1 for update of f`,
    values: [instanceId],
  }
  const { rows } = await db.query<{ week: Week | null }>(lock)
  if (rows[0]) return rows[0].week
  await db.query('insert into event_feeds (instance_id) values ($1) on conflict do nothing', [instanceId])
  const made = await db.query<{ week: Week | null }>(lock)
  return made.rows[0]?.week ?? null
}

/** Which events are appended. */
interface Appended {
  which: Waiting
  shown: readonly string[]
}

async function appendAll(db: Db, instanceId: string, appended: Appended, week: Week | null): Promise<number> {
  let total = 0
  let placed = BATCH
  while (placed === BATCH) {
    placed = await appendBatch(db, instanceId, appended, week)
    total += placed
  }
  return total
}

const EVENT_COLUMNS = 'instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body, only_for, created_at, trace_parent'

/**
 * The events get their positions as they move to the partition: there they are never changed again. Without a partition
 * they stay in the table where they are.
 */
function toPlacement(week: Week | null): string {
  if (week === null)
    return `placed as (
             update only events e set position = f.position + waiting.place from waiting, event_feeds f
             where e.instance_id = $1 and e.id = waiting.id and f.instance_id = $1
             returning e.id, e.kind, e.only_for, e.position)`
  return `taken as (
             delete from only events e using waiting where e.instance_id = $1 and e.id = waiting.id returning e.*, waiting.place),
           placed as (
             insert into ${partitionOf('events', week)} (${EVENT_COLUMNS}, position, week)
             select ${EVENT_COLUMNS.replace(/(\w+)/g, 't.$1')}, f.position + t.place, $5::date from taken t, event_feeds f where f.instance_id = $1
             returning id, kind, only_for, position),
           begun as (
             insert into feed_weeks (instance_id, week, begins_after) select $1, $5::date, position from event_feeds where instance_id = $1 and exists (select from placed)
             on conflict do nothing)`
}

async function appendBatch(db: Db, instanceId: string, { which, shown }: Appended, week: Week | null): Promise<number> {
  const onCluster = (sql: string) => (db.isDistributed ? sql : '')
  const { rows } = await db.query<{ placed: number }>({
    name: `place-events-${week ?? 'here'}`,
    text: `with waiting as (
             select id, row_number() over (order by created_at, id) as place from (
               select id, created_at from only events where instance_id = $1 and position is null and ${since('$4')}
                 ${onCluster('and (kind <> all($6) or id = any($7::uuid[]))')}
               order by created_at, id limit $2) oldest),
           ${toPlacement(week)},
           fanned as (
             insert into deliveries (instance_id, event_id, subscription_id, due_at, week, kind)
             select $1, event_id, subscription_id, clock_timestamp(), $5::date, kind from (
               select placed.id as event_id, placed.kind, s.id as subscription_id from placed join subscriptions s on s.instance_id = $1 and s.status = 'active'
                 and case when placed.only_for is null then s.event = placed.kind or placed.kind = any($3) else s.id = placed.only_for end
               order by placed.position) ordered
             on conflict do nothing),
           moved as (
             update event_feeds set position = position + (select count(*) from placed), week = coalesce($5::date, week) where instance_id = $1)
           select count(*)::int as placed from placed`,
    values: [instanceId, BATCH, ALWAYS_DELIVERED_EVENTS, which, week, ...(db.isDistributed ? [KINDS_OF_RUNS, shown] : [])],
  })
  return rows[0]?.placed ?? 0
}
