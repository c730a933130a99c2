import type { Db } from '../db/database.ts'
import { isLiving, presenceLockOf } from '../db/deployment-health.ts'

/**
 * Shows that a worker lives, for as long as this session does. The server misses a client that is cut off within a minute.
 * Source: https://www.postgresql.org/docs/18/runtime-config-connection.html
 */
export async function showPresence(session: Db, id: string): Promise<void> {
  await session.query(
    `select set_config('tcp_keepalives_idle', '20', false), set_config('tcp_keepalives_interval', '10', false),
       set_config('tcp_keepalives_count', '3', false)`,
  )
  await session.query(`select pg_advisory_lock_shared(${presenceLockOf('$1')})`, [id])
}

/** Heartbeat of a worker; returns the slots of all live workers together. Asynchronous commit, as for the leases of jobs. */
export async function reportWorker(db: Db, id: string, slots: number): Promise<number> {
  const { rows } = await db.query<{ slots: number }>(
    `with reported as (
       insert into workers (id, slots) values ($1, $2) on conflict (id) do update set seen_at = clock_timestamp(), slots = $2),
     cleared as (delete from workers w where w.id <> $1 and not ${isLiving('w')})
     select $2::int + coalesce(sum(w.slots), 0)::int as slots, set_config('synchronous_commit', 'off', true) from workers w where w.id <> $1 and ${isLiving('w')}`,
    [id, slots],
  )
  return rows[0]?.slots ?? slots
}

/**
 * What a worker whose presence is shown reads in place of a heartbeat: the slots of all live workers. Null when others do
 * not see that it lives: another release has removed its row, or its session is still with a server that no longer leads.
 */
export async function readSlots(db: Db, id: string): Promise<number | null> {
  const { rows } = await db.query<{ slots: number; isListed: boolean }>(
    `select coalesce(sum(w.slots), 0)::int as slots, coalesce(bool_or(w.id = $1), false) as "isListed" from workers w
     where ${isLiving('w')}`,
    [id],
  )
  return rows[0]?.isListed ? rows[0].slots : null
}

export async function removeWorker(db: Db, id: string): Promise<void> {
  await db.query('delete from workers where id = $1', [id])
}
