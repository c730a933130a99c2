import type { Page } from 'playwright-core'
import { portalRoutes } from '../../../src/api/routes/portal.ts'
import type { ConnectorDescription } from '../../../src/connectors/contract/contract.ts'
import { buildPortal, portalFolder } from '../../../src/process/built/portal-files.ts'
import { openBrowser } from '../../harness/browser.ts'
import { PASSWORD, type TestApi, testApi } from '../../harness/test-api.ts'
import { goTo, openContext, type Portal } from './portal-harness.ts'

/**
 * The API and the portal in this process, without workers, and with no sources but those that are given. The time
 * stands still in its windows.
 */
export interface InProcessHarness extends Portal<Page> {
  api: TestApi
  origin: string
  /** The user who signs in, an admin. */
  email: string
}

/** `publicPort`: served at `http://localhost`, as its settings say, for passkeys, which need a host name. */
export async function openInProcessHarness(
  descriptions: readonly ConnectorDescription[] = [],
  publicPort: number | null = null,
): Promise<InProcessHarness> {
  const publicUrl = publicPort === null ? null : `http://localhost:${publicPort}`
  const api = await testApi(publicUrl === null ? {} : { issuer: publicUrl, publicUrl }, undefined, undefined, descriptions)
  const { email } = await api.addUser()
  await buildPortal()
  await api.app.register(portalRoutes(portalFolder))
  const listening = await api.app.listen({ host: '127.0.0.1', port: publicPort ?? 0 })
  const origin = publicUrl ?? listening
  const chromium = await openBrowser()
  return {
    api,
    origin,
    email,
    visit: async (options) => {
      const context = await openContext(chromium.browser, origin, { email, password: PASSWORD }, options)
      await context.clock.setFixedTime(api.deps.now())
      return await context.newPage()
    },
    go: (page, path) => goTo(page, origin, path),
    close: async () => {
      await chromium.close()
      await api.close()
    },
  }
}
