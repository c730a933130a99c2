import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listViolationsInBothThemes } from '../../harness/axe.ts'
import { browserNote, lacksBrowser } from '../../harness/browser.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { listWidthFlaws } from '../../harness/widths.ts'
import { uploadStatement } from '../../journey/http-walks.ts'
import { openPortalHarness, type PortalHarness } from '../harness/portal-harness.ts'
import { writeStatement } from '../harness/statements.ts'

const BAKERY = 'Boulangerie du Plateau'
const LOOKS = [
  { locale: 'en-CA', colorScheme: 'light', account: 'Account', none: 'No results' },
  { locale: 'fr-CA', colorScheme: 'dark', account: 'Compte', none: 'Aucun résultat' },
] as const

describe.skipIf(lacksBrowser)(`accounts in the palette${browserNote}`, () => {
  const harness = openForTests(openPortalHarness)
  let page: Page
  let bakery = ''
  let files = ''

  beforeAll(async () => {
    const { client, service } = harness
    files = (await client.service('Bank files')).id
    bakery = await client.addCompany(BAKERY)
    await uploadStatement(service.baseUrl, await client.link(bakery, files), () => writeStatement(60, 1))
    await client.connectionInStatus(bakery, [15, 19], 60_000)
    await harness.connectBooks(bakery)
    const other = await client.addCompany('Ferme du Plateau')
    await uploadStatement(service.baseUrl, await client.link(other, files), () => writeStatement(3, 1))
    await client.connectionInStatus(other, [15, 19], 60_000)
  }, 180_000)
  afterEach(async () => await page?.context().close())
  const field = () => page.locator('[role=dialog]').getByRole('combobox')
  const options = (name: string | RegExp) => page.locator('[role=dialog]').getByRole('option', { name })

  async function openAt(path: string, options: Parameters<PortalHarness['visit']>[0] = {}): Promise<void> {
    page = (await harness.visit(options)).page
    await harness.go(page, path)
    await page.keyboard.press('Control+k')
    await field().waitFor()
  }

  it.each(LOOKS)('are found by the end of the number on the pages of their company, by keyboard, in $locale', async (look) => {
    const { account, none, ...options_ } = look
    await openAt(`/companies/${bakery}`, { ...options_, bypassCSP: true })
    await field().pressSequentially('0059')
    const found = options(new RegExp(`0059 · ${BAKERY} ${account}`))
    await found.waitFor()
    expect(await options(/ · /).filter({ hasText: '••••' }).count()).toBe(1)
    expect(await listViolationsInBothThemes(page)).toEqual([])
    expect(await listWidthFlaws(page, 'the palette', [320])).toEqual([])
    const listed = await page.locator('[role=dialog] [role=option]').allInnerTexts()
    const down = listed.findIndex((text) => text.includes('0059'))
    for (let press = 0; press < down; press += 1) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/companies/${bakery}/connections/${files}/records/`))
    await page.keyboard.press('Control+k')
    await field().fill('0059 xyzzy')
    await page.getByText(none).waitFor()
  })

  it('stand beside connections, which are found by the name that readers of French see', async () => {
    await openAt('/usage', { locale: 'fr-CA' })
    await field().pressSequentially('relevés')
    await options('Relevés bancaires · Ferme du Plateau Connexion').click()
    await page.waitForURL(new RegExp(`/connections/${files}`))
  })

  it('are found in the books of the company too, by name', async () => {
    await openAt(`/companies/${bakery}`)
    await field().pressSequentially('comptes clients')
    // The books have “Comptes clients – USD” too.
    await options(new RegExp(`Comptes clients(?! –).* · ${BAKERY} Account`))
      .first()
      .click()
    await page.waitForURL(/entity=accounts/)
    await page.locator('main').getByText('Comptes clients', { exact: true }).first().waitFor()
  })

  it('are found from any page by words of their company before theirs, in that company alone', async () => {
    await openAt('/usage')
    await field().pressSequentially('boul plateau 0058')
    await page.getByText('No results').waitFor()
    await field().fill('boulangerie du 0058')
    await options(new RegExp(`0058 · ${BAKERY} Account`)).waitFor()
    await field().fill('ferme 0002')
    await options(/0002 · Ferme du Plateau Account/).waitFor()
    expect(await options(new RegExp(BAKERY)).count()).toBe(0)
  })

  it('are found once in a company that was connected again after its disconnection', async () => {
    const { client, service } = harness
    const twice = await client.addCompany('Quincaillerie Nadeau')
    const connect = async () => {
      await uploadStatement(service.baseUrl, await client.link(twice, files), () => writeStatement(3, 1))
      return await client.connectionInStatus(twice, [15, 19], 60_000)
    }
    await connect()
    const disconnected = await client.ask(`/normalized-data/company/${twice}/data-connection/${files}`, { method: 'DELETE' })
    expect(disconnected.status).toBe(202)
    await connect()
    expect(await client.connections(twice)).toHaveLength(2)
    const asked: string[] = []
    await openAt(`/companies/${twice}`)
    page.on('request', (request) => asked.push(request.url()))
    await field().fill('0002')
    await options(/0002 · Quincaillerie Nadeau Account/).waitFor()
    expect(await options(/0002 · Quincaillerie Nadeau/).count()).toBe(1)
    expect(asked.filter((url) => /\/(banking|accountancy)\/accounts\//.test(url))).toHaveLength(1)
  })

  it.each(LOOKS)('are found over all companies by word, number and id, by keyboard, in $locale', async ({ account, none, ...look }) => {
    await openAt('/usage', { ...look, bypassCSP: true })
    await field().pressSequentially('comptes cli')
    await options(new RegExp(`Comptes clients.* · ${BAKERY} ${account}`))
      .first()
      .waitFor()
    await field().fill('0058')
    await options(new RegExp(`•••• ?0058 · ${BAKERY} ${account}`)).waitFor()
    expect(await options(/0058 · /).count()).toBe(1)
    expect(await listViolationsInBothThemes(page)).toEqual([])
    expect(await listWidthFlaws(page, 'the palette', [320])).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/companies/${bakery}/connections/${files}/records/`))
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '')
    await page.keyboard.press('Control+k')
    await field().fill(id)
    await options(new RegExp(`0058 · ${BAKERY} ${account}`)).waitFor()
    await field().fill('0058 xyzzy')
    await page.getByText(none).waitFor()
  })

  it('are not asked of single companies while no company is meant', async () => {
    await openAt('/usage')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await field().fill('deliveries 0058')
    await page.getByText('No results').waitFor()
    await expect.poll(() => asked.some((url) => url.includes('/companies?'))).toBe(true)
    expect(asked.filter((url) => /\/(banking|accountancy)\/accounts\//.test(url))).toEqual([])
  })
})
