import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { uploadStatement } from '../journey/http-walks.ts'
import { openInProcessHarness } from './harness/in-process-harness.ts'
import { openPortalHarness } from './harness/portal-harness.ts'
import { writeStatement } from './harness/statements.ts'

const PAGE_SIZE = 50
/** One more than a page of the portal, one more than a page of the API, and far more than both. */
const SIZES = [51, 501, 5_000] as const

describe.skipIf(lacksBrowser)(`every record of a long list can be reached${browserNote}`, () => {
  const harness = openForTests(openPortalHarness)
  let page: Page
  let serviceId: string
  const companies = new Map<number, string>()

  beforeAll(async () => {
    page = (await harness.visit()).page
    serviceId = (await harness.client.service('Bank files')).id
    for (const size of SIZES) {
      const companyId = await harness.client.addCompany(`Statements of ${size}`)
      companies.set(size, companyId)
      await uploadStatement(harness.service.baseUrl, await harness.client.link(companyId, serviceId), () =>
        writeStatement(size, Math.min(size, 501)),
      )
      await harness.client.connectionInStatus(companyId, [15, 19], 60_000)
    }
  }, 180_000)

  const open = (size: number, view: string, extra = '') =>
    harness.go(page, `/companies/${companies.get(size)}/connections/${serviceId}?view=${view}${extra}`)
  const rows = () => page.locator('table.grid tbody tr')

  it.each(SIZES)('%d bank accounts: the last page has the rest, and is one click away from the first', async (size) => {
    await open(size, 'accounts')
    const pages = Math.ceil(size / PAGE_SIZE)
    await page.getByText(`Page 1 of ${pages}`).waitFor()
    await page.getByRole('button', { name: pages === 2 ? 'Next page' : 'Last page' }).click()
    await page.getByText(`Page ${pages} of ${pages}`).waitFor()
    await expect.poll(() => rows().count()).toBe(size - (pages - 1) * PAGE_SIZE)
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByText(`Page ${pages - 1} of ${pages}`).waitFor()
    await expect.poll(() => rows().count()).toBe(PAGE_SIZE)
  })

  it.each([51, 501])('%d transactions: every page can be reached', async (size) => {
    await open(size, 'transactions')
    const pages = Math.ceil(size / PAGE_SIZE)
    const seen = new Set<string>()
    for (let number = 1; number <= pages; number++) {
      if (number > 1) await page.getByRole('button', { name: 'Next page' }).click()
      await page.getByText(`Page ${number} of ${pages}`).waitFor()
      const shown = async () => await page.locator('table.grid tbody a').allInnerTexts()
      await expect.poll(async () => (await shown()).some((name) => !seen.has(name))).toBe(true)
      for (const name of await shown()) seen.add(name)
    }
    expect(seen.size).toBe(size)
  })

  it.each(SIZES)('%d bank accounts: each has its balances', async (size) => {
    await open(size, 'balances')
    const options = page.locator('main select option')
    await expect.poll(() => options.count(), { timeout: 20_000 }).toBe(size)
    expect(await page.locator('.problem').count()).toBe(0)
    await page.locator('svg.chart').waitFor()
  })
})

describe.skipIf(lacksBrowser)(`unpaged lists are shown in pages, too${browserNote}`, () => {
  const harness = openForTests(openPortalHarness)
  let page: Page
  const COUNT = 51

  beforeAll(async () => {
    page = (await harness.visit()).page
    const serviceId = (await harness.client.service('Plaid')).id
    for (let index = 0; index < COUNT; index++) {
      await harness.client.subscribe('NormalizedData', `http://127.0.0.1:9/${index}`)
      const body = { serviceId, name: `Bank ${index}`, country: 'CA', url: '', note: '' }
      await harness.client.ask('/normalized-data/institution-requests', { method: 'POST', body })
    }
  }, 120_000)

  it.each([
    ['endpoints', '/webhooks', 'Webhooks'],
    ['wishes for banks', '/catalogue', 'Institution requests'],
  ])('%s', async (_, path, table) => {
    await harness.go(page, path)
    const rows = page.getByRole('table', { name: table }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(50)
    await page.getByRole('button', { name: 'Next page' }).last().click()
    await expect.poll(() => rows.count()).toBe(1)
  })
})

describe.skipIf(lacksBrowser)(`deliveries of more than a page${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)
  const ON_PAGE = 25
  const COUNT = 4 * ON_PAGE + 20
  const FAILED = ON_PAGE + 1
  const query = (text: string, values: unknown[] = []) => harness.api.deps.database.query(text, [harness.api.instanceId, ...values])

  beforeAll(async () => {
    await query(
      `with s as (insert into subscriptions (instance_id, id, event, callback_url)
           values ($1, gen_random_uuid(), 'NormalizedData', 'https://receiver.example/') returning id),
         e as (insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body)
           select $1, gen_random_uuid(), 'NormalizedData', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), n::text, '{}'
           from generate_series(1, ${COUNT}) n returning id, dedupe_key::int as n)
       insert into deliveries (instance_id, event_id, subscription_id, status)
       select $1, e.id, s.id, case when e.n <= ${FAILED} then 'failed' else 'delivered' end from s, e`,
    )
  })

  it.each([
    ['all of them', '', COUNT],
    ['those that failed', '?status=failed', FAILED],
  ])('are counted and can be reached to the last: %s', async (_which, search, count) => {
    const page = await harness.visit()
    await page.context().clock.resume()
    await harness.go(page, `/webhooks/deliveries${search}`)
    const pages = Math.ceil(count / ON_PAGE)
    await page.getByText(`${count} in all`).waitFor()
    await page.getByText(`Page 1 of ${pages}`).waitFor()
    const rows = () => page.locator('table.grid tbody tr').count()
    await expect.poll(rows).toBe(ON_PAGE)
    await page.getByRole('button', { name: pages === 2 ? 'Next page' : 'Last page' }).click()
    await page.getByText(`Page ${pages} of ${pages}`).waitFor()
    await expect.poll(rows).toBe(count - (pages - 1) * ON_PAGE)
    await page.context().close()
  })
})
