import type { Browser, Page } from 'playwright-core'

const TIMEOUT_MS = 20_000

/** A business owner's browser, which counts clicks and records console messages. */
export interface OwnerBrowser {
  page: Page
  /** Console messages of all pages, and every script error. */
  complaints: readonly string[]
  /** Languages of our pages that were seen. */
  languages: readonly string[]
  clicks(): number
  open(link: string): Promise<void>
  /** Clicks and waits until the address matches. */
  click(selector: string, leadsTo: RegExp): Promise<void>
  close(): Promise<void>
}

export async function openOwnerBrowser(
  browser: Browser,
  options: { origin: string; locale: 'en-CA' | 'fr-CA'; hasScripts?: boolean },
): Promise<OwnerBrowser> {
  const context = await browser.newContext({ locale: options.locale, javaScriptEnabled: options.hasScripts ?? true })
  context.setDefaultTimeout(TIMEOUT_MS)
  const page = await context.newPage()
  const complaints: string[] = []
  const languages: string[] = []
  let clicks = 0
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`))
  const look = async (): Promise<void> => {
    if (page.url().startsWith(options.origin)) languages.push((await page.getAttribute('html', 'lang')) ?? 'none')
  }
  return {
    page,
    complaints,
    languages,
    clicks: () => clicks,
    open: async (link) => {
      await page.goto(link)
      await look()
    },
    click: async (selector, leadsTo) => {
      clicks += 1
      await page.click(selector)
      await page.waitForURL(leadsTo).catch(async (cause: unknown) => {
        throw new Error(`a click on ${selector} led to ${page.url()}: ${await page.textContent('h1')}`, { cause })
      })
      await look()
    },
    close: async () => await context.close(),
  }
}
