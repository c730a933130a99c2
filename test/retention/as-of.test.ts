import { beforeAll, expect, it } from 'vitest'
import { toRecordId } from '../../src/model/catalogue.ts'
import { applyRetention } from '../../src/sync/connection/retention.ts'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'
import { earlier } from './earlier.ts'

const KEPT = { links: null, timeline: null, sourceFiles: null, receipts: null, runs: null, rawPages: null }
const api = openForTests(openApiHarness)
let accounts = ''
beforeAll(async () => {
  const { syncHarness: harness, books } = api
  books.accounts = books.accounts.map((account) => (account.id === '100' ? { ...account, name: 'One, renamed' } : account))
  await harness.sync(api.connectionId)
  const { database } = harness.deps
  // A cluster keeps the first publication with the records, too.
  for (const table of ['connections', ...(database.isDistributed ? ['publications'] : [])])
    await database.query(`update ${table} set first_published_at = ${earlier('first_published_at', '3 years')}`)
  await database.query(`update record_versions set valid_to = ${earlier('valid_to', '14 months')}`)
  await database.query(`update record_versions set valid_from = ${earlier('valid_from', '14 months')} where valid_from > '-infinity'`)
  accounts = `/admin/api/v1/normalized-data/${harness.companyId}/accountancy/accounts/${harness.serviceId(books)}`
})

const monthsAgo = (months: number) => new Date(Date.now() - months * 30.5 * 86_400_000).toISOString()

async function ask(asOf: string, path = ''): Promise<{ status: number; body: string }> {
  const url = `${accounts}${path}?asOf=${asOf}`
  const answer = await api.app.inject({ url, headers: { authorization: `Bearer ${api.tokens.admin}` } })
  return { status: answer.statusCode, body: answer.body }
}

it('asOf at a time with deleted versions is refused with its earliest instant, and every later time is answered completely', async () => {
  const { syncHarness: harness, books } = api
  const before = await ask(monthsAgo(20))
  expect([before.status, before.body.includes('"Account 0"')]).toEqual([200, true])
  await applyRetention(harness.deps.database, { ...KEPT, versions: 13 })
  // Not requested before, so not in the page cache.
  const refused = await ask(monthsAgo(21))
  expect([refused.status, JSON.parse(refused.body).errors]).toMatchObject([400, [{ field: 'asOf' }]])
  expect(refused.body).toMatch(/data as published before \d{4}-\d\d-\d\dT[\d:.]+Z has been deleted/)
  const record = toRecordId(harness.companyId, harness.serviceId(books), 'Accounts', '100')
  expect((await ask(monthsAgo(21), `/${record}/explanation`)).status).toBe(400)
  const later = await ask(monthsAgo(12))
  expect([later.status, later.body.includes('"One, renamed"')]).toEqual([200, true])
  expect((await ask(monthsAgo(12), `/${record}/explanation`)).status).toBe(200)
})

it('the earliest instant itself is answered, and none a millisecond before it', async () => {
  const refused = await ask(monthsAgo(21.5))
  const horizon = /before (\S+Z) has/.exec(refused.body)?.[1] ?? ''
  expect([refused.status, (await ask(horizon)).status]).toEqual([400, 200])
  const before = new Date(Date.parse(horizon) - 1).toISOString()
  expect((await ask(before)).status).toBe(400)
})

it('a longer period set later restores nothing: the horizon stays', async () => {
  await applyRetention(api.syncHarness.deps.database, { ...KEPT, versions: 60 })
  expect((await ask(monthsAgo(22))).status).toBe(400)
})
