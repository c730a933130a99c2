import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMxSimulator } from '../../../simulators/mx/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import { createYodleeSimulator } from '../../../simulators/yodlee/index.ts'
import { mx } from '../../../src/connectors/mx/index.ts'
import { yodlee } from '../../../src/connectors/yodlee/index.ts'
import { webhookUrlOf } from '../../../src/sync/provider-webhooks/subscribe.ts'
import { syncDirectory } from '../../../src/sync/sources/directory.ts'
import { syncCompany, visitProvider, walkToFrame } from '../../connect/kit/frame-walks.ts'
import { type ConnectHarness, openConnectHarness } from '../../connect/kit/harness.ts'
import { browserNote, lacksBrowser, openBrowser } from '../../harness/browser.ts'
import { openForTests } from '../../harness/for-tests.ts'

describe.skipIf(lacksBrowser)(`a bank connected through a frame of MX or Yodlee${browserNote}`, () => {
  let harness: ConnectHarness
  let chromium: Awaited<ReturnType<typeof openBrowser>>
  const atMx = openForTests(() => serveSimulator((given) => createMxSimulator({ ...given, institutionCount: 20 })))
  const atYodlee = openForTests(() => serveSimulator((given) => createYodleeSimulator({ ...given, institutionCount: 20 })))

  beforeAll(async () => {
    const atAll = (url: string) => ({ api: url, fastlink: url, script: url })
    harness = await openConnectHarness({
      more: [
        { description: mx, app: { clientId: 'client', apiKey: 'key' }, hosts: { api: atMx.url } },
        { description: yodlee, app: { clientId: 'client', secret: 'secret', adminLoginName: 'sandbox-admin' }, hosts: atAll(atYodlee.url) },
      ],
    })
    for (const key of ['mx', 'yodlee']) {
      const source = harness.deps.sources.get(key)
      if (source) await syncDirectory(harness.deps, source)
    }
    chromium = await openBrowser()
  })
  afterAll(async () => {
    await chromium?.close()
    await harness?.close()
  })

  const visit = (locale: string) => visitProvider(chromium.browser, locale)
  const sync = (companyId: string) => syncCompany(harness, companyId)

  async function signIn(page: Page, username: string, password: string): Promise<void> {
    const frame = page.frameLocator('iframe')
    await frame.locator('#username').fill(username)
    await frame.locator('#password').fill(password)
    await frame.locator('form:has(#username) button').click()
  }

  async function signInAtYodlee(page: Page): Promise<void> {
    await signIn(page, 'elodie', 'site16441.1')
    await page.frameLocator('iframe').locator('button[name=another]').waitFor()
    await page.frameLocator('iframe').locator('#exit').click()
    await page.waitForURL(/connect\/done/)
  }

  it('MX: linked in its frame, synced, disconnected by the bank, and repaired in the frame', async () => {
    const companyId = await harness.addCompany('Boulangerie Zoé')
    const { page, complaints, close } = await visit('en-CA')
    await walkToFrame(harness, page, 'mx', companyId, { search: 'Caisse du Plateau' })
    await signIn(page, 'mxuser', 'any')
    await page.waitForURL(/connect\/done/)
    expect([await page.textContent('h1'), await page.textContent('h3'), complaints]).toEqual([
      'You are connected',
      'Caisse du Plateau-Mont-Royal',
      [],
    ])
    const synced = await sync(companyId)
    expect(synced).toMatchObject({ entityName: 'Caisse du Plateau-Mont-Royal', accounts: 15 })
    expect(synced.transactions).toBeGreaterThan(100)
    atMx.simulator.setStatus(synced.reference ?? '', 'EXPIRED')
    expect((await sync(companyId)).status).not.toBe(synced.status)
    await walkToFrame(harness, page, 'mx', companyId, { serviceId: synced.serviceId })
    await signIn(page, 'mxuser', 'any')
    await page.waitForURL(/connect\/done/)
    expect(await sync(companyId)).toEqual(synced)
    await close()
  })

  it('Yodlee: linked in its frame in French, synced, subscribed at the secret address, disconnected by the bank, and repaired', async () => {
    const companyId = await harness.addCompany('Garage Côté et Fille')
    const { page, complaints, close } = await visit('fr-CA')
    await walkToFrame(harness, page, 'yodlee', companyId, { search: 'Caisse du Vieux-Longueuil' })
    expect(await page.frameLocator('iframe').locator('h1').textContent()).toBe('Ouvrez une session chez Caisse du Vieux-Longueuil')
    await signInAtYodlee(page)
    expect([await page.textContent('h1'), await page.textContent('h3'), complaints]).toEqual([
      'La connexion est établie',
      'Caisse du Vieux-Longueuil',
      [],
    ])
    const synced = await sync(companyId)
    expect(synced).toMatchObject({ entityName: 'Caisse du Vieux-Longueuil', accounts: 17, reference: companyId })
    expect(synced.transactions).toBeGreaterThan(100)
    expect(atYodlee.simulator.subscriptions().DATA_UPDATES).toBe(webhookUrlOf(harness.deps, harness.deps.baseUrl, yodlee))
    const account = atYodlee.simulator.providerAccounts().find(({ loginName }) => loginName === companyId)
    atYodlee.simulator.fail(account?.id ?? 0, 'CREDENTIALS_UPDATE_NEEDED')
    expect((await sync(companyId)).status).not.toBe(synced.status)
    await walkToFrame(harness, page, 'yodlee', companyId, { serviceId: synced.serviceId })
    await signInAtYodlee(page)
    expect(await sync(companyId)).toEqual(synced)
    await close()
  })

  it('Yodlee: closing the frame returns to the previous step', async () => {
    const { page, close } = await visit('en-CA')
    await walkToFrame(harness, page, 'yodlee', await harness.addCompany('Changed Mind Ltd.'), { search: 'Caisse du Vieux-Longueuil' })
    await page.frameLocator('iframe').locator('#exit').click()
    await page.waitForSelector('form[action^="/connect/source"]')
    await close()
  })
})
