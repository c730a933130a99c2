import type { Browser, BrowserContext, Page } from 'playwright-core'
import { buildPortal } from '../../../src/process/built/portal-files.ts'
import type { Database } from '../../../src/store/db/database.ts'
import { openBrowser } from '../../harness/browser.ts'
import { Client } from '../../journey/client.ts'
import { type OwnerBrowser, openOwnerBrowser } from '../../journey/owner-browser.ts'
import { quickbooksWalk } from '../../journey/walks.ts'
import { openSandbox } from '../../process/sandbox.ts'
import { readLogin, type Service } from '../../process/service.ts'

export interface Login {
  email: string
  password: string
}

/** A browser window; `complaints` collects its console messages. */
export interface BrowserPage {
  page: Page
  context: BrowserContext
  complaints: string[]
}

export type BrowserPageOptions = NonNullable<Parameters<Browser['newContext']>[0]> & { isSignedIn?: boolean }

/** A portal with a browser. */
export interface Portal<Shown> {
  /** Opens a new window. */
  visit(options?: BrowserPageOptions): Promise<Shown>
  /** Goes to an address below `/portal`, and waits until everything is loaded. */
  go(page: Page, path: string): Promise<void>
  close(): Promise<void>
}

/** The complete service in its own process in the sandbox, with its built portal. */
export interface PortalHarness extends Portal<BrowserPage> {
  service: Service
  /** Database of the service. */
  database: Database
  client: Client
  login: Login
  /** A business owner with a separate browser. */
  openOwner(): Promise<OwnerBrowser>
  /** Connects a company to QuickBooks as its owner would. */
  connectBooks(companyId: string): Promise<string>
}

export async function openPortalHarness(): Promise<PortalHarness> {
  await buildPortal()
  const sandbox = await openSandbox()
  const { service, database } = sandbox
  const chromium = await openBrowser()
  const client = await Client.logIn(service)
  const login = await readLogin(service.dataDir)

  async function visit(options?: BrowserPageOptions): Promise<BrowserPage> {
    const context = await openContext(chromium.browser, service.baseUrl, login, options)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${page.url()}: ${message.text()}`)
    })
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`))
    return { page, context, complaints }
  }

  const openOwner = () => openOwnerBrowser(chromium.browser, { origin: service.baseUrl, locale: 'en-CA' })

  return {
    service,
    database,
    client,
    login,
    visit,
    openOwner,
    go: (page, path) => goTo(page, service.baseUrl, path),
    connectBooks: async (companyId) => {
      const { id } = await client.service('QuickBooks Online')
      const owner = await openOwner()
      await quickbooksWalk.toLogin(owner, await client.link(companyId, id))
      await quickbooksWalk.throughSource(owner)
      await owner.close()
      await client.connectionInStatus(companyId, [15, 19])
      return id
    },
    close: async () => {
      await chromium.close()
      await sandbox.close()
    },
  }
}

/** Opens a browser context, signed in by default: as on the sign-in page, the refresh token is stored in a cookie. */
export async function openContext(
  browser: Browser,
  origin: string,
  login: Login,
  { isSignedIn = true, ...options }: BrowserPageOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-CA', reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(15_000)
  if (!isSignedIn) return context
  const response = await context.request.post(`${origin}/admin/api/v1/auth/login`, { data: { ...login, keep: 'cookie' } })
  if (!response.ok()) throw new Error(await response.text())
  await context.addInitScript(`localStorage.setItem('portal-session', 'yes')`)
  return context
}

/** Goes to an address below `/portal`. */
export async function goTo(page: Page, origin: string, path: string): Promise<void> {
  await page.goto(`${origin}/portal${path}`)
  await settle(page)
}

/** Waits until there is a heading and nothing is being loaded. */
export async function settle(page: Page): Promise<void> {
  await page.waitForSelector('h1')
  await page.locator('.waiting').first().waitFor({ state: 'detached' })
}
