import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openInProcessHarness } from './harness/in-process-harness.ts'
import { pretendTooLarge } from './harness/too-large.ts'

const LANGUAGES = [
  { locale: 'en-CA', retry: 'Try again', inAll: '130 in all', next: 'Next page', save: 'Save', saved: 'Saved.' },
  { locale: 'fr-CA', retry: 'Réessayer', inAll: '130 au total', next: 'Page suivante', save: 'Enregistrer', saved: 'Enregistré.' },
]
const FAULTS = 130
/** More than one page of the API. */
const ATTEMPTS = 520
const SERVICE = randomUUID()

/** Parts with their own request, which fails: the page, and a part of the request's address. */
const PARTS: [string, string, string][] = [
  ['the connections of the companies', '/companies?search=Essais', '/data-connection/statuses'],
  ['the connections that are late', '/inbox', 'troubleCode'],
  ['the names in the inbox', '/inbox', '/normalized-data/companies?'],
  ['the receivers here', '/webhooks', '/webhooks/receivers'],
  ['the settings of sources', '/catalogue', '/api/v1/sources'],
  ['the names in the audit log', '/audit', '/api/v1/users'],
  ['who is here', '/webhooks', '/auth/me'],
]

describe.skipIf(lacksBrowser)(`the portal hides no error${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)
  const visit = (locale: string, options?: { isSignedIn: boolean }) => harness.visit({ locale, ...options })
  const go = (page: Page, path: string) => harness.go(page, path)

  beforeAll(async () => {
    await addCompanies('Panne', FAULTS)
    await addCompanies('Essais', 1)
    await addConnections('Panne', 1, 20)
    await addConnections('Essais', ATTEMPTS, 20)
    await addConnections('Essais', 1, 15)
  })

  const query = (text: string, values: unknown[]) => harness.api.deps.database.query(text, [harness.api.instanceId, ...values])
  const addCompanies = (name: string, count: number) =>
    query(
      `insert into companies (instance_id, id, name) select $1, gen_random_uuid(), $2::text || ' ' || n from generate_series(1, $3::int) n`,
      [name, count],
    )
  const addConnections = (company: string, count: number, status: number) =>
    query(
      `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, refresh_hours,
         update_scheduled_at)
       select $1, gen_random_uuid(), id, $2, 'books', 'Accounting', '', $3, 24, clock_timestamp()
       from companies, generate_series(1, $4::int) where instance_id = $1 and name like $5 || ' %'`,
      [SERVICE, status, count, company],
    )

  describe.each(LANGUAGES)('in $locale', ({ locale, retry, inAll, next, save, saved }) => {
    let page: Page
    beforeAll(async () => {
      page = await visit(locale)
    })
    afterEach(() => page.unrouteAll())

    it.each(PARTS)('%s: if they cannot be loaded, the page says so and retries', async (_, path, part) => {
      const isMeant = (url: URL) => decodeURIComponent(url.href).includes(part)
      await page.route(isMeant, (route) => route.fulfill({ status: 500, json: { Message: 'It failed.' } }))
      await go(page, path)
      const again = page.locator('.problem button', { hasText: retry })
      await again.waitFor()
      await page.unroute(isMeant)
      await again.click()
      await page.locator('.problem').waitFor({ state: 'detached' })
    })

    it('the receipts of a company, too', async () => {
      const isMeant = (url: URL) => url.pathname.endsWith('/normalized-data/receipts')
      await page.route(isMeant, (route) => route.fulfill({ status: 500, json: { Message: 'It failed.' } }))
      await go(page, '/companies?search=Essais')
      await page.click('td a')
      await page.locator('.problem button', { hasText: retry }).waitFor()
      expect(await page.locator('.problem').count()).toBe(1)
    })

    it('the inbox counts every fault, and leads to the last of them', async () => {
      await go(page, '/inbox')
      await page.locator(`text=${inAll}`).waitFor()
      const seen: string[] = []
      for (let number = 1; number <= 6; number++) {
        if (number > 1) await page.click(`button:has-text("${next}")`)
        await page.locator(`text=/Page ${number} (of|de) 6/`).waitFor()
        // Names load after the faults that they belong to.
        const names = async () => new Set(await page.locator('article h2 bdi:first-child', { hasNotText: '…' }).allInnerTexts())
        await expect.poll(async () => [...(await names())].filter((name) => !seen.includes(name)).length).toBe(number === 6 ? 5 : 25)
        seen.push(...(await names()))
      }
      expect(new Set(seen).size).toBe(FAULTS)
    })

    it('the inbox reads no more connections than it shows', async () => {
      const asked: URL[] = []
      const note = (request: { url(): string }) => asked.push(new URL(request.url()))
      page.on('request', note)
      await go(page, '/inbox?page=2')
      await page.locator('text=/Page 2 (of|de) 6/').waitFor()
      page.off('request', note)
      const lists = asked.filter(({ pathname }) => pathname.endsWith('/data-connection/statuses'))
      const pages = lists.map(({ searchParams }) => ['PageSize', 'PageNumber'].map((name) => searchParams.get(name)))
      expect([pages.length > 0, pages.every(([size]) => size === '25'), pages[0]?.[1]]).toEqual([true, true, '2'])
    })

    it('“saved” is shown until something is changed again', async () => {
      await go(page, '/owner-pages')
      const said = page.locator('output', { hasText: saved })
      const changes = [
        () => page.fill('input[name=publicName]', `Prêts ${locale}`),
        () => page.click('.accent input[type=checkbox] >> nth=0'),
      ]
      for (const change of changes) {
        await page.click(`button[type=submit]:has-text("${save}")`)
        await said.waitFor()
        await change()
        await said.waitFor({ state: 'detached' })
      }
    })

    it('of two links for a new password in the same tab, the second one counts', async () => {
      const stranger = await visit(locale, { isSignedIn: false })
      const tokens: string[] = []
      await stranger.route('**/auth/new-password', async (route) => {
        tokens.push(JSON.parse(route.request().postData() ?? '{}').token)
        await route.continue()
      })
      for (const token of ['first', 'second']) {
        await stranger.goto(`${harness.origin}/portal/new-password#${token}`)
        await stranger.fill('input[name=password]', 'quiet-orchard-lantern-58')
        await stranger.click('button[type=submit]')
        await stranger.locator('.problem').waitFor()
      }
      expect(tokens).toEqual(['first', 'second'])
    })
  })

  it('a company shows the current connection, however many attempts there were', async () => {
    const page = await visit('en-CA')
    await go(page, '/companies?search=Essais')
    expect(await page.locator('.glance').innerText()).toContain('Up to date')
  })
})

