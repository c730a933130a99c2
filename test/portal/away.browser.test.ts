import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { type InProcessHarness, openInProcessHarness } from './harness/in-process-harness.ts'

const LANGUAGES = [
  { locale: 'en-CA', away: 'Offline, retrying…', stale: 'Not up to date' },
  { locale: 'fr-CA', away: 'Hors ligne, nouvel essai…', stale: 'Pas à jour' },
]
/** How the service is unavailable: connections are refused, requests hang, or the proxy answers instead. */
const WAYS = ['refuses', 'hangs', 'answers 502'] as const
/** The promise is about a second; the rest allows for a busy machine. */
const SOON_MS = 2_500

describe.skipIf(lacksBrowser)(`the portal reports that the service is unavailable${browserNote}`, () => {
  let harness: InProcessHarness
  beforeAll(async () => {
    harness = await openInProcessHarness()
    for (const name of ['Boulangerie du Plateau', 'Royal Roofing']) {
      await harness.api.deps.database.query('insert into companies (instance_id, id, name) values ($1, gen_random_uuid(), $2)', [
        harness.api.instanceId,
        name,
      ])
    }
  })
  afterAll(async () => await harness?.close())

  /** The clock runs, as the pauses between retries need it. */
  async function visit(locale: string): Promise<Page> {
    const page = await harness.visit({ locale })
    await page.context().clock.resume()
    return page
  }

  async function takeAway(page: Page, way: (typeof WAYS)[number]): Promise<() => Promise<void>> {
    const isService = (url: URL) => url.pathname.startsWith('/admin/api') || url.pathname === '/readyz'
    await page.route(isService, async (route) => {
      if (way === 'refuses') await route.abort('connectionrefused')
      if (way === 'answers 502') await route.fulfill({ status: 502, body: 'Bad gateway' })
    })
    return () => page.unrouteAll({ behavior: 'ignoreErrors' })
  }

  describe.each(LANGUAGES)('in $locale', ({ locale, away, stale }) => {
    it.each(WAYS)('that %s: soon, with the old rows marked; and recovers with the service', async (way) => {
      const page = await visit(locale)
      await harness.go(page, '/companies')
      const bring = await takeAway(page, way)
      await page.fill('input[type=search]', 'Roy')
      await page.getByText(away).waitFor({ timeout: SOON_MS })
      expect(await page.locator('.stale').innerText()).toContain(stale)
      expect(await page.locator('.stale table').count()).toBe(1)
      await bring()
      await page.getByText(away).waitFor({ state: 'detached' })
      await page.locator('.stale').waitFor({ state: 'detached' })
      await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
      expect(await page.locator('.problem').count()).toBe(0)
      await page.context().close()
    })
  })

  it('a visitor during the outage is signed in afterwards, without a prompt', async () => {
    const page = await visit('en-CA')
    const bring = await takeAway(page, 'refuses')
    await page.goto(`${harness.origin}/portal/companies`)
    await page.getByText('Offline, retrying…').waitFor()
    await bring()
    await page.getByRole('link', { name: 'Royal Roofing' }).waitFor()
    await page.context().close()
  })
})
