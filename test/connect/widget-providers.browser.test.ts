import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveSimulator } from '../../simulators/simulator.ts'
import { createStripeSimulator } from '../../simulators/stripe/index.ts'
import { TOKEN_SIGNING_KEY } from '../../simulators/teller/data/signing-key.ts'
import { createTellerSimulator } from '../../simulators/teller/index.ts'
import { stripe } from '../../src/connectors/stripe/index.ts'
import { teller } from '../../src/connectors/teller/index.ts'
import { syncDirectory } from '../../src/sync/sources/directory.ts'
import { browserNote, lacksBrowser, openBrowser } from '../harness/browser.ts'
import { syncCompany, visitProvider, walkToFrame } from './kit/frame-walks.ts'
import { type ConnectHarness, openConnectHarness } from './kit/harness.ts'

type Provider = 'teller' | 'stripe'

describe.skipIf(lacksBrowser)(`a bank connected through a provider’s own script${browserNote}`, () => {
  let harness: ConnectHarness
  let chromium: Awaited<ReturnType<typeof openBrowser>>
  const closing: (() => Promise<unknown>)[] = []
  let disconnect = (_enrollment: string) => {}

  beforeAll(async () => {
    const [atTeller, atStripe] = [
      await serveSimulator((given) => createTellerSimulator({ ...given, institutionCount: 20 })),
      await serveSimulator(createStripeSimulator),
    ]
    disconnect = (enrollment) => atTeller.simulator.disconnect(enrollment)
    harness = await openConnectHarness({
      more: [
        {
          description: teller,
          app: { applicationId: 'app_walk', environment: 'sandbox', tokenSigningKey: TOKEN_SIGNING_KEY },
          hosts: { api: atTeller.url, connect: atTeller.url, site: atTeller.url },
        },
        {
          description: stripe,
          app: { secretKey: 'sk_test_sandbox', publishableKey: 'pk_test_walk' },
          hosts: { api: atStripe.url, js: atStripe.url },
        },
      ],
    })
    const source = harness.deps.sources.get('teller')
    if (source) await syncDirectory(harness.deps, source)
    chromium = await openBrowser()
    closing.push(atTeller.close, atStripe.close)
  })
  afterAll(async () => {
    await chromium?.close()
    await harness?.close()
    await Promise.all(closing.map((close) => close()))
  })

  const visit = (locale: string) => visitProvider(chromium.browser, locale)
  const sync = (companyId: string) => syncCompany(harness, companyId)

  /** Teller’s banks are in our directory; at Stripe the bank is chosen in the window. */
  function toWindow(page: Page, provider: Provider, companyId: string, serviceId?: string): Promise<void> {
    const bank = provider === 'teller' ? { search: 'Peña Valley' } : null
    return walkToFrame(harness, page, provider, companyId, serviceId === undefined ? bank : { serviceId })
  }

  async function signInAtTeller(page: Page, username = 'username'): Promise<void> {
    const frame = page.frameLocator('iframe')
    await frame.locator('#username').fill(username)
    await frame.locator('#password').fill('password')
    await frame.locator('form[action$=accounts] button').click()
    await frame.locator('form[action$=finish] button').click()
    await page.waitForURL(/connect\/(done|callback)/)
  }

  async function linkAtStripe(page: Page): Promise<string> {
    const frame = page.frameLocator('iframe')
    const title = await frame.locator('h1').textContent()
    await frame.locator('#choose').click()
    await frame.locator('#login').click()
    await frame.locator('#username').fill('test')
    await frame.locator('#password').fill('test')
    await frame.locator('#accounts').click()
    await frame.locator('#finish').click()
    await page.waitForURL(/connect\/done/)
    return title ?? ''
  }

  it('Teller: linked in its window, synced, disconnected by the bank, and repaired in the window', async () => {
    const companyId = await harness.addCompany('Toitures Peña', 'US')
    const { page, complaints, close } = await visit('en-CA')
    await toWindow(page, 'teller', companyId)
    await signInAtTeller(page)
    expect([await page.textContent('h1'), await page.textContent('h3'), complaints]).toEqual(['You are connected', 'Peña Valley Bank', []])
    const synced = await sync(companyId)
    expect(synced).toMatchObject({ entityName: 'Peña Valley Bank', accounts: 10 })
    expect(synced.transactions).toBeGreaterThan(300)
    disconnect(synced.reference ?? '')
    expect((await sync(companyId)).status).not.toBe(synced.status)
    await toWindow(page, 'teller', companyId, synced.serviceId)
    await signInAtTeller(page)
    expect(await sync(companyId)).toEqual(synced)
    await close()
  })

  it('Teller: the same bank linked again keeps its accounts, and the login of another business is refused', async () => {
    const companyId = await harness.addCompany('Lakeshore Dental', 'US')
    const { page, close } = await visit('en-CA')
    await toWindow(page, 'teller', companyId)
    await signInAtTeller(page)
    const { reference, ...synced } = await sync(companyId)
    await toWindow(page, 'teller', companyId)
    await signInAtTeller(page, 'another')
    expect(await page.textContent('h1')).toBe('This is not the same one as before')
    await toWindow(page, 'teller', companyId)
    await signInAtTeller(page)
    const { reference: fresh, ...again } = await sync(companyId)
    expect([again, fresh === reference]).toEqual([synced, false])
    await close()
  })

  it('Stripe: linked in its window in French, and synced', async () => {
    const companyId = await harness.addCompany('Café Zócalo', 'US')
    const { page, complaints, close } = await visit('fr-CA')
    await toWindow(page, 'stripe', companyId)
    expect(await linkAtStripe(page)).toBe('Acceptez de relier vos comptes avec Stripe')
    expect([await page.textContent('h1'), await page.textContent('h3'), complaints]).toEqual([
      'La connexion est établie',
      'Cañon Valley Bank',
      [],
    ])
    const synced = await sync(companyId)
    expect(synced).toMatchObject({ entityName: 'Cañon Valley Bank', accounts: 11 })
    expect(synced.transactions).toBeGreaterThan(300)
    await close()
  })

  it.each<Provider>(['teller', 'stripe'])('%s: closing the window returns to the previous step', async (provider) => {
    const { page, close } = await visit('en-CA')
    await toWindow(page, provider, await harness.addCompany('Changed Mind Ltd.', 'US'))
    await page.frameLocator('iframe').locator('#exit').click()
    await page.waitForSelector('form[action^="/connect/source"]')
    await close()
  })
})
