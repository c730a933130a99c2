import type { Db } from './database.ts'

/** Resolves when the database answers at all. */
export async function askForLife(db: Db): Promise<void> {
  await db.query('select 1')
}
