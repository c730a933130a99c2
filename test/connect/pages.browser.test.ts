import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listViolationsInBothThemes } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { type BrowserPage, openBrowserHarness } from './kit/browser-harness.ts'
import { listLayoutFaults } from './kit/layout-checks.ts'
import { readOutline } from './kit/outline.ts'
import { PAGES } from './kit/page-routes.ts'
import { readScripts } from './kit/screen-reader-scripts.ts'

const PROBLEMS = [
  'incomplete',
  'mismatch',
  'state',
  'silent',
  'refused',
  'off',
  'forged',
  'unreadable',
  'nowhere',
  'often',
  'full',
  'busy',
  'ours',
  'used',
]
const scripts = await readScripts()

describe.skipIf(lacksBrowser)(`the appearance of the owner’s pages${browserNote}`, () => {
  const tour = openForTests(openBrowserHarness)

  /** Lists the accessibility and layout problems of a page, in light and dark; empty if there are none. */
  async function findFlaws(page: Page, name: string, locale: string): Promise<string[]> {
    const flaws: string[] = []
    await page.setViewportSize({ width: 900, height: 900 })
    await page.emulateMedia({ reducedMotion: 'reduce' })
    flaws.push(...(await listViolationsInBothThemes(page)))
    const moving: number = await page.evaluate('document.getAnimations().length')
    if (moving > 0) flaws.push(`${moving} things move`)
    const language = await page.getAttribute('html', 'lang')
    if (language !== (locale === 'en-CA' ? 'en' : 'fr-CA')) flaws.push(`it is in ${language}`)
    flaws.push(...(await listLayoutFaults(page)))
    return flaws.map((flaw) => `${name}: ${flaw}`)
  }

  describe.each(['en-CA', 'fr-CA'] as const)('in %s, light and dark', (locale) => {
    // One window for all, since a new one compiles axe again, which takes as long as its rules.
    let shared: BrowserPage
    beforeAll(async () => {
      shared = await tour.visit({ locale, bypassCSP: true })
    })
    beforeEach(async () => {
      shared.complaints.length = 0
      await shared.context.clearCookies()
      await shared.page.setViewportSize({ width: 1280, height: 720 })
      await shared.page.emulateMedia({ colorScheme: null, reducedMotion: null })
    })
    afterAll(() => shared.context.close())

    it.each(PAGES)(
      '%s fits every width, and 320 px with text at 200 percent, meets WCAG 2.2 AA, and matches its screen-reader script',
      async (name) => {
        const { page, complaints } = shared
        await tour.routes[name]?.(page)
        const flaws = [...(await listWidthFlaws(page, name)), ...(await findFlaws(page, name, locale))]
        const outline = await readOutline(page, locale)
        expect([...flaws, ...complaints]).toEqual([])
        expect(outline, 'docs/accessibility.md is written again by `npm run accessibility`').toEqual(scripts[name]?.[locale])
      },
    )

    it('every page about a problem does too', async () => {
      const { page, complaints } = shared
      await tour.routes.consent?.(page)
      const flaws: string[] = []
      for (const kind of PROBLEMS) {
        await page.goto(`${tour.connectHarness.origin}/connect/problem?kind=${kind}&reference=8c0f5c1e-0001`)
        flaws.push(...(await findFlaws(page, `problem-${kind}`, locale)))
      }
      expect([...flaws, ...complaints]).toEqual([])
    })
  })

  it('keeps the borders of buttons and the mark of the selected bank with forced colors', async () => {
    const { page, context } = await tour.visit({ forcedColors: 'active' })
    await tour.routes['bank-typed']?.(page)
    const seen = await page.evaluate(`[
      getComputedStyle(document.querySelector('[aria-selected=true]')).outlineStyle,
      getComputedStyle(document.querySelector('form button')).borderTopStyle,
    ]`)
    expect(seen).toEqual(['solid', 'solid'])
    await context.close()
  })

  it('moves the focus to each new heading, with scripts and without', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, context } = await tour.visit({ javaScriptEnabled })
      await page.goto(await tour.connectHarness.link('plaid'))
      await page.waitForSelector('h1:focus')
      await tour.agree(page)
      await page.waitForURL(/institutions/)
      await page.waitForSelector('h1:focus')
      await page.click('ul.banks a')
      await page.waitForURL(/connect\/source/)
      await page.waitForSelector('h1:focus')
      await context.close()
    }
  })
})
