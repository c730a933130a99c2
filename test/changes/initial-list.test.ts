import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { type ChangePage, type ChangePosition, readChanges } from '../../src/store/changes/read-changes.ts'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const COMPANIES = 40
const OF_COMPANY = 7

const RECORDS = Array.from({ length: OF_COMPANY }, (_, at) => {
  const entity = at < 3 ? 'Accounts' : 'Transactions'
  return `($1, $2, $3, '${entity}', gen_random_uuid(), now(), '${at + 1}', $4, '{}', '', '', gen_random_uuid(), 0, 1)`
}).join(', ')

const opened = databaseForTests()
let instanceId: string
beforeAll(async () => {
  instanceId = await addInstance(opened.database)
  for (let number = 0; number < COMPANIES; number += 1) await addPublishedCompany(opened.database)
  // With statistics PostgreSQL reads the publications as they lie in the table, in no order.
  await readEverything(500)
  await opened.database.query('analyze placed_publications')
})

/** A company with published accounts and transactions. */
async function addPublishedCompany(database: Database): Promise<void> {
  const companyId = await addCompany(database, instanceId)
  const ids = [instanceId, companyId, randomUUID(), randomUUID()]
  await inTransaction(database, async (db) => {
    await db.query(
      `insert into connections (instance_id, company_id, service_id, id, connector_key, category, email, status, update_scheduled_at,
         refresh_hours, published_at)
       values ($1, $2, $3, $4, 'bank', 'Banking', '', 9, now(), 24, now())`,
      ids,
    )
    await db.query(
      `insert into publications (key, instance_id, company_id, service_id, version, published_at, accounts, transactions)
       values (concat_ws('/', $1::uuid, $2::uuid, $3::uuid), $1, $2, $3, 1, now(), 3, 4)`,
      ids.slice(0, 3),
    )
    await db.query(
      `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash,
         sort_key, run_id, raw_index, mapping_version)
       values ${RECORDS}`,
      ids,
    )
  })
}

async function readEverything(limit: number): Promise<string[]> {
  const read: string[] = []
  let at: ChangePosition | null = null
  for (;;) {
    const from: ChangePosition | null = at
    const page: ChangePage = await withinInstance(instanceId, () =>
      readChanges(opened.database, instanceId, from, { companyId: null, entity: null }, limit),
    )
    read.push(...page.items.map(({ record }) => record?.id ?? 'cleared'))
    at = page.next
    if (!page.hasMore) return read
  }
}

it.each([1, 5, 10, 100])('the initial list has each record once, in pages of %i', async (limit) => {
  const { rows } = await opened.database.query<{ id: string }>('select id from record_versions')
  expect(rows).toHaveLength(COMPANIES * OF_COMPANY)
  expect((await readEverything(limit)).sort()).toEqual(rows.map(({ id }) => id).sort())
})
