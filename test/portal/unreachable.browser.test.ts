import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { listViolationsInBothThemes } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD } from '../harness/test-api.ts'
import { freePort } from '../process/free-port.ts'
import { openInProcessHarness } from './harness/in-process-harness.ts'

const LANGUAGES = [
  { locale: 'en-CA', away: 'Offline, retrying…', stale: 'Out of date' },
  { locale: 'fr-CA', away: 'Hors ligne, nouvel essai…', stale: 'Plus à jour' },
]
/** How the service is unavailable: connections are refused, requests hang, or the proxy answers instead. */
const OUTAGES = ['refuses', 'hangs', 'answers 502'] as const
/** The promise is about a second; the rest allows for a busy machine. */
const SOON_MS = 2_500

describe.skipIf(lacksBrowser)(`the portal reports that the service is unavailable${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)

  beforeAll(async () => {
    for (const name of ['Boulangerie du Plateau', 'Royal Roofing']) {
      await harness.api.deps.database.query('insert into companies (instance_id, id, name) values ($1, gen_random_uuid(), $2)', [
        harness.api.instanceId,
        name,
      ])
    }
  })

  /** The clock runs, as the pauses between retries need it. */
  async function visit(locale: string): Promise<Page> {
    const page = await harness.visit({ locale })
    await page.context().clock.resume()
    return page
  }

  async function takeAway(page: Page, outage: (typeof OUTAGES)[number]): Promise<() => Promise<void>> {
    const isService = (url: URL) => url.pathname.startsWith('/admin/api') || url.pathname === '/readyz'
    await page.route(isService, async (route) => {
      if (outage === 'refuses') await route.abort('connectionrefused')
      if (outage === 'answers 502') await route.fulfill({ status: 502, body: 'Bad gateway' })
    })
    return () => page.unrouteAll({ behavior: 'ignoreErrors' })
  }

  describe.each(LANGUAGES)('in $locale', ({ locale, away, stale }) => {
    it.each(OUTAGES)('that %s: soon, with the old rows marked; and recovers with the service', async (outage) => {
      const page = await visit(locale)
      await harness.go(page, '/companies')
      const bring = await takeAway(page, outage)
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

const FILE_TEXTS = [
  { locale: 'en-CA', title: 'This page cannot be displayed', reload: 'Reload the page', usage: 'Usage' },
  { locale: 'fr-CA', title: 'Cette page ne peut être affichée', reload: 'Recharger la page', usage: 'Utilisation' },
]
const NARROW = { bypassCSP: true, viewport: { width: 320, height: 640 } }

/** As after a new release, or without a network. */
async function lose(page: Page, name: string): Promise<() => Promise<void>> {
  const isMeant = (url: URL) => url.pathname.startsWith('/portal/') && url.pathname.includes(name)
  await page.route(isMeant, (route) => route.abort('connectionrefused'))
  return async () => await page.unroute(isMeant)
}

async function open(page: Page, path: string): Promise<void> {
  await page.locator('.menu-button').press('Enter')
  await page.locator(`.menu a[href="${path}"]`).press('Enter')
}

describe.skipIf(lacksBrowser)(`a file of the portal that cannot be loaded${browserNote}`, () => {
  const harness = openForTests(async () => openInProcessHarness([], await freePort()))

  it.each(FILE_TEXTS)(
    'leaves the menu, other pages and a outage to reload, at 320 px by keyboard in $locale',
    async ({ locale, ...said }) => {
      const page = await harness.visit({ locale, ...NARROW })
      await harness.go(page, '/companies')
      const find = await lose(page, 'usage')
      await open(page, '/portal/usage')
      await page.getByRole('heading', { name: said.title }).waitFor()
      expect(await listViolationsInBothThemes(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
      await open(page, '/portal/account')
      await page.getByRole('heading', { name: said.title }).waitFor({ state: 'detached' })
      await page.goBack()
      await page.getByRole('button', { name: said.reload }).waitFor()
      await find()
      await page.getByRole('button', { name: said.reload }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: said.usage, level: 1 }).waitFor()
      await page.context().close()
    },
  )

  it('such as the dialog for a proof keeps what was typed, which is saved once the file is there', async () => {
    const page = await harness.visit(NARROW)
    await harness.go(page, '/members?do=add')
    await page.getByRole('textbox', { name: 'Name' }).fill('Noor Haddad')
    await page.getByLabel('E-mail address').fill('noor@example.com')
    await page.getByLabel('Initial password').fill('quiet-orchard-lantern-58')
    harness.api.moveClock(16 * 60_000)
    const find = await lose(page, 'proof')
    await page.getByRole('button', { name: 'Save', exact: true }).last().click()
    await page.getByText('Prove again who you are, then repeat the request.').waitFor()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Noor Haddad')
    await find()
    await page.getByRole('button', { name: 'Save', exact: true }).last().click()
    const dialog = page.getByRole('dialog', { name: 'Confirm your identity' })
    await dialog.locator('input[name=password]').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: 'noor@example.com' }).waitFor()
    await page.context().close()
  })

  it('such as the code for passkeys is a problem beside the form, which can be sent again', async () => {
    const page = await harness.visit(NARROW)
    await harness.go(page, '/account')
    await page.evaluate('navigator.credentials.create = () => Promise.reject(new DOMException("", "NotAllowedError"))')
    // The name that the build gives to @simplewebauthn/browser.
    const find = await lose(page, '/esm-')
    await page.getByLabel('Passkey name').fill('Blue key')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('The service cannot be reached').waitFor()
    expect(await page.getByLabel('Passkey name').inputValue()).toBe('Blue key')
    await find()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('The browser gave no passkey.').waitFor()
    await page.context().close()
  })

  it('such as the palette is asked for again the next time', async () => {
    const page = await harness.visit()
    await harness.go(page, '/companies')
    const find = await lose(page, 'palette')
    const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('palette'))
    await page.keyboard.press('Control+k')
    await refused
    await page.getByRole('heading', { level: 1 }).waitFor()
    await find()
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+k')
        return await page.getByRole('combobox').count()
      })
      .toBeGreaterThan(0)
    await page.context().close()
  })
})
