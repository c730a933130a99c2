import { type Database, type Db, inTransaction } from '../../../src/store/db/database.ts'
import { type ClusterDatabase, portOf } from '../cluster-database.ts'
import { addPublished } from '../published.ts'

/** Adds two companies with published records, on different nodes. */
export async function addPair({ admin, database }: Pick<ClusterDatabase, 'admin' | 'database'>): Promise<string[]> {
  const byPort = new Map<number, string>()
  while (byPort.size < 2) {
    const { companyId } = await addPublished(database)
    byPort.set(await portOf(admin, companyId), companyId)
  }
  return [...byPort.values()]
}

/** Writes a mark to rows of the companies, in one transaction on the coordinator and on the node of each. */
export async function markPair(database: Database, pair: readonly string[], mark: string): Promise<void> {
  await inTransaction(database, async (db) => {
    await db.query('update companies set city = $1 where id = any($2)', [mark, pair])
    for (const companyId of pair) await db.query('update record_versions set sort_key = $1 where company_id = $2', [mark, companyId])
  })
}

/** Marks of all four rows; equal, if each transaction was kept whole. */
export async function listMarks(db: Db, pair: readonly string[]): Promise<string[]> {
  const { rows: cities } = await db.query<{ mark: string }>('select city as mark from companies where id = any($1)', [pair])
  const { rows: keys } = await db.query<{ mark: string }>('select sort_key as mark from record_versions where company_id = any($1)', [pair])
  return [...cities, ...keys].map((row) => row.mark)
}
