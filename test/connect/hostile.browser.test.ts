import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openBrowserHarness } from './kit/browser-harness.ts'
import { hostileText } from './kit/hostile-text.ts'
import { PAGES } from './kit/page-routes.ts'

/** Maximum length of the API and the database. */
const MAX_COMPANY = 200
/** Routes without a page of their own: they redirect, or show an error. */
const REDIRECTING = ['GET /connect', 'GET /connect/', 'GET /connect/callback', 'GET /connect/callback/:source', 'GET /connect/outside']
/** Files and data endpoints. */
const NO_PAGE = /\.(css|js|svg|txt|json)$|\/logos\/|\/colours\/|\/files\/|suggestions$|progress$|\/keys$/

describe.skipIf(lacksBrowser)(`strings from sources and users${browserNote}`, () => {
  const tour = openForTests(() => openBrowserHarness({ requesterName: hostileText(10_000), companyName: hostileText(MAX_COMPANY) }))

  beforeAll(async () => {
    await tour.connectHarness.deps.database.query(
      `update institutions set name = $1 || id, url = 'https://x/"><script>owned=1</script>' where connected > 0`,
      [hostileText(10_000)],
    )
  })

  /** Effects of such a string on a page, in small and large layouts; empty if it is harmless. */
  async function listEffects(page: Page): Promise<string[]> {
    const harm: string[] = []
    for (const width of [320, 900]) {
      await page.setViewportSize({ width, height: 700 })
      const seen: number = await page.evaluate('document.documentElement.scrollWidth')
      if (seen > width) harm.push(`${seen} px wide on a screen of ${width} px`)
      const height: number = await page.evaluate('document.documentElement.scrollHeight')
      if (height > 12_000) harm.push(`${height} px high`)
    }
    const smuggled: number = await page.evaluate(
      `document.querySelectorAll('main script, main style, img[onerror], [onclick], [onmouseover]').length + ('owned' in globalThis ? 100 : 0)`,
    )
    if (smuggled > 0) harm.push(`${smuggled} things were smuggled in`)
    const reordered: boolean = await page.evaluate(String.raw`/[\u202a-\u202e\u2066\u2067\u200b]/.test(document.body.innerText)`)
    if (reordered) harm.push('signs that hide or reorder text are on the page')
    const title = await page.title()
    if (title.length > 300) harm.push(`a title of ${title.length} characters`)
    return harm
  }

  it.each(PAGES)('are harmless on the page %s', async (name) => {
    const { page, context, complaints } = await tour.visit()
    page.on('dialog', (dialog) => complaints.push(`a dialog says ${dialog.message()}`))
    await tour.routes[name]?.(page)
    expect([...(await listEffects(page)), ...complaints]).toEqual([])
    await context.close()
  })

  it('are harmless as the name of a missing bank, of a file, and as a search term', async () => {
    const { page, context, complaints } = await tour.visit()
    const harm: string[] = []
    await tour.routes['bank-missing']?.(page)
    await page.fill('#field-name', hostileText(200))
    await tour.submit(page)
    await page.waitForURL(/noted/)
    harm.push(...(await listEffects(page)))
    await page.goto(`${tour.connectHarness.origin}/connect/institutions?search=${encodeURIComponent(hostileText(100))}`)
    harm.push(...(await listEffects(page)))
    await tour.routes.upload?.(page)
    await page.setInputFiles('#field-files', {
      name: `${hostileText(120).replaceAll('/', '')}.jpg`,
      mimeType: 'image/jpeg',
      buffer: Buffer.from('x'),
    })
    await tour.submit(page)
    await page.waitForSelector('.summary')
    harm.push(...(await listEffects(page)))
    expect([...harm, ...complaints]).toEqual([])
    await context.close()
  })

  it('are tried on every page: each route that renders one is on the tour', async () => {
    // The tests above have visited them all, unless this one runs alone.
    for (const name of PAGES) {
      if (missing().length === 0) break
      const { page, context } = await tour.visit()
      await tour.routes[name]?.(page)
      await context.close()
    }
    expect(missing()).toEqual([])
  }, 240_000)

  function missing(): string[] {
    const { routes, pages } = tour.connectHarness
    return [...routes].filter(
      (route) => route.startsWith('GET /connect') && !REDIRECTING.includes(route) && !NO_PAGE.test(route) && !pages.has(route),
    )
  }
})
