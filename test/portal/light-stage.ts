import type { Browser, Page } from 'playwright-core'
import { portalRoutes } from '../../src/api/routes/portal.ts'
import { PASSWORD, type TestApi, testApi } from '../../src/api/test-api.ts'
import { buildPortal, portalFolder } from '../../src/portal-files.ts'
import { openBrowser } from '../browser.ts'
import { settle } from './stage.ts'

type VisitOptions = NonNullable<Parameters<Browser['newContext']>[0]> & { isSignedIn?: boolean }

/** The API and the portal in this process, without sources and workers, and a browser before them. */
export interface LightStage {
  api: TestApi
  origin: string
  /** Who signs in: an admin. */
  email: string
  /** The time stands still there. */
  visit(options?: VisitOptions): Promise<Page>
  /** Goes to an address below `/portal`, and waits until nothing is loading. */
  go(page: Page, path: string): Promise<void>
  close(): Promise<void>
}

export async function openLightStage(): Promise<LightStage> {
  const api = await testApi()
  const { email } = await api.addUser()
  await buildPortal()
  await api.app.register(portalRoutes(portalFolder))
  const origin = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const chromium = await openBrowser()
  return {
    api,
    origin,
    email,
    visit: async ({ isSignedIn = true, ...options } = {}) => {
      const context = await chromium.browser.newContext({ locale: 'en-CA', reducedMotion: 'reduce', ...options })
      context.setDefaultTimeout(15_000)
      await context.clock.setFixedTime(api.deps.now())
      if (isSignedIn) {
        await context.request.post(`${origin}/admin/api/v1/auth/login`, { data: { email, password: PASSWORD, keep: 'cookie' } })
        await context.addInitScript(`localStorage.setItem('portal-session', 'yes')`)
      }
      return await context.newPage()
    },
    go: async (page, path) => {
      await page.goto(`${origin}/portal${path}`)
      await settle(page)
    },
    close: async () => {
      await chromium.close()
      await api.close()
    },
  }
}