describe.skipIf(lacksBrowser)(`the inbox of too many connections to filter${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)
  const CURRENT = 40

  beforeAll(async () => {
    const { deps, instanceId } = harness.api
    const add = (name: string, count: number, status: number, trouble: boolean, minutes: number) =>
      deps.database.query(
        `with c as (insert into companies (instance_id, id, name) select $1, md5($2::text || n)::uuid, $2::text || ' ' || n
           from generate_series(1, $3::int) n on conflict do nothing)
         insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, refresh_hours,
           update_scheduled_at, trouble, created_at, updated_at)
         select $1, gen_random_uuid(), md5($2::text || n)::uuid, $4, 'books', 'Accounting', '', $5, 24, clock_timestamp(),
           case when $6 then '{"code":"badData","message":"","at":"2026-11-20T00:00:00Z","nextAt":"2026-11-21T00:00:00Z"}'::jsonb end,
           timestamptz '2026-11-01' + make_interval(mins => $7), timestamptz '2026-11-01' + make_interval(mins => n)
         from generate_series(1, $3::int) n`,
        [instanceId, name, count, SERVICE, status, trouble, minutes],
      )
    await add('Panne', CURRENT, 20, false, 1)
    await add('Suivi', CURRENT, 20, false, 1)
    await add('Suivi', CURRENT, 19, false, 2)
    await add('Retard', 3, 19, true, 1)
    await add('Arrêt', 3, 26, true, 1)
    pretendTooLarge(deps.database)
  })

  it.each([
    ['en-CA', 'Next page', 'There are too many connections to filter at once'],
    ['fr-CA', 'Page suivante', 'Les connexions sont trop nombreuses pour être filtrées'],
  ])('leads to each connection that needs somebody and no other, and says what it counts, in %s', async (locale, next, note) => {
    const page = await harness.visit({ locale })
    await page.context().clock.resume()
    await harness.go(page, '/inbox')
    await page.getByText(note).first().waitFor()
    const seen = new Set<string>()
    for (let number = 1; number <= 4; number++) {
      if (number > 1) await page.getByRole('button', { name: next }).click()
      await page.locator(`text=/Page ${number} (of|de) 4/`).waitFor()
      const names = () => page.locator('article h2 bdi:first-child', { hasNotText: '…' }).allInnerTexts()
      await expect.poll(async () => (await names()).some((name) => !seen.has(name))).toBe(true)
      for (const name of await names()) seen.add(name)
    }
    expect([...seen].map((name) => name.split(' ')[0])).toEqual(Array(CURRENT).fill('Panne'))
    const late = page.locator('table.grid tbody tr')
    await expect.poll(() => late.count()).toBe(3)
    expect([(await late.allInnerTexts()).every((text) => text.includes('Retard')), await page.locator('.problem').count()]).toEqual([
      true,
      0,
    ])
    await page.context().close()
  })
})
