import { randomUUID } from 'node:crypto'
import type { Page, Request } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bankFiles } from '../../../src/connectors/bank-files/index.ts'
import { plaid } from '../../../src/connectors/plaid/index.ts'
import { addCompany } from '../../harness/app/tenants.ts'
import { browserNote, lacksBrowser } from '../../harness/browser.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { openInProcessHarness } from '../harness/in-process-harness.ts'

const SOURCES = [plaid, bankFiles]
const ON_PAGE = 50
const HOUR_MS = 3_600_000
const [UP_TO_DATE, EXPIRED] = [19, 8]

describe.skipIf(lacksBrowser)(`pages read what they show${browserNote}`, () => {
  const harness = openForTests(() => openInProcessHarness(SOURCES))
  const query = (text: string, values: unknown[]) => harness.api.deps.database.query(text, [harness.api.instanceId, ...values])
  let page: Page
  /** Rows of each answer of the API to a path that ends so. */
  let answers: { path: string; rows: number }[] = []
  const rowsOf = (ending: string) => answers.filter(({ path }) => path.endsWith(ending)).map(({ rows }) => rows)

  async function visit(locale: string): Promise<void> {
    page = await harness.visit({ locale })
    page.on('response', async (response) => {
      const { pathname } = new URL(response.url())
      if (!pathname.startsWith('/admin/api/v1/') || response.status() !== 200) return
      const body: { data?: unknown[] } = await response.json().catch(() => ({}))
      answers.push({ path: pathname, rows: body.data?.length ?? 0 })
    })
    answers = []
  }
  afterEach(async () => await page.context().close())

  /** Adds banks that are reached through a source that is enabled, up to this number. */
  const addBanks = (count: number) =>
    query(
      `insert into child_services (instance_id, id, connector_key, institution_id, name)
       select $1, gen_random_uuid(), $3, n::text, 'Credit Union ' || lpad(n::text, 5, '0') from generate_series(1, $2::int) n
       where not exists (select from child_services where instance_id = $1 and institution_id = n::text)`,
      [count, bankFiles.key],
    )

  const rows = () => page.locator('table.grid').first().locator('tbody tr')

  describe.each([51, 501, 5_000])('with %d banks that aggregators reach', (count) => {
    const all = count + SOURCES.length
    const pages = Math.ceil(all / ON_PAGE)
    beforeAll(async () => {
      await addBanks(count)
    })

    it('the dialog for links offers the sources, and reads no banks', async () => {
      const companyId = await addCompany(harness.api.deps.database, harness.api.instanceId)
      await visit('en-CA')
      await harness.go(page, `/companies/${companyId}`)
      await page.getByRole('button', { name: 'Create a link' }).click()
      const options = page.getByLabel('Service', { exact: true }).locator('option')
      await expect.poll(() => options.allInnerTexts()).toEqual(['Bank files'])
      await expect.poll(() => rowsOf('/services')).toEqual([1])
    })

    it('each service of the catalogue can be reached, and a page of it is read', async () => {
      await visit('en-CA')
      await harness.go(page, '/catalogue')
      await page.getByText(`Page 1 of ${pages}`).waitFor()
      await expect.poll(() => rows().count()).toBe(ON_PAGE)
      await page.getByRole('button', { name: pages === 2 ? 'Next page' : 'Last page' }).click()
      await page.getByText(`Page ${pages} of ${pages}`).waitFor()
      await expect.poll(() => rows().count()).toBe(all - (pages - 1) * ON_PAGE)
      await page.getByRole('cell', { name: 'Plaid', exact: true }).waitFor()
      await page.getByLabel('Search services').fill(`union ${String(count).padStart(5, '0')}`)
      await page.getByRole('cell', { name: `Credit Union ${String(count).padStart(5, '0')} through Bank files` }).waitFor()
      await expect.poll(() => rows().count()).toBe(1)
      await expect.poll(() => Math.max(...rowsOf('/services'))).toBe(ON_PAGE)
    })
  })

  it('the catalogue is searched by what its readers see', async () => {
    await addBanks(51)
    await visit('fr-CA')
    await harness.go(page, '/catalogue')
    const search = page.getByLabel('Rechercher un service')
    await search.fill('relevés')
    await page.getByRole('cell', { name: 'Relevés bancaires', exact: true }).waitFor()
    await expect.poll(() => rows().count()).toBe(1)
    await search.fill('VIA bank FILES')
    await expect.poll(() => rows().count()).toBe(ON_PAGE)
    await search.fill('"nothing\\" || x')
    await page.getByText('Aucun service ne correspond').waitFor()
    await search.fill('')
    await page.getByRole('button', { name: 'Demander une institution' }).click()
    await expect.poll(() => page.getByLabel('Agrégateur').locator('option').allInnerTexts()).toEqual(['Relevés bancaires', 'Plaid'])
    expect(await page.locator('.problem').count()).toBe(0)
  })

  it('the audit log reads the users of its entries, and no others', async () => {
    for (let number = 0; number < 3; number += 1) await harness.api.addUser()
    await visit('en-CA')
    await harness.go(page, '/audit')
    await page.getByRole('cell', { name: harness.email, exact: true }).first().waitFor()
    await expect.poll(() => rowsOf('/users')).toEqual([1])
  })

  describe('the connections of companies', () => {
    const companies = new Map<string, string>()
    /** Connections to a service each; the last ones have a fault. */
    const connect = async (name: string, count: number, faults: number) => {
      const companyId =
        companies.get(name) ?? (await addCompany(harness.api.deps.database, harness.api.instanceId, { id: randomUUID(), name }))
      companies.set(name, companyId)
      await query(
        `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, refresh_hours, created_at,
           update_scheduled_at)
         select $1, gen_random_uuid(), $2, gen_random_uuid(), 'plaid', 'Banking', '', case when n > $3::int - $4::int then ${EXPIRED} else ${UP_TO_DATE} end,
           24, timestamptz '2026-11-01' + n * interval '1 second', clock_timestamp() from generate_series(1, $3::int) n`,
        [companyId, count, faults],
      )
    }
    const cell = (name: string) => page.getByRole('row', { name }).locator('.glance')
    const shown = async (name: string) => (await cell(name).innerText()).replaceAll(/[^+\p{L}\p{N}]+/gu, ' ').trim()
    const plain = (count: number) => Array.from({ length: count }, () => 'Plaid Up to date').join(' ')

    beforeAll(async () => {
      await connect('Érable', 50, 2)
      await connect('Aucune', 0, 0)
      await connect('Petite', 2, 0)
    })

    it('are shown as far as six of a company, those with a fault first, and the others are counted', async () => {
      await visit('en-CA')
      await harness.go(page, '/companies')
      expect(await shown('Érable')).toBe(`Plaid Access ended Plaid Access ended ${plain(4)} + 44`)
      expect([await shown('Petite'), await shown('Aucune')]).toEqual([plain(2), ''])
      await page.getByRole('link', { name: '+ 44 more connections: Érable' }).click()
      await page.waitForURL(new RegExp(`/companies/${companies.get('Érable')}$`))
      await expect.poll(() => rowsOf('/normalized-data/data-connection/statuses')).toEqual([52])
    })

    it('are asked for by company where one request has no room for all', async () => {
      await connect('Immense', 600, 1)
      await visit('fr-CA')
      await harness.go(page, '/companies')
      await page.getByRole('link', { name: '+ 594 autres connexions : Immense' }).waitFor()
      await page.getByRole('link', { name: '+ 44 autres connexions : Érable' }).waitFor()
      await expect.poll(() => shown('Immense')).toMatch(/^Plaid Accès terminé Plaid À jour /)
      await expect.poll(() => cell('Érable').getByText('Accès terminé').count()).toBe(2)
      await expect.poll(() => cell('Petite').locator('a').count()).toBe(0)
      expect([await cell('Petite').locator('span > bdi').count(), await shown('Aucune')]).toEqual([2, ''])
      await expect.poll(() => Math.max(...rowsOf('/statuses'))).toBe(500)
      await expect.poll(() => rowsOf('/normalized-data/data-connection/statuses')).toEqual([500])
    })

    it('are not said to be none or few where they could not be read', async () => {
      await connect('Immense', 1, 0)
      await visit('en-CA')
      await page.route('**/normalized-data/company/*/data-connection/statuses*', (route) => route.fulfill({ status: 400, json: {} }))
      await harness.go(page, '/companies')
      for (const name of ['Petite', 'Aucune', 'Immense'])
        await page.getByRole('link', { name: `+ more connections: ${name}`, exact: true }).waitFor()
      expect(await page.locator('.problem').count()).toBe(1)
    })

    it('of one company are polled often, its accounts, all of which the service compares, once a minute', async () => {
      await visit('en-CA')
      const asked = { statuses: 0, accounts: 0 }
      const open = new Set<Request>()
      page.on('request', (request) => {
        const last = new URL(request.url()).pathname.split('/').at(-1)
        if (last === 'statuses' || last === 'accounts') asked[last] += 1
        open.add(request)
      })
      page.on('requestfinished', (request) => open.delete(request))
      page.on('requestfailed', (request) => open.delete(request))
      const begin = harness.api.deps.now().getTime()
      await page.clock.install({ time: begin })
      await harness.go(page, `/companies/${companies.get('Petite')}`)
      await page.clock.pauseAt(begin + HOUR_MS)
      await page.waitForLoadState('networkidle')
      const before = { ...asked }
      for (let second = 1; second <= 120; second++) {
        await page.clock.runFor(1_000)
        await expect.poll(() => open.size).toBe(0)
      }
      // One more or less on a busy machine.
      const [statuses, accounts] = [asked.statuses - before.statuses, asked.accounts - before.accounts]
      expect(accounts).toBeLessThanOrEqual(3)
      expect(accounts).toBeGreaterThan(0)
      expect(statuses).toBeGreaterThan(5 * accounts)
    })

    it('of one company come a page at a time, each of which can be reached', async () => {
      await connect('Cent vingt', 120, 0)
      await visit('en-CA')
      await harness.go(page, `/companies/${companies.get('Cent vingt')}`)
      await page.getByText('Page 1 of 3').waitFor()
      await expect.poll(() => rows().count()).toBe(ON_PAGE)
      await page.getByRole('button', { name: 'Last page' }).click()
      await page.getByText('Page 3 of 3').waitFor()
      await expect.poll(() => rows().count()).toBe(20)
      await expect.poll(() => Math.max(...rowsOf('/statuses'))).toBe(ON_PAGE)
    })
  })
})
