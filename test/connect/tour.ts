import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '../browser.ts'
import { openStage, type Stage } from './stage.ts'

const statement = fileURLToPath(new URL('../../simulators/statements/caisse-du-plateau.ofx', import.meta.url))

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
  ways: Record<string, (page: Page) => Promise<unknown>>
  agree(page: Page): Promise<void>
  submit(page: Page): Promise<void>
  /** What the first sync does in the end, as far as the owner sees it. */
  makeReady(): Promise<void>
  close(): Promise<void>
}

export async function openTour(): Promise<Tour> {
  const stage = await openStage()
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

const agree = async (page: Page) => await page.click('button[value=agree]')
const submit = async (page: Page) => await page.click('form[method=post] button')

function waysTo(stage: Stage, makeReady: () => Promise<void>): Tour['ways'] {
  const open = async (page: Page, source: Parameters<Stage['link']>[0]) => {
    await page.goto(await stage.link(source))
    await agree(page)
  }
  const upload = async (page: Page, file: Parameters<Page['setInputFiles']>[1]) => {
    await open(page, 'bank-files')
    await page.setInputFiles('#field-files', file)
    await submit(page)
  }
  return {
    consent: async (page) => await page.goto(await stage.link('quickbooks')),
    'consent-upload': async (page) => await page.goto(await stage.link('bank-files')),
    'consent-bank': async (page) => await page.goto(await stage.link('plaid')),
    bank: (page) => open(page, 'plaid'),
    'bank-none': async (page) => {
      await open(page, 'plaid')
      await page.fill('#search', 'xyzzy')
      await page.press('#search', 'Enter')
      await page.waitForURL(/search=xyzzy/)
    },
    'bank-missing': async (page) => {
      await open(page, 'plaid')
      await page.click('a[href*="missing"]')
      await submit(page)
      await page.waitForSelector('.summary')
    },
    'bank-noted': async (page) => {
      await open(page, 'plaid')
      await page.click('a[href*="missing"]')
      await page.fill('#field-name', 'Caisse des Îles')
      await submit(page)
      await page.waitForURL(/noted/)
    },
    'bank-chosen': async (page) => {
      await open(page, 'plaid')
      await page.click('.banks a')
      await page.waitForURL(/connect\/source/)
    },
    redirect: (page) => open(page, 'quickbooks'),
    books: async (page) => {
      await open(page, 'shared-login')
      await submit(page)
      await page.waitForURL(/connect\/books/)
    },
    widget: async (page) => {
      await open(page, 'widget-source')
      await submit(page)
      await page.frameLocator('iframe').locator('#share').waitFor()
    },
    'widget-failed': async (page) => {
      await open(page, 'widget-source')
      stage.widget.isUp = false
      await submit(page)
      await page.waitForSelector('#widget-failed:focus')
      stage.widget.isUp = true
    },
    'books-none': async (page) => {
      await open(page, 'shared-login')
      await submit(page)
      await page.waitForURL(/connect\/books/)
      await submit(page)
      await page.waitForSelector('.summary')
    },
    form: (page) => open(page, 'form-source'),
    'form-wrong': async (page) => {
      await open(page, 'form-source')
      await page.fill('#field-address', 'https://ledger.example.com')
      await page.fill('#field-password', 'wrong')
      await submit(page)
      await page.waitForSelector('.summary')
    },
    upload: (page) => open(page, 'bank-files'),
    'upload-wrong': async (page) => {
      await upload(page, { name: 'vacances.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no statement') })
      await page.waitForSelector('.summary')
    },
    done: async (page) => {
      await upload(page, statement)
      await page.waitForURL(/connect\/done/)
    },
    'done-ready': async (page) => {
      await upload(page, statement)
      await page.waitForSelector('.state.waiting')
      await makeReady()
      await page.waitForSelector('.state.ready')
    },
    'link-unknown': async (page) => await page.goto(`${stage.origin}/connect?token=x`),
    'session-lost': async (page) => await page.goto(`${stage.origin}/connect/consent`),
    declined: async (page) => {
      await page.goto(await stage.link('quickbooks'))
      await page.click('button[value=decline]')
    },
  }
}
