import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { inTransaction } from '../../src/store/db/database.ts'
import { publishStaged } from '../../src/store/records/staged-publishing.ts'
import { databaseForTests } from '../harness/for-tests.ts'

/** Takes more than two statements to publish. */
const LARGE_PAGE = 41_000
const SMALL_PAGES = 30
const scope = { instanceId: randomUUID(), companyId: randomUUID(), serviceId: randomUUID() }
const connectionId = randomUUID()
const test = databaseForTests()

/**
 * One large page of transactions, such as that of a file, between small ones of both kinds; the same records each
 * time.
 */
async function publish(doc: string | null, at: string) {
  const run = { id: randomUUID(), connectionId }
  return await inTransaction(test.database, async (db) => {
    await db.query(
      `insert into staged_records (instance_id, run_id, entity, orig_id, seq, id, doc, content_hash, company_id)
       select $1, $2, r.entity, r.entity || n, r.seq, md5(r.entity || n)::uuid, $3, '', $6
       from (select 'Transactions' as entity, 7 as seq, generate_series(1, $4::int) as n
         union all select entity, 2 * page, 100000 + page * 10 + k from unnest(array['Accounts', 'Transactions']) as entity,
           generate_series(1, $5::int) as page, generate_series(1, 10) as k) as r`,
      [scope.instanceId, run.id, doc, LARGE_PAGE, SMALL_PAGES, scope.companyId],
    )
    return await publishStaged(db, scope, run, new Date(at))
  })
}

async function count(condition: string): Promise<number> {
  const { rows } = await test.database.query<{ count: number }>(`select count(*)::int as count from record_versions where ${condition}`)
  return rows[0]?.count ?? 0
}

it('everything staged is published once, whatever the size of its pages', async () => {
  const all = LARGE_PAGE + 2 * SMALL_PAGES * 10
  expect(await publish('{"n":1}', '2026-01-01')).toBe(all)
  expect(await publish('{"n":2}', '2026-01-02')).toBe(all)
  expect(await publish(null, '2026-01-03')).toBe(all)
  expect([await count('valid_to is null and deleted'), await count('valid_to is not null')]).toEqual([all, 2 * all])
})
