import type { Db } from '../../src/store/db/database.ts'

/** Makes the newest span that has begun three years older, with its pages; returns the name of its partition then. */
export async function ageSpan(db: Db): Promise<string> {
  const { rows } = await db.query<{ now: string; then: string; from: string; to: string; begins: string }>(
    `select to_char(begins, '"raw_pages_"YYYYMMDD') as now, to_char(begins - interval '36 months', '"raw_pages_"YYYYMMDD') as then,
       ((begins - interval '36 months') at time zone 'UTC')::text as from, ((ends - interval '36 months') at time zone 'UTC')::text as to, begins::text
     from page_spans where begins <= (now() at time zone 'UTC')::date order by begins desc limit 1`,
  )
  const [span] = rows
  if (!span) throw new Error('there is no span')
  await db.query(`alter table ${span.now} rename to ${span.then}`)
  await db.query(`alter table ${span.then} drop constraint of_span`)
  await db.query(`update ${span.then} set fetched_at = fetched_at - interval '36 months'`)
  await db.query(`alter table ${span.then} add constraint of_span check (fetched_at >= '${span.from}' and fetched_at < '${span.to}')`)
  await db.query(`update page_spans set begins = begins - interval '36 months', ends = ends - interval '36 months' where begins = $1`, [
    span.begins,
  ])
  return span.then
}

/** Pages in the table itself and in its partitions. */
export async function placesOf(db: Db): Promise<{ here: number; spans: number }> {
  const { rows } = await db.query<{ here: number; spans: number }>(
    `select (count(*) filter (where tableoid = 'raw_pages'::regclass))::int as here,
       (count(*) filter (where tableoid <> 'raw_pages'::regclass))::int as spans from raw_pages`,
  )
  return rows[0] ?? { here: 0, spans: 0 }
}

/** As a day later for spans that are closed. */
export async function waitADay(db: Db): Promise<void> {
  await db.query(`update page_spans set closed_at = closed_at - interval '25 hours', held_until = held_until - interval '25 hours'`)
}

/** Pages are stored in the table itself from here on. */
export async function dropSpans(db: Db): Promise<void> {
  const { rows } = await db.query<{ pages: string }>(`delete from page_spans returning to_char(begins, '"raw_pages_"YYYYMMDD') as pages`)
  for (const { pages } of rows) await db.query(`drop table ${pages}`)
}
