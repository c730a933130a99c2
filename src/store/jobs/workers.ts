import type { Db } from '../db/database.ts'

/** A worker without a heartbeat for this long counts as dead. */
const DEAD_AFTER_SECONDS = 75

/** Heartbeat of a worker; returns the slots of all live workers together. */
export async function reportWorker(db: Db, id: string, slots: number): Promise<number> {
  const { rows } = await db.query<{ slots: number }>(
    `with reported as (
       insert into workers (id, slots) values ($1, $2) on conflict (id) do update set seen_at = clock_timestamp(), slots = $2),
     cleared as (delete from workers where id <> $1 and seen_at < statement_timestamp() - make_interval(secs => $3))
     select $2::int + coalesce(sum(slots), 0)::int as slots from workers
     where id <> $1 and seen_at >= statement_timestamp() - make_interval(secs => $3)`,
    [id, slots, DEAD_AFTER_SECONDS],
  )
  return rows[0]?.slots ?? slots
}

export async function removeWorker(db: Db, id: string): Promise<void> {
  await db.query('delete from workers where id = $1', [id])
}
