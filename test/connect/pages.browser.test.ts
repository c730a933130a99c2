import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../browser.ts'
import { openTour, type Tour } from './tour.ts'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Set to a folder to keep a picture of each page. */
const pictures = process.env.PICTURES

const PAGES = [
  'consent',
  'consent-upload',
  'consent-bank',
  'bank',
  'bank-none',
  'bank-missing',
  'bank-noted',
  'bank-chosen',
  'redirect',
  'books',
  'widget',
  'widget-failed',
  'books-none',
  'form',
  'form-wrong',
  'upload',
  'upload-wrong',
  'done',
  'done-ready',
  'link-unknown',
  'session-lost',
  'declined',
]
const PROBLEMS = ['incomplete', 'mismatch', 'state', 'silent', 'refused', 'off', 'forged', 'unreadable', 'nowhere', 'busy', 'ours', 'used']

describe.skipIf(lacksBrowser)(`the look of the owner’s pages${browserNote}`, () => {
  let tour: Tour

  beforeAll(async () => {
    tour = await openTour()
  })
  afterAll(async () => await tour?.close())

  it('is looked at on every page there is a way to', () => {
    expect(Object.keys(tour.ways)).toEqual(PAGES)
  })

  async function listViolations(page: Page): Promise<string[]> {
    await page.evaluate(axe)
    const found: string[] = await page.evaluate(`axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then((result) => result.violations.map((one) => one.id + ': ' + one.nodes.map((node) => node.html + ' ' + node.failureSummary).join('; ')))`)
    return found
  }

  /** Names what keeps a page from being good, in light and dark; nothing, if all is well. */
  async function findFlaws(page: Page, name: string, locale: string): Promise<string[]> {
    const flaws: string[] = []
    await page.setViewportSize({ width: 900, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${locale}-${colorScheme}.png`, fullPage: true })
      flaws.push(...(await listViolations(page)))
    }
    const language = await page.getAttribute('html', 'lang')
    if (language !== (locale === 'en-CA' ? 'en' : 'fr-CA')) flaws.push(`${name} is in ${language}`)
    await page.setViewportSize({ width: 320, height: 640 })
    for (const size of ['100%', '200%']) {
      await page.evaluate(`document.documentElement.style.fontSize = '${size}'`)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      if (width !== 320) flaws.push(`${name} is ${width} px wide on a screen of 320 px with text at ${size}`)
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${locale}-320-${size.slice(0, -1)}.png`, fullPage: true })
    }
    return flaws
  }

  describe.each(['en-CA', 'fr-CA'])('in %s, light and dark', (locale) => {
    it.each(PAGES)('%s keeps to WCAG 2.2 AA, fits 320 px with text at 200 percent and leaves the console empty', async (name) => {
      const { page, context, complaints } = await tour.visit({ locale, bypassCSP: true })
      await tour.ways[name]?.(page)
      expect([...(await findFlaws(page, name, locale)), ...complaints]).toEqual([])
      await context.close()
    })

    it('every page about a problem does so too', async () => {
      const { page, context, complaints } = await tour.visit({ locale, bypassCSP: true })
      await tour.ways.consent?.(page)
      const flaws: string[] = []
      for (const kind of PROBLEMS) {
        await page.goto(`${tour.stage.origin}/connect/problem?kind=${kind}&reference=8c0f5c1e-0001`)
        flaws.push(...(await findFlaws(page, `problem-${kind}`, locale)))
      }
      expect([...flaws, ...complaints]).toEqual([])
      await context.close()
    })
  })
})
