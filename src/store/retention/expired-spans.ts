import { randomUUID } from 'node:crypto'
import { FIRST_ID } from '../../model/values/first-id.ts'
import { throughConnection } from '../connections/through-connection.ts'
import { type Database, type Db, inTransaction } from '../db/database.ts'
import { withLockRetries } from '../db/partitions/lock-retries.ts'
import { IS_ATTACHED, IS_THERE, type PageSpan, partitionOf, SPAN } from '../db/partitions/page-spans.ts'
import { recountStoredBytes } from '../operators/stored-bytes.ts'
import { PAGES_OF_RECORDS } from './old-pages.ts'

/** Hours between the last reference to a page and its deletion: no run takes that long. */
const CLOSED_HOURS = 24
/** Time without a sign of life after which another process continues. */
const HELD_MINUTES = 10
/** Connections of one step. */
const CONNECTIONS = 100

interface Connection {
  instanceId: string
  connectionId: string
}

const FIRST: Connection = { instanceId: FIRST_ID, connectionId: FIRST_ID }

/**
 * Retention of raw pages in partitions: those of a span whose pages were all fetched before `before` are dropped together.
 * First the span is closed: no further record refers to its pages. A day later the pages that records came from move to the
 * table itself, the partition is detached from it, the bytes of its connections are counted again and the objects of its
 * pages queued for removal, and then it is dropped. Yields the number of deleted pages, step by step. Whatever ends it, the next run
 * continues; one process at a time empties a partition.
 */
export async function* dropExpiredSpans(database: Database, before: Date): AsyncGenerator<number> {
  if (database.isDistributed) return
  await closeSpans(database, before)
  for (const { span, isAttached } of await listClosedSpans(database)) yield* dropSpan(database, span, isAttached)
}

async function* dropSpan(database: Database, span: PageSpan, isAttached: boolean): AsyncGenerator<number> {
  const holder = randomUUID()
  if (isAttached) {
    for (let after: Connection | null = FIRST; after !== null; ) {
      if (!(await holdSpan(database, span, holder))) return
      const connections: Connection[] = await listConnections(database, span, after)
      for (const connection of connections) await inTransaction(database, (db) => keepNeeded(db, span, connection))
      yield 0
      after = connections.length === CONNECTIONS ? (connections.at(-1) ?? null) : null
    }
    if ((await withLockRetries(database, (db) => detach(db, span))) === null) return
  }
  for (let after: Connection | null = FIRST; after !== null; ) {
    if (!(await holdSpan(database, span, holder))) return
    const connections: Connection[] = await listConnections(database, span, after)
    yield await inTransaction(database, (db) => recountAndQueueRemoval(db, span, connections))
    after = connections.length === CONNECTIONS ? (connections.at(-1) ?? null) : null
  }
  await withLockRetries(database, async (db) => {
    await db.query(`drop table ${partitionOf(span)}`)
    await db.query(`delete from page_spans where ${SPAN} = $1`, [span])
  })
}

/** Closes spans that have expired. Those that have not, because the period is longer now, are open again. */
async function closeSpans(db: Db, before: Date): Promise<void> {
  const isExpired = `ends::timestamp at time zone 'UTC' <= $1`
  await db.query(
    `update page_spans set closed_at = case when ${isExpired} then statement_timestamp() end
     where (closed_at is null) = (${isExpired}) and ${IS_ATTACHED}`,
    [before],
  )
  // Somebody has dropped its partition: nothing is left to do.
  await db.query(`delete from page_spans where ${isExpired} and not (${IS_THERE})`, [before])
}

async function listClosedSpans(db: Db): Promise<{ span: PageSpan; isAttached: boolean }[]> {
  const { rows } = await db.query<{ span: PageSpan; isAttached: boolean }>(
    `select ${SPAN} as span, ${IS_ATTACHED} as "isAttached" from page_spans
     where closed_at < statement_timestamp() - interval '${CLOSED_HOURS} hours' order by begins`,
  )
  return rows
}

/** False if another process empties the partition, or has dropped it. */
async function holdSpan(db: Db, span: PageSpan, holder: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update page_spans set held_by = $2, held_until = clock_timestamp() + interval '${HELD_MINUTES} minutes'
     where ${SPAN} = $1 and (held_by = $2 or held_until is null or held_until < statement_timestamp())`,
    [span, holder],
  )
  return rowCount === 1
}

async function listConnections(db: Db, span: PageSpan, after: Connection): Promise<Connection[]> {
  const { rows } = await db.query<Connection>(
    `select distinct instance_id as "instanceId", connection_id as "connectionId" from ${partitionOf(span)}
     where (instance_id, connection_id) > ($1, $2) order by 1, 2 limit ${CONNECTIONS}`,
    [after.instanceId, after.connectionId],
  )
  return rows
}

const TABLE = 'raw_pages'
const COLUMNS =
  'instance_id, id, connection_id, pull, page, fetched_at, content_hash, sealed, object_id, object_bytes, company_id, reviewed_at'

/** Moves the pages of a connection that its records came from to the table itself, with their ids. */
export async function keepNeeded(db: Db, span: PageSpan, { instanceId, connectionId }: Connection): Promise<void> {
  // For the trigger that would queue their objects for removal.
  await db.query(`set local countinghouse.pages_move = 'on'`)
  await db.query(
    `with needed as materialized (${PAGES_OF_RECORDS}),
       kept as (delete from ${partitionOf(span)} p where p.instance_id = $1 and p.connection_id = $2 and p.id in (select id from needed) returning *)
     insert into raw_pages (${COLUMNS}) select ${COLUMNS.replace('reviewed_at', 'statement_timestamp()')} from kept`,
    await throughConnection(db, instanceId, connectionId),
  )
}

/** From here on its rows are those of no release. Their bytes are counted without them. */
async function detach(db: Db, span: PageSpan): Promise<true> {
  await db.query(`alter table ${partitionOf(span)} no inherit ${TABLE}`)
  await db.query(`drop trigger raw_pages_removed on ${partitionOf(span)}`)
  return true
}

/** Counts the bytes of connections without the pages that are about to be dropped, and queues their objects for removal; returns the number of the pages. */
async function recountAndQueueRemoval(db: Db, span: PageSpan, connections: Connection[]): Promise<number> {
  const given = `${partitionOf(span)} p join unnest($1::uuid[], $2::uuid[]) as c (instance_id, id) on p.instance_id = c.instance_id and p.connection_id = c.id`
  const values = [connections.map(({ instanceId }) => instanceId), connections.map(({ connectionId }) => connectionId)]
  await recountStoredBytes(db, connections)
  await db.query(
    `insert into unclaimed_objects (object_key, is_condemned, due_at)
     select p.instance_id || '/' || p.connection_id || '/' || p.object_id, true, clock_timestamp() from ${given} where p.object_id is not null
     on conflict (object_key) do update set is_condemned = true, due_at = excluded.due_at`,
    values,
  )
  const { rows } = await db.query<{ deleted: number }>(`select count(*)::int as deleted from ${given}`, values)
  return rows[0]?.deleted ?? 0
}
