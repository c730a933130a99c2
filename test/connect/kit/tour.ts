import type { BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '../../harness/browser.ts'
import { agree, submit, type Way } from './clicks.ts'
import { openStage, type Stage } from './stage.ts'
import { waysTo } from './ways.ts'

type Chromium = Awaited<ReturnType<typeof openBrowser>>
type ContextOptions = NonNullable<Parameters<Chromium['browser']['newContext']>[0]>

/** A visitor with a browser window of its own; `complaints` fills with what the browser's console says. */
interface Visitor {
  page: Page
  context: BrowserContext
  complaints: string[]
}

/** The owner's pages and a browser to see them with. */
export interface Tour {
  stage: Stage
  visit(options?: ContextOptions): Promise<Visitor>
  /** How an owner comes to a page, by the page's name. */
  ways: Record<string, Way>
  agree: Way
  submit: Way
  /** What the first sync does in the end, as far as the owner sees it. */
  makeReady(): Promise<void>
  close(): Promise<void>
}

export async function openTour(options: Parameters<typeof openStage>[0] = {}): Promise<Tour> {
  const stage = await openStage(options)
  // So that the first page of the list has banks that are chosen often.
  await stage.deps.database.query(
    `update institutions set connected = 3 where id in (select id from institutions where 'CA' = any(countries) order by name, id limit 3)`,
  )
  const chromium = await openBrowser()
  const makeReady = async () => {
    await stage.deps.database.query('update connections set status = 19, published_at = clock_timestamp() where status = 9')
  }
  return {
    stage,
    visit: (options) => openVisit(chromium, options),
    ways: waysTo(stage, makeReady),
    agree,
    submit,
    makeReady,
    close: async () => {
      await chromium.close()
      await stage.close()
    },
  }
}

async function openVisit(chromium: Chromium, options: ContextOptions = {}): Promise<Visitor> {
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
