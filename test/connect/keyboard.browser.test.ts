import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openBrowserHarness } from './kit/browser-harness.ts'

const MAX_STOPS = 40

describe.skipIf(lacksBrowser)(`an owner with only a keyboard${browserNote}`, () => {
  const tour = openForTests(openBrowserHarness)

  /** Moves by Tab to the element of the selector. The focus must be visible at every stop. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    for (let stop = 0; stop < MAX_STOPS; stop += 1) {
      await page.keyboard.press('Tab')
      const isSeen: boolean = await page.evaluate(
        `(() => { const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
          return document.activeElement === document.body || (outlineStyle !== 'none' && outlineWidth !== '0px') })()`,
      )
      if (!isSeen) throw new Error(`the focus is not visible on ${page.url()}, at stop ${stop + 1}`)
      if ((await page.locator(`:focus:is(${selector})`).count()) > 0) return
    }
    throw new Error(`${selector} cannot be reached by keyboard on ${page.url()}`)
  }

  it.each(['en-CA', 'fr-CA'])('connects a bank from the link to the end, including the source’s pages, in %s', async (locale) => {
    const { page, context, complaints } = await tour.visit({ locale, viewport: { width: 320, height: 640 } })
    await page.goto(await tour.connectHarness.link('plaid'))
    await tabTo(page, 'button[value=agree]')
    await page.keyboard.press('Enter')
    await page.waitForURL(/institutions/)
    await tabTo(page, '#search')
    await page.keyboard.type('caisse')
    await page.waitForSelector('#search[aria-expanded=true]')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/connect\/source/)
    await tabTo(page, 'main form button')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/hosted\//)
    await page.focus('#username')
    await page.keyboard.type('user_good')
    await page.keyboard.press('Tab')
    await page.keyboard.type('pass_good')
    await page.keyboard.press('Enter')
    for (const form of ['accounts', 'finish']) {
      await page.focus(`form[action$="/${form}"] button`)
      await page.keyboard.press('Enter')
    }
    await page.waitForURL(/connect\/done/)
    await page.waitForSelector('h1:focus')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('names a missing bank and continues to statements', async () => {
    const { page, context } = await tour.visit()
    await tour.routes.bank?.(page)
    await tabTo(page, 'a[href*="missing"]')
    await page.keyboard.press('Enter')
    await page.waitForURL(/missing/)
    await tabTo(page, '#field-name')
    await page.keyboard.type('Caisse des Îles')
    await page.keyboard.press('Enter')
    await page.waitForURL(/noted/)
    await tabTo(page, 'form[action*="statements"] button')
    await page.keyboard.press('Enter')
    await page.waitForURL(/connect\/consent/)
    await context.close()
  })
})
