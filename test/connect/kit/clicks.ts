import type { Page } from 'playwright-core'

/** How an owner comes to a page. */
export type PageRoute = (page: Page) => Promise<unknown>

/** Clicks what leads to another page, and waits until all of that page is there: a click alone returns in the midst of it. */
async function leaveBy(page: Page, selector: string): Promise<void> {
  const isThere = page.waitForEvent('load')
  await page.click(selector)
  await isThere
}

export const agree: PageRoute = (page) => leaveBy(page, 'button[value=agree]')
export const submit: PageRoute = (page) => leaveBy(page, 'form[method=post] button')
