import type { Db } from '../database.ts'

/** Number of rows of `from` (SQL `from … where …`): the total of a list, before its page is selected. */
export async function countRows(db: Db, from: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await db.query<{ total: string }>(`select count(*) as total ${from}`, [...values])
  return Number(rows[0]?.total ?? 0)
}
