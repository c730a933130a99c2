import type { StatusCode } from '../../model/statuses.ts'
import type { Database, Db } from '../db/database.ts'
import { KeptCounts } from '../db/lists/kept-counts.ts'
import { listInstanceIds } from './instances.ts'

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
  for (const table of ['api_usage', 'usage_days'])
    await db.query(`delete from ${table} where day < (statement_timestamp() at time zone 'UTC')::date - $1::int`, [KEPT_DAYS])
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

/** Rows of a UTC day; `d.day` is the day. */
const OF_DAY = (column: string) =>
  `${column} >= (d.day::timestamp at time zone 'UTC') and ${column} < ((d.day + 1)::timestamp at time zone 'UTC')`
/** Column with the day, and column with the state, of what is counted by day. */
const COUNTED = { sync_runs: ['started_at', 'state'], deliveries: ['created_at', 'status'] } as const

/**
 * Counts the runs and deliveries of past days of all instances once. A day with a run or delivery that is not over is
 * left for later.
 */
export async function closeUsageDays(database: Database): Promise<void> {
  for (const instanceId of await listInstanceIds(database)) {
    const { rows } = await database.query<{ day: string }>(
      `select d.day::date::text as day from generate_series(${TODAY} - $2::int, ${TODAY} - 2, interval '1 day') d (day)
       where not exists (select from usage_days u where u.instance_id = $1 and u.day = d.day::date) order by 1`,
      [instanceId, KEPT_DAYS],
    )
    for (const { day } of rows) {
      const runs = database.isDistributed ? await countRuns(database, instanceId, day, day) : null
      if (runs?.some(({ state }) => state === 'running')) continue
      await database.query(
        `insert into usage_days (instance_id, day, runs, deliveries)
         select $1, d.day, ${runs === null ? countStates('sync_runs') : '$3::jsonb'}, ${countStates('deliveries')} from (select $2::date as day) d
         where ${runs === null ? `not exists (select from sync_runs where instance_id = $1 and state = 'running' and ${OF_DAY('started_at')})` : 'true'}
           and not exists (select from only deliveries where instance_id = $1 and status = 'pending' and ${OF_DAY('created_at')})
         on conflict do nothing`,
        [instanceId, day, ...(runs === null ? [] : [JSON.stringify(Object.fromEntries(runs.map(({ state, count }) => [state, count])))])],
      )
    }
  }
}

/** Runs by day and state, on a cluster: each node counts its own. */
async function countRuns(db: Db, instanceId: string, from: string, to: string): Promise<(DayCount & { state: string })[]> {
  const { rows } = await db.query<DayCount & { state: string }>(
    `select (started_at at time zone 'UTC')::date::text as day, state, count(*)::int as count from sync_runs
     where instance_id = $1 and started_at >= ($2::date::timestamp at time zone 'UTC') and started_at < (($3::date + 1)::timestamp at time zone 'UTC')
     group by 1, 2 order by 1, 2`,
    [instanceId, from, to],
  )
  return rows
}

function countStates(table: keyof typeof COUNTED): string {
  const [at, state] = COUNTED[table]
  return `(select coalesce(jsonb_object_agg(state, count), '{}') from
    (select ${state} as state, count(*) as count from ${table} where instance_id = $1 and ${OF_DAY(at)} group by ${state}) s)`
}

/**
 * Usage of an instance in the last `days` days, oldest first. Days are counted as they were when they were closed. What is
 * counted now, of more than 10,000 rows, was counted in the last minute (`KeptCounts`): connections, and the runs and
 * deliveries of days that are not closed.
 */
export async function readUsage(db: Db, instanceId: string, days: number): Promise<Usage> {
  const values = [instanceId, days]
  const bounds = await db.query<Pick<Usage, 'from' | 'to'>>(`select (${TODAY} - $1::int + 1)::text as from, ${TODAY}::text as to`, [days])
  const api = await db.query<Usage['api'][number]>(
    `select day::text, operation, status, requests::float8 as count from api_usage where instance_id = $1 and day >= ${START}
     order by day, operation, status`,
    values,
  )
  const [first] = bounds.rows
  if (!first) throw new Error('the database has no clock')
  const countByDay = async <Name extends string>(table: keyof typeof COUNTED, closed: 'runs' | 'deliveries', name: Name) => {
    const [at, state] = COUNTED[table]
    const given = table === 'sync_runs' && db.isDistributed ? await countRuns(db, instanceId, first.from, first.to) : null
    const counted =
      given === null
        ? `lateral (select ${state} as state, count(*)::int as count from ${table} where instance_id = $1 and ${OF_DAY(at)} group by ${state}) s`
        : `lateral (select * from jsonb_to_recordset($3::jsonb) as g (day date, state text, count int) where g.day = d.day) s`
    const { rows } = await db.query<DayCount & Record<Name, string> & { counted: number }>(
      `with closed as (select day, ${closed} as counts from usage_days where instance_id = $1 and day >= ${START})
       select c.day::text, s.key as "${name}", s.value::int as count, 0 as counted from closed c, jsonb_each_text(c.counts) s
       union all
       select d.day::text, s.state, s.count, s.count from
         (select day::date from generate_series(${START}, ${TODAY}, interval '1 day') g (day) except select day from closed) d,
         ${counted}
       order by 1, 2`,
      [...values, ...(given === null ? [] : [JSON.stringify(given)])],
    )
    return { value: rows.map(({ counted, ...row }) => row), rows: rows.reduce((sum, { counted }) => sum + counted, 0) }
  }
  const key = `${instanceId} ${first.from} ${first.to}`
  const runs = await shownRuns.read(db, key, () => countByDay('sync_runs', 'runs', 'state'))
  const deliveries = await shownDeliveries.read(db, key, () => countByDay('deliveries', 'deliveries', 'status'))
  const connections = await shownConnections.read(db, instanceId, async () => {
    const { rows } = await db.query<Usage['connections'][number]>(
      'select status as "statusCode", count(*)::int as count from connections where instance_id = $1 group by status order by status',
      [instanceId],
    )
    return { value: rows, rows: rows.reduce((sum, { count }) => sum + count, 0) }
  })
  return { ...first, api: api.rows, runs, deliveries, connections }
}

const shownRuns = new KeptCounts<Usage['runs']>()
const shownDeliveries = new KeptCounts<Usage['deliveries']>()
const shownConnections = new KeptCounts<Usage['connections']>()
