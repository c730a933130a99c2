import type { BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '../../harness/browser.ts'
import { agree, type PageRoute, submit } from './clicks.ts'
import { type ConnectHarness, openConnectHarness } from './harness.ts'
import { pageRoutes } from './page-routes.ts'

type Chromium = Awaited<ReturnType<typeof openBrowser>>
type ContextOptions = NonNullable<Parameters<Chromium['browser']['newContext']>[0]>

/** A visitor with a browser window of its own; `complaints` fills with what the browser's console says. */
interface BrowserPage {
  page: Page
  context: BrowserContext
  complaints: string[]
}

/** The owner's pages and a browser to see them with. */
export interface BrowserHarness {
  connectHarness: ConnectHarness
  visit(options?: ContextOptions): Promise<BrowserPage>
  /** How an owner comes to a page, by the page's name. */
  routes: Record<string, PageRoute>
  agree: PageRoute
  submit: PageRoute
  /** What the first sync does in the end, as far as the owner sees it. */
  makeReady(): Promise<void>
  close(): Promise<void>
}

export async function openBrowserHarness(options: Parameters<typeof openConnectHarness>[0] = {}): Promise<BrowserHarness> {
  const harness = await openConnectHarness(options)
  // So that the first page of the list has banks that are chosen often.
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
    // A page that answers 4xx or 5xx is itself such a complaint.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return { page, context, complaints }
}
