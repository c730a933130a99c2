import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { type BrowserHarness, openBrowserHarness } from './kit/browser-harness.ts'
import { PAGES } from './kit/page-routes.ts'

describe.skipIf(lacksBrowser)(`the owner’s pages fit every width${browserNote}`, () => {
  let tour: BrowserHarness
  beforeAll(async () => {
    tour = await openBrowserHarness()
  }, 60_000)
  afterAll(async () => await tour?.close())

  it.each(['en-CA', 'fr-CA'])(
    'in %s none scrolls sideways and no control is clipped, from 320 to 1,920 px',
    async (locale) => {
      const flaws: string[] = []
      for (const name of PAGES) {
        const { page, context } = await tour.visit({ locale })
        await tour.routes[name]?.(page)
        flaws.push(...(await listWidthFlaws(page, name)))
        await context.close()
      }
      expect(flaws).toEqual([])
    },
    240_000,
  )
})
