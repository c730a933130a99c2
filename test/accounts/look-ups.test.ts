import { expect, it } from 'vitest'
import { type Db, inTransaction } from '../../src/store/db/database.ts'
import { listBankAccountsOfCompany, listNewestMovements } from '../../src/store/records/company-accounts.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { companyActions, openSyncHarness } from '../sync/harness.ts'
import { StatementSource } from './statement-source.ts'

const north = new StatementSource('north')
const harness = openForTests(() => openSyncHarness([north]))

it('the accounts and transactions of a company are found among those of others without statistics', async () => {
  const { deps, instanceId } = harness
  const { database } = deps
  await database.query('alter table record_versions set (autovacuum_enabled = false)')
  const rows = Array.from({ length: 20 }, (_, day) => [`2026-10-${String(day + 1).padStart(2, '0')}`, `-${day}.10`] as const)
  north.statements = Array.from({ length: 150 }, (_, index) => ({ id: `a${index}`, bank: 'Maple Bank', rows }))
  await harness.sync(await harness.connect(north), { reason: 'first' })
  const companyId = await addCompany(database, instanceId)
  const actions = companyActions(deps, instanceId, companyId)
  north.statements = [{ id: 'one', bank: 'Maple Bank', rows }]
  await actions.sync(await actions.connect(north), { reason: 'first' })
  const scope = { instanceId, companyId, serviceId: harness.serviceId(north) }
  const read = async (list: (db: Db) => Promise<unknown[]>) =>
    await inTransaction(database, async (db) => {
      const before = await countRead(db)
      const found = await list(db)
      return [found.length, (await countRead(db)) - before]
    })
  expect(await read((db) => listBankAccountsOfCompany(db, scope, null))).toEqual([1, 1])
  expect(await read((db) => listBankAccountsOfCompany(db, scope, new Date()))).toEqual([1, 1])
  expect(await read((db) => listNewestMovements(db, scope, 10))).toEqual([10, 10])
})

async function countRead(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select (seq_tup_read + idx_tup_fetch)::int as count from pg_stat_xact_user_tables where relname = 'record_versions'`,
  )
  return rows[0]?.count ?? 0
}
