import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listViolationsInBothThemes } from '../harness/axe.ts'
import { browserNote, lacksBrowser, openBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { listBlocks } from './guide-tracks.ts'
import { openSite } from './harness.ts'

/** One of each kind: lists, long tables, raw HTML with images, code, a folder, an unknown address. */
const PAGES = [
  '/docs/',
  '/docs/overview',
  '/docs/developers/webhooks',
  '/docs/guides/production',
  '/docs/source-keys',
  '/docs/mappings',
  '/docs/mappings/xero',
  '/docs/search?q=key',
  '/docs/nothing',
  '/docs/reference',
  '/docs/reference/companies',
]

describe.skipIf(lacksBrowser)(`the documentation in a browser${browserNote}`, () => {
  const app = openForTests(openSite)
  let browser: Browser
  let closeBrowser: () => Promise<void>
  let address: string
  beforeAll(async () => {
    address = await app.listen({ host: '127.0.0.1', port: 0 })
    const opened = await openBrowser()
    browser = opened.browser
    closeBrowser = opened.close
  })
  afterAll(async () => {
    await closeBrowser()
  })

  async function visit<Result>(
    path: string,
    options: Parameters<Browser['newPage']>[0],
    use: (page: Page) => Promise<Result>,
  ): Promise<Result> {
    const page = await browser.newPage(options)
    await page.goto(`${address}${path}`)
    const result = await use(page)
    await page.close()
    return result
  }

  it.each(PAGES)('%s has no fault that axe finds, in light and in dark colours', async (path) => {
    // Only the accessibility checker needs to bypass the page's policy.
    expect(await visit(path, { bypassCSP: true }, listViolationsInBothThemes)).toEqual([])
  })

  it.each(PAGES)('%s fits phones, tablets and wide screens', async (path) => {
    expect(await visit(path, {}, (page) => listWidthFlaws(page, path, [320, 768, 1024, 1280, 1920]))).toEqual([])
  })

  it.each(PAGES)('%s breaks none of its own policy, and loads what it shows', async (path) => {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('requestfailed', (request) => complaints.push(request.url()))
    await page.goto(`${address}${path}`)
    const isStyled = await page.evaluate('getComputedStyle(document.querySelector("header")).display')
    await page.close()
    expect(complaints.filter((text) => !/favicon|404 \(Not Found\)/.test(text))).toEqual([])
    expect(isStyled).toBe('flex')
  })

  it('asks nobody but its own origin, and that for nothing but pages, assets and the index', async () => {
    const foreign: string[] = []
    for (const path of PAGES) {
      const page = await browser.newPage()
      page.on('request', (request) => {
        if (!request.url().startsWith(`${address}/docs/`) && !request.url().endsWith('/favicon.ico')) foreign.push(request.url())
      })
      await page.goto(`${address}${path}`)
      await page.close()
    }
    expect(foreign).toEqual([])
  })

  it('shows results below the field while one types, to be gone through by arrow keys, without faults that axe finds', async () => {
    await visit('/docs/developers/webhooks', { bypassCSP: true }, async (page) => {
      await page.keyboard.press('/')
      await page.keyboard.type('signature without')
      await page.getByRole('search').getByRole('link', { name: 'Webhooks: Verify a signature without an SDK' }).waitFor()
      expect(await listViolationsInBothThemes(page)).toEqual([])
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Escape')
      expect(await page.getByRole('search').getByRole('link').count()).toBe(0)
      await page.keyboard.type(' webhook')
      const first = page.getByRole('search').getByRole('link').first()
      const target = await first.getAttribute('href')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${target}`)
    })
  })

  it('opens its menu over the page on a phone, without faults that axe finds, and closes it by Escape', async () => {
    await visit('/docs/developers/statuses', { bypassCSP: true, viewport: { width: 320, height: 640 } }, async (page) => {
      const menu = page.getByRole('navigation', { name: 'Documentation' })
      expect(await menu.isVisible()).toBe(false)
      await page.getByRole('button', { name: 'Menu' }).click()
      expect(await menu.isVisible()).toBe(true)
      expect(await listViolationsInBothThemes(page)).toEqual([])
      await page.keyboard.press('Escape')
      expect(await menu.isVisible()).toBe(false)
      await page.getByRole('button', { name: 'Menu' }).click()
      await menu.getByRole('link', { name: 'Webhooks' }).click()
      await page.waitForURL('**/docs/developers/webhooks')
    })
  })

  it('copies a block as it stands, and shows the chosen language in all places and on the next page', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(`${address}/docs/developers/statuses`)
    await page.locator('summary', { hasText: 'Python' }).first().click()
    expect(await page.locator('.samples details[open] > summary').allTextContents()).toEqual(['Python', 'Python', 'Python'])
    await page.locator('.samples [open] .code').first().hover()
    await page.locator('.samples [open] .copy').first().click()
    await page.getByText('Copied').waitFor()
    const [block = ''] = listBlocks('statuses.md', 'python')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(block.trimEnd())
    await page.goto(`${address}/docs/reference/companies`)
    expect(new Set(await page.locator('.samples details[open] > summary').allTextContents())).toEqual(new Set(['Python']))
    await context.close()
  })

  it('is read without scripts and by keyboard: first the way past the head, then its links', async () => {
    const options = { javaScriptEnabled: false, viewport: { width: 320, height: 640 } }
    await visit('/docs/guides/backup', options, async (page) => {
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      expect(page.url()).toMatch(/#main$/)
      await page.getByRole('link', { name: 'Menu' }).click()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/docs/overview')
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Countinghouse')
    })
  })

  it('finds sections by words, by their beginnings and with a slip, and says where nothing is found', async () => {
    const requests: string[] = []
    await visit('/docs/', {}, async (page) => {
      page.on('request', (request) => requests.push(new URL(request.url()).pathname))
      await page.getByRole('searchbox').fill('token-hash key')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/docs/search?q=token-hash+key')
      const results = page.getByRole('main').getByRole('listitem')
      await results.first().waitFor()
      expect((await results.getByRole('link').allTextContents())[0]).toMatch(/^Encryption keys and their rotation/)
      await page.getByRole('searchbox').fill('subscribtion')
      await results
        .filter({ hasText: /subscription/i })
        .first()
        .waitFor()
      await page.getByRole('searchbox').fill('createSubscription')
      await results.getByRole('link', { name: 'API reference: Webhooks: Subscribe to an event' }).waitFor()
      await page.getByRole('searchbox').fill('quickboks status')
      await results
        .getByRole('link', { name: /QuickBooks/ })
        .first()
        .click()
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
      await page.goBack()
      expect(await page.getByRole('searchbox').inputValue()).toBe('quickboks status')
      await page.getByRole('searchbox').fill('<img src=x> zzzz')
      await page.getByRole('status').filter({ hasText: 'Nothing found for “<img src=x> zzzz”.' }).waitFor()
    })
    // No word is sent but the address of the page itself: the index is two files.
    expect(
      requests.filter((path) => !/^\/docs\/(search$|assets\/|reference\/operations.json$)/.test(path) && !/^\/docs\/[a-z/-]+$/.test(path)),
    ).toEqual([])
    expect(requests.filter((path) => path.endsWith('.json')).length).toBeGreaterThan(0)
  })

  it('says that the search needs a script, and offers a search at an unknown address', async () => {
    await visit('/docs/search?q=keys', { javaScriptEnabled: false }, async (page) => {
      expect(await page.getByText('The search needs JavaScript').isVisible()).toBe(true)
    })
    await visit('/docs/guides/key', {}, async (page) => {
      await page.getByRole('main').getByRole('searchbox').fill('keys')
      await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
      await page.getByRole('main').getByRole('listitem').first().waitFor()
    })
  })
})
