import type { Db } from '../../src/store/db/database.ts'

/** Makes the partitions of one week those of another: as if its events were as many weeks older. */
export async function renameWeek(db: Db, from: string, to: string): Promise<void> {
  const [before, after] = [from.replaceAll('-', ''), to.replaceAll('-', '')]
  for (const table of ['events', 'deliveries', 'delivery_attempts']) {
    await db.query(`alter table ${table}_${before} rename to ${table}_${after}`)
    if (table === 'delivery_attempts') continue
    await db.query(`alter table ${table}_${after} drop constraint of_week`)
    await db.query(`update ${table}_${after} set week = '${to}'`)
    await db.query(`alter table ${table}_${after} alter column week set default date '${to}'`)
    await db.query(`alter table ${table}_${after} add constraint of_week check (week is not null and week = date '${to}')`)
  }
  await db.query(`update only deliveries set week = $2 where week = $1`, [from, to])
  await db.query(`update feed_weeks set week = $2 where week = $1`, [from, to])
  await db.query(`update event_feeds set week = $2 where week = $1`, [from, to])
}

/** Removes all partitions, as before the first week of a database that was upgraded. */
export async function dropWeeks(db: Db): Promise<void> {
  const { rows } = await db.query<{ name: string }>(`select inhrelid::regclass::text as name from pg_inherits`)
  for (const { name } of rows) if (/^(events|deliveries|delivery_attempts)_\d{8}$/.test(name)) await db.query(`drop table ${name}`)
}

/** Monday of the current week, and those before and after it. */
export async function mondayOf(db: Db, weeksFromNow: number): Promise<string> {
  const { rows } = await db.query<{ week: string }>(
    `select to_char(date_trunc('week', statement_timestamp() at time zone 'UTC')::date + 7 * $1::int, 'YYYY-MM-DD') as week`,
    [weeksFromNow],
  )
  return rows[0]?.week ?? ''
}

/** Rows in the table itself and in its partitions. */
export async function placesOf(db: Db, table: 'events' | 'deliveries' | 'delivery_attempts'): Promise<{ here: number; weeks: number }> {
  const { rows } = await db.query<{ here: number; weeks: number }>(
    `select (count(*) filter (where tableoid = '${table}'::regclass))::int as here,
       (count(*) filter (where tableoid <> '${table}'::regclass))::int as weeks from ${table}`,
  )
  return rows[0] ?? { here: 0, weeks: 0 }
}
