import type { BrowserContext, Page } from 'playwright-core'
import { buildPortal } from '../../src/portal-files.ts'
import { openBrowser } from '../browser.ts'
import { Client } from '../journey/client.ts'
import { type OwnerBrowser, openOwnerBrowser } from '../journey/owner-browser.ts'
import { quickbooksWalk } from '../journey/walks.ts'
import { openTestFolder, readLogin, type Service, startService } from '../process/service.ts'

export interface Login {
  email: string
  password: string
}

/** A browser window; `complaints` fills with what its console says. */
export interface Visit {
  page: Page
  context: BrowserContext
  complaints: string[]
}

export type VisitOptions = Parameters<Awaited<ReturnType<typeof openBrowser>>['browser']['newContext']>[0] & { isSignedIn?: boolean }

/** The whole service as a process of its own in the sandbox, its portal built, and a browser before it. */
export interface PortalStage {
  service: Service
  client: Client
  login: Login
  /** By the title of the window, once the page is there. */
  visit(options?: VisitOptions): Promise<Visit>
  /** Goes to an address below `/portal`, and waits until nothing is loading. */
  go(page: Page, path: string): Promise<void>
  /** A business owner at a screen of their own. */
  openOwner(): Promise<OwnerBrowser>
  /** Connects a company to QuickBooks as its owner would. */
  connectBooks(companyId: string): Promise<string>
  close(): Promise<void>
}

export async function openPortalStage({ environment = {} }: { environment?: Record<string, string> } = {}): Promise<PortalStage> {
  const folder = await openTestFolder()
  await buildPortal()
  const service = await startService({ dataDir: folder.path, environment })
  const chromium = await openBrowser()
  const client = await Client.logIn(service)
  const login = await readLogin(folder.path)

  async function visit({ isSignedIn = true, ...options }: VisitOptions = {}): Promise<Visit> {
    const context = await chromium.browser.newContext({ locale: 'en-CA', reducedMotion: 'reduce', ...options })
    context.setDefaultTimeout(15_000)
    if (isSignedIn) await signIn(context)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${page.url()}: ${message.text()}`)
    })
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`))
    return { page, context, complaints }
  }

  /** As the sign-in page does it: the refresh token goes into a cookie. */
  async function signIn(context: BrowserContext): Promise<void> {
    const response = await context.request.post(`${service.baseUrl}/admin/api/v1/auth/login`, { data: { ...login, keep: 'cookie' } })
    if (!response.ok()) throw new Error(await response.text())
    await context.addInitScript(`localStorage.setItem('portal-session', 'yes')`)
  }

  const openOwner = () => openOwnerBrowser(chromium.browser, { origin: service.baseUrl, locale: 'en-CA' })

  return {
    service,
    client,
    login,
    visit,
    openOwner,
    go: async (page, path) => {
      await page.goto(`${service.baseUrl}/portal${path}`)
      await settle(page)
    },
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
      await service.stop()
      await folder.remove()
    },
  }
}

/** A heading is there and nothing is still being read. */
export async function settle(page: Page): Promise<void> {
  await page.waitForSelector('h1')
  await page.locator('.waiting').first().waitFor({ state: 'detached' })
}
