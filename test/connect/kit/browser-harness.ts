import type { BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '../../harness/browser.ts'
import { agree, type PageRoute, submit } from './clicks.ts'
import { type ConnectHarness, openConnectHarness } from './harness.ts'
import { pageRoutes } from './page-routes.ts'

type Chromium = Awaited<ReturnType<typeof openBrowser>>
type ContextOptions = NonNullable<Parameters<Chromium['browser']['newContext']>[0]>

/** A visitor with a separate browser window; `complaints` collects messages of the browser's console. */
export interface BrowserPage {
  page: Page
  context: BrowserContext
  complaints: string[]
}

/** The owner's pages and a browser to view them. */
export interface BrowserHarness {
  connectHarness: ConnectHarness
  visit(options?: ContextOptions): Promise<BrowserPage>
  /** How an owner reaches a page, by page name. */
  routes: Record<string, PageRoute>
  agree: PageRoute
  submit: PageRoute
  /** Makes the first sync look finished to the owner. */
  makeReady(): Promise<void>
  close(): Promise<void>
}

export async function openBrowserHarness(options: Parameters<typeof openConnectHarness>[0] = {}): Promise<BrowserHarness> {
  const harness = await openConnectHarness(options)
  // Puts frequently selected banks on the first page of the list.
  await harness.deps.database.query(
    `update institutions set connected = 3 where id in (select id from institutions where 'CA' = any(countries) order by name, id limit 3)`,
  )
  const chromium = await openBrowser()
  const makeReady = async () => {
    await harness.deps.database.query('update connections set status = 19, published_at = clock_timestamp() where status = 9')
  }
  return {
    connectHarness: harness,
    visit: (options) => openVisit(chromium, options),
    routes: pageRoutes(harness, makeReady),
    agree,
    submit,
    makeReady,
    close: async () => {
      await chromium.close()
      await harness.close()
    },
  }
}

async function openVisit(chromium: Chromium, options: ContextOptions = {}): Promise<BrowserPage> {
  const context = await chromium.browser.newContext({ locale: 'en-CA', ...options })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // The browser logs a page with status 4xx or 5xx itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return { page, context, complaints }
}
