import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { listViolations, type Theme } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { openReceiver } from '../journey/receiver.ts'
import { effort } from '../prove/effort.ts'
import { openPortalHarness, settle } from './harness/portal-harness.ts'
import { fillScreens, type Screens } from './harness/screens.ts'

const THEMES: readonly Theme[] = ['light', 'dark']
const LOOKS: { locale: string; themes: readonly Theme[] }[] = [
  { locale: 'en-CA', themes: effort.everyLanguageInBothThemes ? THEMES : ['light'] },
  { locale: 'fr-CA', themes: effort.everyLanguageInBothThemes ? THEMES : ['dark'] },
]

/** Text of a page without code, which contains what the API says. */
const PROSE = `(() => {
  const copy = document.body.cloneNode(true)
  for (const code of copy.querySelectorAll('pre, code')) code.remove()
  return copy.textContent
})()`

/** Dialogs, besides the pages. */
const DIALOGS: Screens = {
  'add a company': '/companies?do=add',
  'add a member': '/members?do=add',
  'create a key': '/api-keys?do=add',
  'add an endpoint': '/webhooks?do=add',
}

const MAX_SHIFT = 0.02
const MAX_REQUESTS = 39
/** Including the responses of the API. */
const MAX_BYTES = 260_000

const VIEWPORTS = [
  { width: 320, height: 640 },
  { width: 1280, height: 800 },
]

/** Time on the way to a response of the API, up to 300 ms: what a page asks for together comes in another order. */
const latencyOf = (url: string): number => createHash('sha256').update(url).digest().readUInt16BE() % 300

const WATCH_SHIFTS = `window.portalShift = 0
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.portalShift += value
}).observe({ type: 'layout-shift', buffered: true })`

/**
 * Requests and bytes until the page was there, and layout shift by then; without what only a slow machine sees: probes of
 * the readiness while a response is late, and what is asked again every few seconds.
 */
interface Arrival {
  shift: number
  requests: number
  bytes: number
}

const ARRIVAL = `(() => {
  const [mark] = performance.getEntriesByName('portal-interactive')
  const begun = performance.getEntriesByType('resource').filter(({ name, startTime }) => startTime <= mark.startTime && !name.endsWith('/readyz'))
  const before = begun.filter((one) => !begun.some(({ name, startTime }) => name === one.name && one.startTime - startTime > 1_000))
  return { shift: window.portalShift, requests: before.length, bytes: before.reduce((sum, one) => sum + one.encodedBodySize, 0) }
})()`

/** Replaces ages and counts of background work, which may differ. */
function toSteady(text: string): string {
  return text.replace(/\d+/g, '#').replace(/(second|minute)s?/g, 'time')
}

describe.skipIf(lacksBrowser)(`the appearance of the portal${browserNote}`, () => {
  const harness = openForTests(openPortalHarness)
  const receiver = openForTests(openReceiver)
  let screens: Screens

  beforeAll(async () => {
    screens = await fillScreens(harness, `${receiver.url}/${'events-of-the-lending-desk/'.repeat(4)}`)
  })

  /** Lists the accessibility and layout problems of a page, by theme and on a phone; empty if there are none. */
  async function findFlaws(page: Page, name: string, themes: readonly Theme[]): Promise<string[]> {
    const flaws: string[] = []
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme })
      await page.waitForSelector(`html[data-mantine-color-scheme=${colorScheme}]`)
      const found = await listViolations(page)
      flaws.push(...found.map((flaw) => `${name} ${colorScheme}: ${flaw}`))
    }
    // Text of 200 % in half a window of 1280 px; at a phone's width text keeps its size, as with a zoom of 400 %.
    for (const [most, size] of [
      [320, '100%'],
      [640, '200%'],
    ] as const) {
      await page.setViewportSize({ width: most, height: 640 })
      await page.evaluate(`document.documentElement.style.fontSize = '${size}'`)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      if (width !== most) flaws.push(`${name} is ${width} px wide on a screen of ${most} px with text at ${size}`)
    }
    await page.evaluate(`document.documentElement.style.fontSize = ''`)
    if (await page.evaluate(`'owned' in globalThis`)) flaws.push(`${name} has run what a name smuggled in`)
    await page.setViewportSize({ width: 1280, height: 800 })
    return flaws
  }

  it('shifts nothing while a page loads, in whatever order its data comes, and shows it after few requests and bytes', async () => {
    const flaws: string[] = []
    for (const viewport of VIEWPORTS) {
      const { page, context } = await harness.visit({ viewport })
      await context.addInitScript(WATCH_SHIFTS)
      await page.route('**/admin/api/**', async (route) => {
        await setTimeout(latencyOf(route.request().url()))
        await route.continue()
      })
      for (const [name, path] of Object.entries(screens)) {
        await harness.go(page, path)
        const { shift, requests, bytes } = await page.evaluate<Arrival>(ARRIVAL)
        const told = `${name} at ${viewport.width} px: shift ${shift.toFixed(3)}, ${requests} requests, ${bytes} bytes`
        if (shift > MAX_SHIFT || requests > MAX_REQUESTS || bytes > MAX_BYTES) flaws.push(told)
      }
      await context.close()
    }
    expect(flaws).toEqual([])
  }, 240_000)

  it('shows the same again after a reload, whatever was selected: search, page, tab, moment, dialog', async () => {
    const { page, context } = await harness.visit()
    const seen: [string, string, string][] = []
    // Reading the usage page adds to it; its selection is the range of days.
    const usage = '/usage?days=7'
    const read = async (path: string): Promise<string> =>
      path === usage ? await page.locator('main select').inputValue() : await page.locator('main').innerText()
    for (const path of ['/companies?search=plateau', '/companies?do=add', `${screens['connection-accounts']}&filter=name~"a"`, usage]) {
      await harness.go(page, path)
      const before = await read(path)
      await page.reload()
      await settle(page)
      seen.push([path, before, await read(path)])
    }
    await context.close()
    expect(seen.filter(([, before, after]) => toSteady(before) !== toSteady(after))).toEqual([])
  })

  describe.each(LOOKS)('in $locale, $themes', ({ locale, themes }) => {
    it('fits every width, meets WCAG 2.2 AA, and prints nothing to the console on every page', async () => {
      const { page, context, complaints } = await harness.visit({ locale, bypassCSP: true })
      await harness.go(page, '/companies')
      const flaws: string[] = []
      for (const [name, path] of Object.entries({ ...screens, ...DIALOGS })) {
        // Like a link: loaded files are kept.
        await page.evaluate(`history.pushState(null, '', '/portal${path}')`)
        await settle(page)
        flaws.push(...(await listWidthFlaws(page, name)))
        await page.setViewportSize({ width: 1280, height: 800 })
        flaws.push(...(await findFlaws(page, name, themes)))
        const language = await page.getAttribute('html', 'lang')
        if (language !== locale) flaws.push(`${name} is in ${language}`)
        if (language === 'fr-CA' && String(await page.evaluate(PROSE)).includes('Bank files'))
          flaws.push(`${name} names a source in English`)
      }
      await context.close()
      expect([...flaws, ...complaints]).toEqual([])
    }, 240_000)

    it('does so before the sign-in, too', async () => {
      const { page, context, complaints } = await harness.visit({ locale, bypassCSP: true, isSignedIn: false })
      await harness.go(page, '/companies')
      const flaws = await findFlaws(page, 'sign-in', themes)
      await context.close()
      expect([...flaws, ...complaints]).toEqual([])
    })
  })
})
