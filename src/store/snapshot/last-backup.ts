import type { Db } from '../db/database.ts'

/** Records the last complete backup; an earlier one is replaced. */
export async function recordBackup(db: Db, { takenAt, fileBytes }: { takenAt: Date; fileBytes: number }): Promise<void> {
  await db.query(
    `insert into last_backup (taken_at, file_bytes) values ($1, $2)
     on conflict (is_only) do update set taken_at = excluded.taken_at, file_bytes = excluded.file_bytes
     where last_backup.taken_at < excluded.taken_at`,
    [takenAt, fileBytes],
  )
}

/** Age of the last backup by the clock of the database, in seconds; null if there has been none. */
export async function findBackupAge(db: Db): Promise<number | null> {
  const { rows } = await db.query<{ seconds: number }>(
    'select extract(epoch from statement_timestamp() - taken_at)::float8 as seconds from last_backup',
  )
  return rows[0]?.seconds ?? null
}
