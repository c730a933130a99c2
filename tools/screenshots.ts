import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowserHarness } from '../test/connect/kit/browser-harness.ts'
import { PAGES } from '../test/connect/kit/page-routes.ts'
import { openTestPostgres } from '../test/harness/global-setup.ts'
import { openPortalHarness, settle } from '../test/portal/harness/portal-harness.ts'
import { fillScreens } from '../test/portal/harness/screens.ts'

/**
 * Screenshots of every page of the portal and the owner pages, in both languages and themes, on a desktop and a phone:
 * `npm run screenshots [folder [page…]]`. Owner pages are called `owner-…`. It starts its own services, fills them,
 * and removes everything afterwards.
 */
const [folder = 'screenshots', ...wanted] = process.argv.slice(2)
const LOCALES = ['en-CA', 'fr-CA'] as const
const THEMES = ['light', 'dark'] as const
const SIZES = [
  ['wide', 1280],
  ['phone', 320],
] as const

/** Besides the pages: a dialog of each kind, a list without matches, and errors. */
const LOOKS = {
  'dialog-company': '/companies?do=add',
  'dialog-member': '/members?do=add',
  'dialog-endpoint': '/webhooks?do=add',
  'nothing-found': '/companies?search=xyzzy',
  problem: '/companies/00000000-0000-4000-8000-000000000000',
}

const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name)

async function photograph(page: Page, name: string, ready: () => Promise<void> = async () => undefined): Promise<void> {
  for (const colorScheme of THEMES) {
    for (const [size, width] of SIZES) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await ready()
      await page.screenshot({ path: resolve(folder, `${name}-${colorScheme}-${size}.png`), fullPage: true })
    }
  }
  process.stdout.write(`${name}\n`)
}

async function showOwnerPages(): Promise<void> {
  const tour = await openBrowserHarness()
  try {
    for (const locale of LOCALES) {
      for (const name of PAGES.filter((each) => isWanted(`owner-${each}`))) {
        const { page, context } = await tour.visit({ locale })
        await tour.routes[name]?.(page)
        await photograph(page, `owner-${name}-${locale}`)
        await context.close()
      }
    }
  } finally {
    await tour.close()
  }
}

async function showPortal(): Promise<void> {
  const receiver = createServer((_request, response) => response.writeHead(204).end()).listen(0, '127.0.0.1')
  await new Promise((listening) => receiver.once('listening', listening))
  const address = receiver.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  const stage = await openPortalHarness()
  try {
    const screens = { ...(await fillScreens(stage, `http://127.0.0.1:${port}/events`)), ...LOOKS, 'sign-in': null }
    for (const locale of LOCALES) {
      const inside = await stage.visit({ locale })
      const outside = await stage.visit({ locale, isSignedIn: false })
      for (const [name, path] of Object.entries(screens)) {
        if (!isWanted(name)) continue
        const { page } = path === null ? outside : inside
        await stage.go(page, path ?? '/')
        await photograph(page, `${name}-${locale}`, () => settle(page))
      }
      for (const { context } of [inside, outside]) await context.close()
    }
  } finally {
    await stage.close()
    receiver.close()
  }
}

await mkdir(folder, { recursive: true })
const postgres = await openTestPostgres()
process.env.TEST_POSTGRES_URL = postgres.url
try {
  if (PAGES.some((name) => isWanted(`owner-${name}`))) await showOwnerPages()
  if (wanted.length === 0 || wanted.some((name) => !name.startsWith('owner-'))) await showPortal()
} finally {
  await postgres.close()
}
