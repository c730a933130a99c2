import type { Page } from 'playwright-core'

/** How an owner comes to a page. */
export type Way = (page: Page) => Promise<unknown>

export const agree: Way = async (page) => await page.click('button[value=agree]')
export const submit: Way = async (page) => await page.click('form[method=post] button')
