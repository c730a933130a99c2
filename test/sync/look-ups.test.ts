import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Db, inTransaction } from '../../src/store/database.ts'
import { listCurrentHashes } from '../../src/store/records.ts'
import { type House, openHouse } from './house.ts'
import { ScriptedSource } from './scripted-source.ts'

const ACCOUNTS = 3_000
const books = new ScriptedSource('books')
let house: House

beforeAll(async () => {
  house = await openHouse([books])
})
afterAll(async () => await house.close())

it('a refresh looks up the records of a page only, also while PostgreSQL has no statistics of what the first sync wrote', async () => {
  const { database } = house.deps
  await database.query('alter table record_versions set (autovacuum_enabled = false)')
  books.accounts = Array.from({ length: ACCOUNTS }, (_, i) => ({ id: String(i), name: `Account ${i}`, balance: `${i}.10` }))
  books.pageSize = 500
  const connectionId = await house.connect(books)
  await house.sync(connectionId, { reason: 'first' })
  const scope = { instanceId: house.instanceId, companyId: house.companyId, serviceId: house.serviceId(books) }
  const { rows } = await database.query<{ id: string }>('select id from record_versions order by id limit 200')
  const rowsRead = await inTransaction(database, async (db) => {
    const before = await countRead(db)
    const ids = rows.map(({ id }) => id)
    expect(await listCurrentHashes(db, scope, 'Accounts', ids, connectionId)).toHaveLength(200)
    return (await countRead(db)) - before
  })
  expect(rowsRead).toBe(200)
})

/** Rows of records that this session has read since it last told the statistics. */
async function countRead(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count from pg_stat_xact_user_tables where relname = 'record_versions'`,
  )
  return rows[0]?.count ?? 0
}
