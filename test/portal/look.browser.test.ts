import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../browser.ts'
import { openReceiver, type Receiver } from '../journey/receiver.ts'
import { effort } from '../prove/effort.ts'
import { makeSights, type Sights } from './sights.ts'
import { openPortalStage, type PortalStage, settle } from './stage.ts'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = `{ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }`
const THEMES = ['light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const LOOKS: { locale: string; themes: readonly Theme[] }[] = [
  { locale: 'en-CA', themes: effort.everyLanguageInBothThemes ? THEMES : ['light'] },
  { locale: 'fr-CA', themes: effort.everyLanguageInBothThemes ? THEMES : ['dark'] },
]

describe.skipIf(lacksBrowser)(`the look of the portal${browserNote}`, () => {
  let stage: PortalStage
  let receiver: Receiver
  let sights: Sights

  beforeAll(async () => {
    stage = await openPortalStage()
    receiver = await openReceiver()
    sights = await makeSights(stage, receiver.url)
  })
  afterAll(async () => {
    await stage?.close()
    await receiver?.close()
  })

  /** Names what keeps a page from being good, in a theme and on a phone; nothing, if all is well. */
  async function findFlaws(page: Page, name: string, themes: readonly Theme[]): Promise<string[]> {
    const flaws: string[] = []
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme })
      await page.waitForSelector(`html[data-mantine-color-scheme=${colorScheme}]`)
      const found: string[] = await page.evaluate(`axe.run(${RULES}).then((result) => result.violations.map((one) =>
        one.id + ': ' + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + ' ' + node.failureSummary).join('; ')))`)
      flaws.push(...found.map((flaw) => `${name} ${colorScheme}: ${flaw}`))
    }
    await page.setViewportSize({ width: 320, height: 640 })
    const width = await page.evaluate('document.documentElement.scrollWidth')
    if (width !== 320) flaws.push(`${name} is ${width} px wide on a screen of 320 px`)
    await page.setViewportSize({ width: 1280, height: 800 })
    return flaws
  }

  describe.each(LOOKS)('in $locale, $themes', ({ locale, themes }) => {
    it('keeps to WCAG 2.2 AA, fits 320 px, and leaves the console empty on every page', async () => {
      const { page, context, complaints } = await stage.visit({ locale, bypassCSP: true })
      await context.addInitScript(axe)
      await stage.go(page, '/companies')
      const flaws: string[] = []
      for (const [name, path] of Object.entries(sights)) {
        // As a link does it: what is already loaded stays.
        await page.evaluate(`history.pushState(null, '', '/portal${path}')`)
        await settle(page)
        flaws.push(...(await findFlaws(page, name, themes)))
        const language = await page.getAttribute('html', 'lang')
        if (language !== locale) flaws.push(`${name} is in ${language}`)
      }
      await context.close()
      expect([...flaws, ...complaints]).toEqual([])
    }, 120_000)

    it('does so before the door, too', async () => {
      const { page, context, complaints } = await stage.visit({ locale, bypassCSP: true, isSignedIn: false })
      await context.addInitScript(axe)
      await stage.go(page, '/companies')
      const flaws = await findFlaws(page, 'sign-in', themes)
      await context.close()
      expect([...flaws, ...complaints]).toEqual([])
    })
  })
})
