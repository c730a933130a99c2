import { beforeEach, expect, it } from 'vitest'
import { listCoverage } from '../../src/store/records/coverage.ts'
import { queueCoverage, refreshCoverage } from '../../src/sync/runs/coverage.ts'
import { takeJobs } from '../harness/app/jobs.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { type CompanyActions, companyActions, openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const bank = new ScriptedSource('bank', 'Banking')
const harness = openForTests(() => openSyncHarness([bank]))

let companyId: string
let actions: CompanyActions
let connectionId: string
beforeEach(async () => {
  companyId = await addCompany(harness.deps.database, harness.instanceId)
  actions = companyActions(harness.deps, harness.instanceId, companyId)
  connectionId = await actions.connect(bank)
})

const scope = () => ({ ...harness.scopeOf(bank), companyId })
/** Publishes accounts, of which some have a balance, and counts them. */
async function publish(balances: Record<string, string | undefined>) {
  bank.accounts = Object.entries(balances).map(([id, balance]) => ({
    id,
    name: `Account ${id}`,
    ...(balance === undefined ? {} : { balance }),
  }))
  await actions.sync(connectionId)
  return await count()
}
async function count() {
  await refreshCoverage(harness.deps.database, scope(), 'Banking')
  const found = await listCoverage(harness.deps.database, scope())
  return Object.fromEntries(
    found.map(({ entity, total, filled }) => [
      entity,
      [total, filled.accountName ?? filled.description, filled.actualBalance ?? filled.amount],
    ]),
  )
}
const query = (text: string, values: unknown[] = []) => harness.deps.database.query(text, values)

it('counts the published records, and those with a value in each field', async () => {
  expect(await publish({ 1: '1.00', 2: '2.00', 3: undefined })).toEqual({ Accounts: [3, 3, 2], Transactions: [0, 0, 0] })
})

it('counts on from the last count: what is new, changed and deleted', async () => {
  await publish({ 1: '1.00', 2: '2.00', 3: undefined })
  expect(await publish({ 1: '1.50', 2: undefined, 3: '3.00', 4: '4.00' })).toMatchObject({ Accounts: [4, 4, 3] })
  expect(await publish({ 1: '1.50', 3: '3.00', 4: '4.00' })).toMatchObject({ Accounts: [3, 3, 3] })
  expect(await count()).toMatchObject({ Accounts: [3, 3, 3] })
})

it('is counted on from what was counted, not from the beginning', async () => {
  await publish({ 1: '1.00', 2: '2.00' })
  await query(
    `update record_coverage set filled = jsonb_set(filled::jsonb, '{actualBalance}', '7')::json where company_id = $1 and entity = 'Accounts'`,
    [companyId],
  )
  expect(await publish({ 1: '1.00', 2: '2.00', 3: '3.00' })).toMatchObject({ Accounts: [3, 3, 8] })
})

it('is counted anew where the last count does not lead to what is published', async () => {
  await publish({ 1: '1.00', 2: '2.00' })
  await query(
    `update record_coverage set total = total + 5, filled = jsonb_set(filled::jsonb, '{actualBalance}', '7')::json where company_id = $1`,
    [companyId],
  )
  expect(await count()).toEqual({ Accounts: [2, 2, 2], Transactions: [0, 0, 0] })
})

it('is none where nothing is published', async () => {
  expect(await count()).toEqual({})
})

it('is queued once for what is published together', async () => {
  await query('delete from jobs')
  for (const category of ['Accounting', 'Banking'] as const) await queueCoverage(harness.deps.database, scope(), category)
  const jobs = await takeJobs(harness.deps.database, 'coverage')
  const { instanceId, serviceId } = scope()
  expect(jobs.map((job) => [job.instanceId, job.payload])).toEqual([[instanceId, { companyId, serviceId, category: 'Banking' }]])
})
