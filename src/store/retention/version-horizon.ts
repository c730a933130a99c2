import type { Db } from '../db/database.ts'

/** Records that closed versions from before this instant are deleted; never moves back. */
export async function raiseVersionHorizon(db: Db, before: Date): Promise<void> {
  await db.query(
    `insert into version_horizon (before) values ($1)
     on conflict (only_one) do update set before = excluded.before where version_horizon.before < excluded.before`,
    [before],
  )
}

/** Instant before which published data can no longer be read; null: all of it can. */
export async function findVersionHorizon(db: Db): Promise<Date | null> {
  const { rows } = await db.query<{ before: Date }>('select before from version_horizon')
  return rows[0]?.before ?? null
}
