import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../../harness/browser.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { connectQuickbooks, uploadStatement } from '../../journey/http-walks.ts'
import { openInProcessHarness } from '../harness/in-process-harness.ts'
import { openPortalHarness } from '../harness/portal-harness.ts'
import { accountNumberAt, writeStatement } from '../harness/statements.ts'

const PAGE_SIZE = 50
/** Accounts that can be chosen without a search. */
const MOST_CHOICES = 500
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

  it.each(SIZES)('%d bank accounts: each has its balances, chosen from a list that a search makes short enough', async (size) => {
    await open(size, 'balances')
    const account = page.getByLabel('Account', { exact: true })
    await expect.poll(() => account.locator('option').count()).toBe(Math.min(size, MOST_CHOICES))
    const search = page.getByLabel('Search by name or number')
    expect(await search.count()).toBe(size > MOST_CHOICES ? 1 : 0)
    const last = accountNumberAt(size - 1).slice(-4)
    if (size > MOST_CHOICES) {
      await page.getByText(`500 of ${size.toLocaleString('en-CA')} accounts`).waitFor()
      await search.fill('no such account')
      await page.getByText('No results match these filters').waitFor()
      await search.fill('')
      await expect.poll(() => account.locator('option').count()).toBe(MOST_CHOICES)
      // The same field throughout, in which one can type on.
      expect(await page.evaluate(`document.activeElement.type`)).toBe('search')
      await search.fill(last)
      await expect.poll(() => account.locator('option').count()).toBe(1)
    } else {
      await account.selectOption({ index: size - 1 })
    }
    await page.getByRole('cell', { name: `$${size.toLocaleString('en-CA')}.50` }).waitFor()
    await page.locator('svg.chart').waitFor()
    expect(await page.locator('.problem').count()).toBe(0)
    await page.reload()
    await page.getByRole('cell', { name: `$${size.toLocaleString('en-CA')}.50` }).waitFor()
  })
})

describe.skipIf(lacksBrowser)(`the balances of an account${browserNote}`, () => {
  const harness = openForTests(openPortalHarness)

  it('are those at each publication in which it was there, newest first', async () => {
    const { client, service } = harness
    const serviceId = (await client.service('Bank files')).id
    const companyId = await client.addCompany('Two statements')
    for (const [count, later] of [
      [1, 0],
      [2, 20],
    ] as const) {
      await uploadStatement(service.baseUrl, await client.link(companyId, serviceId), () => writeStatement(count, 0, later))
      await client.connectionInStatus(companyId, [15, 19], 60_000)
    }
    const { page } = await harness.visit()
    const runs = page.waitForRequest((request) => new URL(request.url()).pathname.endsWith('/runs'))
    await harness.go(page, `/companies/${companyId}/connections/${serviceId}?view=balances`)
    // Runs that changed nothing, as most do, are not read.
    expect(new URL((await runs).url()).searchParams.get('FilterQuery')).toBe('state=published')
    const balances = async () => (await page.locator('table.grid tbody tr td:last-child').allInnerTexts()).map((text) => text.trim())
    await expect.poll(balances).toEqual(['$21.50', '$1.50'])
    await page.getByLabel('Account', { exact: true }).selectOption({ index: 1 })
    await expect.poll(balances).toEqual(['$22.50'])
  })
})

describe.skipIf(lacksBrowser)(`a chart of accounts${browserNote}`, () => {
  const harness = openForTests(openPortalHarness)
  const COUNT = 20_000
  const API_PAGE = 500

  function toAccount(index: number) {
    const classSystem = index % 2 === 0 ? 'Assets' : 'Expenses'
    return {
      id: `account-${index}`,
      number: String(10_000 + index),
      name: `Account ${index}`,
      classSystem,
      typeSystem: '',
      subTypeSystem: '',
    }
  }

  it('of 20,000 accounts appears, and each of its accounts can be reached', async () => {
    const { client, service } = harness
    const { id } = await client.service('QuickBooks Online')
    const companyId = await client.addCompany('Large ledger')
    await connectQuickbooks(service.baseUrl, await client.link(companyId, id), { realmId: '4620816365200000101' })
    await client.connectionInStatus(companyId, [15, 19], 60_000)
    const { page } = await harness.visit()
    await page.route('**/accountancy/accounts/**', async (route) => {
      const number = Number(new URL(route.request().url()).searchParams.get('PageNumber') ?? 1)
      const data = Array.from({ length: API_PAGE }, (_, at) => toAccount((number - 1) * API_PAGE + at))
      const headers = { 'x-total-count': String(COUNT) }
      await route.fulfill({ headers, json: { data, pagination: { pageNumber: number, pageSize: API_PAGE } } })
    })
    await harness.go(page, `/companies/${companyId}/connections/${id}?view=tree`)
    await page.getByText('Expenses (10000)').click()
    const shown = () => page.locator('ul.tree bdi', { hasText: /Account \d+$/ }).count()
    const more = page.getByRole('button', { name: 'Show 500 more accounts' })
    for (let count = API_PAGE; count < COUNT / 2; count += API_PAGE) {
      await expect.poll(shown).toBe(count)
      await more.click()
    }
    await page.getByText('Account 19999').waitFor()
    expect([await shown(), await more.count()]).toEqual([COUNT / 2, 0])
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
