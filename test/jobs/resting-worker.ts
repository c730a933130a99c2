import { Activity } from '../../src/jobs/activity.ts'
import { type JobWorker, startWorker } from '../../src/jobs/worker.ts'
import type { Database } from '../../src/store/db/database.ts'
import { until } from '../process/deadline.ts'

const SLOTS = 3
const BEATS = 10
const PACE = { heartbeatMs: 20, pollMs: 20 }

export interface RestingWorker {
  id: string
  worker: JobWorker
  /** Lets a minute pass without work, after which it rests if it hears notifications; waits until it does. */
  rest(): Promise<void>
}

/** A worker without work, with the heartbeats of a worker in a hurry, and a clock of its own for its rest. */
export async function startResting(database: Database): Promise<RestingWorker> {
  let elapsedMs = 0
  const activity = new Activity(() => elapsedMs)
  const before = await listIds(database)
  const worker = startWorker({ database, handlers: {}, concurrency: SLOTS, onError: () => undefined, activity, pace: PACE })
  const id = await until('the first heartbeat', async () => (await listIds(database)).find((one) => !before.includes(one)) ?? null)
  const rest = async () => {
    elapsedMs += 120_000
    await until('the rest', () => (activity.isResting() ? true : null))
    await until('a lock of its session', async () => ((await listLockHolders(database)).length > 0 ? true : null))
  }
  return { id, worker, rest }
}

/** Lets another worker, which never rests, send some heartbeats: as many as a worker at rest could have sent. */
export async function awaitBeats(database: Database): Promise<void> {
  const before = await listIds(database)
  const holders = await listLockHolders(database)
  const worker = startWorker({ database, handlers: {}, concurrency: SLOTS, onError: () => undefined, activity: new Activity(), pace: PACE })
  const id = await until('another worker', async () => (await listIds(database)).find((one) => !before.includes(one)) ?? null)
  const readBeat = async () =>
    (await database.query<{ at: string }>('select seen_at::text as at from workers where id = $1', [id])).rows[0]?.at ?? ''
  for (let beat = 0, last = await readBeat(); beat < BEATS; beat += 1) {
    const before = last
    last = await until('a heartbeat', async () => ((await readBeat()) === before ? null : await readBeat()))
  }
  await worker.stop()
  // PostgreSQL knows of a closed session, and of its lock, for a moment.
  await until('the end of its session', async () => ((await listLockHolders(database)).every((pid) => holders.includes(pid)) ? true : null))
}

export async function listIds(database: Database): Promise<string[]> {
  return (await database.query<{ id: string }>('select id from workers order by seen_at')).rows.map(({ id }) => id)
}

/** Sessions that hold advisory locks in this database. */
export async function listLockHolders(database: Database): Promise<number[]> {
  const { rows } = await database.query<{ pid: number }>(
    `select l.pid from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database() where l.locktype = 'advisory'`,
  )
  return rows.map(({ pid }) => pid)
}

/** As if the last heartbeat of every worker were an hour old. */
export async function ageHeartbeats(database: Database): Promise<void> {
  await database.query(`update workers set seen_at = seen_at - interval '1 hour'`)
}

/** Waits until these workers send no heartbeat while others send some; one may be on its way when a rest begins. */
export async function untilSilent(database: Database, ids: readonly string[]): Promise<void> {
  await until('no heartbeat of those at rest', async () => {
    await ageHeartbeats(database)
    await awaitBeats(database)
    const ages = await Promise.all(ids.map((id) => readAge(database, id)))
    return ages.every((age) => age !== null && age > 3_000) ? true : null
  })
}

/** Seconds since the heartbeat of a worker; null without a row. */
export async function readAge(database: Database, id: string): Promise<number | null> {
  const { rows } = await database.query<{ age: number }>(
    'select extract(epoch from clock_timestamp() - seen_at)::float8 as age from workers where id = $1',
    [id],
  )
  return rows[0]?.age ?? null
}
