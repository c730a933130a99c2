import type { Page, Request, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openBrowserHarness } from './kit/browser-harness.ts'

/** Matches for “caisse”, in either language. */
const FITS = /caisse|credit union/i
const OPTION = '#bank-options [role=option]'

describe.skipIf(lacksBrowser)(`the bank’s name, while it is typed${browserNote}`, () => {
  const tour = openForTests(openBrowserHarness)
  const names = async (page: Page) => await page.locator(`${OPTION} .name`).allTextContents()
  const activeName = async (page: Page) => {
    const id = await page.getAttribute('#search', 'aria-activedescendant')
    return id === null ? null : await page.textContent(`#${id}[aria-selected=true] .name`)
  }

  async function typeName(page: Page, text: string): Promise<string[]> {
    await tour.routes.bank?.(page)
    await page.focus('#search')
    await page.keyboard.type(text)
    await page.waitForSelector('#search[aria-expanded=true]')
    return await names(page)
  }

  it('lists matching banks, and announces how many', async () => {
    const { page, context, complaints } = await tour.visit()
    const listed = await typeName(page, 'caisse')
    expect(listed.every((name) => FITS.test(name))).toBe(true)
    expect(await page.textContent('#bank-status')).toMatch(new RegExp(`^(\\d+\\sbanks found; the first )?${listed.length}\\s.*\\.$`))
    expect([await page.locator('#bank-results').isVisible(), complaints]).toEqual([false, []])
    await context.close()
  })

  it('moves by arrows, Home and End, wrapping at both ends, while the focus stays in the field', async () => {
    const { page, context } = await tour.visit()
    const listed = await typeName(page, 'caisse')
    expect(await activeName(page), 'before any key').toBe(null)
    const met: (string | null)[] = []
    for (const key of ['ArrowDown', 'ArrowDown', 'Home', 'ArrowUp', 'ArrowDown', 'End']) {
      await page.keyboard.press(key)
      met.push(await activeName(page))
    }
    expect(met).toEqual([listed[0], listed[1], listed[0], listed.at(-1), listed[0], listed.at(-1)])
    expect(await page.locator('#search:focus').count()).toBe(1)
    await context.close()
  })

  it('continues with the highlighted bank on Enter', async () => {
    const { page, context } = await tour.visit()
    const listed = await typeName(page, 'caisse')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/connect\/source/)
    expect(await page.textContent('h1')).toBe(`Connect ${listed[0]}`)
    await context.close()
  })

  it('continues with a bank on a click or a tap', async () => {
    const { page, context } = await tour.visit({ hasTouch: true, viewport: { width: 320, height: 640 } })
    const listed = await typeName(page, 'caisse')
    await page.locator(OPTION).nth(1).tap()
    await page.waitForURL(/connect\/source/)
    expect(await page.textContent('h1')).toBe(`Connect ${listed[1]}`)
    await context.close()
  })

  it('restores the first list on Escape, and when the field is empty', async () => {
    const { page, context } = await tour.visit()
    await typeName(page, 'caisse')
    await page.keyboard.press('Escape')
    expect([await page.inputValue('#search'), await page.locator('#bank-results').isVisible(), await names(page)]).toEqual([
      'caisse',
      true,
      [],
    ])
    await page.keyboard.type('s')
    await page.fill('#search', 'caisse')
    await page.waitForSelector('#search[aria-expanded=true]')
    await page.fill('#search', '')
    await page.waitForSelector('#search[aria-expanded=false]')
    expect(await page.locator('#bank-results').isVisible()).toBe(true)
    await context.close()
  })

  it('that matches no bank explains what to do', async () => {
    const { page, context } = await tour.visit({ locale: 'fr-CA' })
    await tour.routes.bank?.(page)
    await page.fill('#search', 'xyzzy')
    await page.waitForSelector('#bank-status:not(:empty)')
    expect(await page.textContent('#bank-status')).toBe(
      'Aucune institution ne correspond à «\u00a0xyzzy\u00a0». Essayez une partie plus courte du nom, par exemple son premier mot. Son numéro d’acheminement permet aussi de la trouver.',
    )
    await context.close()
  })

  it('is searched after a pause, not at every letter', async () => {
    const { page, context } = await tour.visit()
    const asked: (string | null)[] = []
    page.on('request', (request) => request.url().includes('suggestions') && asked.push(new URL(request.url()).searchParams.get('search')))
    await page.clock.install()
    await tour.routes.bank?.(page)
    await page.clock.pauseAt(Date.now() + 3_600_000)
    await page.focus('#search')
    await page.keyboard.type('caisse')
    expect(asked, 'while it is typed').toEqual([])
    await page.clock.runFor(150)
    await page.waitForSelector('#search[aria-expanded=true]')
    expect(asked).toEqual(['caisse'])
    await context.close()
  })

  it('shows no result of an earlier query, however late it arrives', async () => {
    const { page, context } = await tour.visit()
    const held = Promise.withResolvers<Route>()
    const brokenOff: string[] = []
    page.on('requestfailed', (request: Request) => brokenOff.push(request.url()))
    await tour.routes.bank?.(page)
    await page.route(/suggestions.*search=b$/, (route) => held.resolve(route))
    await page.fill('#search', 'b')
    const route = await held.promise
    await page.fill('#search', 'caisse')
    await page.waitForSelector('#search[aria-expanded=true]')
    await route.continue().catch(() => undefined)
    expect([brokenOff.length, (await names(page)).every((name) => FITS.test(name))]).toEqual([1, true])
    await context.close()
  })

  it('keeps its button if the list cannot be loaded', async () => {
    const { page, context } = await tour.visit()
    await tour.routes.bank?.(page)
    await context.setOffline(true)
    await page.fill('#search', 'caisse')
    await page.waitForSelector('#bank-status:has-text("The list could not be loaded. Select Search.")')
    await context.setOffline(false)
    await page.click('form[role=search] button')
    await page.waitForURL(/search=caisse/)
    expect(await page.locator('ul.banks a').count()).toBeGreaterThan(0)
    await context.close()
  })

  it('finds the bank without scripts too', async () => {
    const { page, context } = await tour.visit({ javaScriptEnabled: false, locale: 'fr-CA' })
    await tour.routes.bank?.(page)
    await page.fill('#search', 'caisse')
    await page.click('form[role=search] button')
    await page.click('ul.banks a')
    expect(await page.textContent('h1')).toMatch(/^Connectez .*caisse/i)
    await context.close()
  })
})
