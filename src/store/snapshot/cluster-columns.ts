import type { Db } from '../db/database.ts'

/** Rows of one statement. */
const BATCH = 5_000

/** Runs work as a role that may change the distributed tables. */
type AsOwner = <T>(work: () => Promise<T>) => Promise<T>

/** Fills the first publication of the connection that published last, as `raisePublication` does. */
export async function fillFirstPublications(db: Db, asOwner: AsOwner): Promise<void> {
  const { rows } = await db.query<{ rows: string }>(
    `select json_agg(r)::text as rows from (
       select instance_id, company_id, service_id, max(first_published_at) as at, (row_number() over () - 1) / ${BATCH} as batch
       from connections where first_published_at is not null group by instance_id, company_id, service_id) r group by batch`,
  )
  for (const batch of rows)
    await asOwner(() =>
      db.query(
        `with first as materialized (select * from json_to_recordset($1::json) as r (instance_id uuid, company_id uuid, service_id uuid, at timestamptz))
         update publications p set first_published_at = first.at from first
         where p.instance_id = first.instance_id and p.company_id = first.company_id and p.service_id = first.service_id`,
        [batch.rows],
      ),
    )
}

/** Fills what notes for the change feed say of their change: the nodes show every one that a snapshot holds. */
export async function fillNotes(db: Db, asOwner: AsOwner): Promise<void> {
  await db.query('update unplaced_publications set version = 0, is_removed = false')
  const { rows } = await db.query<{ instance: string; company: string; service: string }>(
    'select distinct instance_id as instance, company_id as company, service_id as service from unplaced_publications',
  )
  for (const { instance, company, service } of rows) {
    const key = [instance, company, service]
    const found = await asOwner(() =>
      db.query('select from publications where instance_id = $1 and company_id = $2 and service_id = $3', key),
    )
    if (found.rowCount === 0)
      await db.query(
        'update unplaced_publications set is_removed = true where instance_id = $1 and company_id = $2 and service_id = $3',
        key,
      )
  }
}
