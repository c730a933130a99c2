import type { Page } from 'playwright-core'

/** How an owner reaches a page. */
export type PageRoute = (page: Page) => Promise<unknown>

/** Clicks what leads to another page, and waits until that page is complete: a click alone returns while it loads. */
async function leaveBy(page: Page, selector: string): Promise<void> {
  const isThere = page.waitForEvent('load')
  await page.click(selector)
  await isThere
}

export const agree: PageRoute = (page) => leaveBy(page, 'button[value=agree]')
export const submit: PageRoute = (page) => leaveBy(page, 'form[method=post] button')
