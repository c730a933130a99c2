import type { Page } from 'playwright-core'
import { type PageRoute, submit } from './clicks.ts'

/** Pages outside the connection flow: the forwarded sign-in, and the owner's own page. */
export const MORE_PAGES = [
  'hand-off',
  'hand-off-address',
  'hand-off-waiting',
  'helping',
  'helping-declined',
  'yours',
  'yours-pause',
  'yours-continue',
  'yours-renew',
  'yours-download',
  'yours-withdraw',
  'yours-delete',
  'yours-address',
  'receipt',
  'receipt-verify',
  'reminders-kept',
] as const

/** `redirect` and `done` are the routes to those pages. */
export function morePageRoutes(from: {
  origin: string
  redirect: PageRoute
  done: PageRoute
}): Record<(typeof MORE_PAGES)[number], PageRoute> {
  const handOn = async (page: Page) => {
    await from.redirect(page)
    await page.click('main a[href*="hand-off"]')
    await page.waitForURL(/hand-off/)
  }
  const makeAddress = async (page: Page): Promise<string> => {
    await handOn(page)
    await page.click('button[value=copy]')
    return await page.inputValue('#field-address')
  }
  const help = async (page: Page) => {
    const address = await makeAddress(page)
    // The accountant uses another machine.
    await page.context().clearCookies({ name: 'connect' })
    await page.goto(address)
    await page.waitForURL(/helping/)
  }
  const yours = async (page: Page) => {
    await from.done(page)
    await page.click('main a[href*="connect/yours"]')
    await page.waitForURL(/connect\/yours/)
  }
  const actions = async (page: Page, action: string) => {
    await yours(page)
    const href = (await page.getAttribute('main a[href*="yours/pause"]', 'href')) ?? ''
    await page.goto(`${from.origin}${href.replace('pause', action)}`)
  }
  return {
    'hand-off': handOn,
    'hand-off-address': makeAddress,
    'hand-off-waiting': async (page) => {
      await makeAddress(page)
      await page.click('main a.button')
      await page.waitForSelector('#waiting')
    },
    helping: help,
    'helping-declined': async (page) => {
      await help(page)
      await page.click('button[value=cannot]')
      await page.waitForURL(/declined/)
    },
    yours,
    'yours-pause': (page) => actions(page, 'pause'),
    'yours-continue': async (page) => {
      await actions(page, 'pause')
      await submit(page)
      await page.click('main a[href*="yours/continue"]')
      await page.waitForURL(/yours\/continue/)
    },
    'yours-renew': (page) => actions(page, 'renew'),
    'yours-download': (page) => actions(page, 'download'),
    'yours-withdraw': (page) => actions(page, 'withdraw'),
    'yours-delete': (page) => actions(page, 'delete'),
    'yours-address': async (page) => {
      await yours(page)
      await page.click('main a[href$="yours/address"]')
      await page.waitForURL(/yours\/address/)
    },
    receipt: async (page) => {
      await actions(page, 'withdraw')
      await submit(page)
      await page.waitForURL(/yours\/receipt/)
    },
    'receipt-verify': async (page) => await page.goto(`${from.origin}/connect/receipts/verify`),
    'reminders-kept': async (page) => {
      await from.done(page)
      await page.goto(`${from.origin}/connect/reminders`)
    },
  }
}
