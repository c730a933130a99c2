import type { StatusCode } from '../../model/statuses.ts'
import type { Db } from '../db/database.ts'

/** Number of requests of one instance to one operation that got one status. */
export interface UsageCount {
  instanceId: string
  operation: string
  status: number
  requests: number
}

const KEPT_DAYS = 92

/** Adds to today's counts (UTC day, database clock). Counts of deleted instances are dropped. */
export async function addUsage(db: Db, counts: readonly UsageCount[]): Promise<void> {
  if (counts.length === 0) return
  // The same row order in all processes, to avoid deadlocks.
  await db.query(
    `insert into api_usage as u (instance_id, day, operation, status, requests)
     select i.id, (clock_timestamp() at time zone 'UTC')::date, c.operation, c.status, c.requests
     from unnest($1::uuid[], $2::text[], $3::smallint[], $4::bigint[]) as c(instance_id, operation, status, requests)
     join instances i on i.id = c.instance_id
     order by i.id, c.operation, c.status
     on conflict (instance_id, day, operation, status) do update set requests = u.requests + excluded.requests`,
    [
      counts.map(({ instanceId }) => instanceId),
      counts.map(({ operation }) => operation),
      counts.map(({ status }) => status),
      counts.map(({ requests }) => requests),
    ],
  )
}

export async function pruneUsage(db: Db): Promise<void> {
  await db.query(`delete from api_usage where day < (statement_timestamp() at time zone 'UTC')::date - $1::int`, [KEPT_DAYS])
}

/** Activity of an instance on one UTC day, grouped by one property. */
interface DayCount {
  /** YYYY-MM-DD. */
  day: string
  count: number
}

export interface Usage {
  /** First and last day counted, including today. */
  from: string
  to: string
  api: (DayCount & { operation: string; status: number })[]
  runs: (DayCount & { state: string })[]
  /** By the day on which delivery of the event was due. */
  deliveries: (DayCount & { status: string })[]
  connections: { statusCode: StatusCode; count: number }[]
}

const TODAY = `(statement_timestamp() at time zone 'UTC')::date`
const START = `(${TODAY} - $2::int + 1)`

/** Usage of an instance in the last `days` days, oldest first. */
export async function readUsage(db: Db, instanceId: string, days: number): Promise<Usage> {
  const values = [instanceId, days]
  const since = `(${START}::timestamp at time zone 'UTC')`
  const bounds = await db.query<Pick<Usage, 'from' | 'to'>>(`select (${TODAY} - $1::int + 1)::text as from, ${TODAY}::text as to`, [days])
  const api = await db.query<Usage['api'][number]>(
    `select day::text, operation, status, requests::float8 as count from api_usage where instance_id = $1 and day >= ${START}
     order by day, operation, status`,
    values,
  )
  const runs = await db.query<Usage['runs'][number]>(
    `select (started_at at time zone 'UTC')::date::text as day, state, count(*)::int as count from sync_runs
     where instance_id = $1 and started_at >= ${since} group by 1, 2 order by 1, 2`,
    values,
  )
  const deliveries = await db.query<Usage['deliveries'][number]>(
    `select (created_at at time zone 'UTC')::date::text as day, status, count(*)::int as count from deliveries
     where instance_id = $1 and created_at >= ${since} group by 1, 2 order by 1, 2`,
    values,
  )
  const connections = await db.query<Usage['connections'][number]>(
    'select status as "statusCode", count(*)::int as count from connections where instance_id = $1 group by status order by status',
    [instanceId],
  )
  const [first] = bounds.rows
  if (!first) throw new Error('the database has no clock')
  return { ...first, api: api.rows, runs: runs.rows, deliveries: deliveries.rows, connections: connections.rows }
}
