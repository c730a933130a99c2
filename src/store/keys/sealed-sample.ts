import type { Db } from '../db/database.ts'
import type { Keys } from './keys.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'

/** Rows of each table that are looked at: all would mean reading all raw pages. */
const ROWS = 2_000

/** Sealing keys that values name and that are not among ours; looks at some rows of each table. */
export async function findMissingSealingKeys(db: Db, { sealing }: Pick<Keys, 'sealing'>): Promise<string[]> {
  const missing = new Set<string>()
  for (const { table, value } of SEALED_COLUMNS) {
    const { rows } = await db.query<{ key: string }>(
      `select distinct encode(substr(value, 2, 8), 'hex') as key
       from (select ${value} as value from ${table} where ${value} is not null limit ${ROWS}) sample`,
    )
    for (const { key } of rows) if (sealing.find(key) === undefined) missing.add(key)
  }
  return [...missing]
}
