import type { Db } from '../db/database.ts'

const NAME = 'requestsPerMinute'
/** A peak gives way to a lower one after so many minutes; a process repeats its own every five. */
const PEAK_MINUTES = 10
/** A peak without a later one is forgotten after so many minutes. */
const KNOWN_MINUTES = 15

/** Notes the most requests within a minute that a process has counted for each instance; a recent higher one stays. */
export async function noteRequestPeaks(db: Db, peaks: ReadonlyMap<string, number>): Promise<void> {
  // The same row order in all processes, to avoid deadlocks.
  await db.query(
    `insert into instance_uses as u (instance_id, name, used, counted_at, took_ms)
     select i.id, '${NAME}', p.peak, statement_timestamp(), 0 from unnest($1::uuid[], $2::bigint[]) as p (instance_id, peak)
       join instances i on i.id = p.instance_id order by i.id
     on conflict (instance_id, name) do update set used = excluded.used, counted_at = excluded.counted_at
       where excluded.used >= u.used or u.counted_at < statement_timestamp() - interval '${PEAK_MINUTES} minutes'`,
    [[...peaks.keys()], [...peaks.values()]],
  )
}

/** The most requests within a minute that one process has lately had from an instance; 0 without any. */
export async function readRequestPeak(db: Db, instanceId: string): Promise<number> {
  const { rows } = await db.query<{ used: string }>(
    `select used from instance_uses where instance_id = $1 and name = '${NAME}'
       and counted_at > statement_timestamp() - interval '${KNOWN_MINUTES} minutes'`,
    [instanceId],
  )
  return Number(rows[0]?.used ?? 0)
}
