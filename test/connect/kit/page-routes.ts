import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { findInstitution } from '../../../src/store/sources/institutions.ts'
import { agree, type PageRoute, submit } from './clicks.ts'
import type { ConnectHarness } from './harness.ts'
import { holdBank } from './held-bank.ts'
import { MORE_PAGES, morePageRoutes } from './more-page-routes.ts'

const statement = fileURLToPath(new URL('../../../simulators/statements/caisse-du-plateau.ofx', import.meta.url))

type PageName = (typeof PAGES)[number]

/** Pages of the tour, in an owner's order. */
export const PAGES = [
  'consent',
  'consent-upload',
  'consent-bank',
  'bank',
  'bank-typed',
  'bank-none',
  'bank-missing',
  'bank-missing-wrong',
  'bank-noted',
  'bank-chosen',
  'bank-held',
  'redirect',
  'books',
  'books-none',
  'widget',
  'widget-failed',
  'form',
  'form-wrong',
  'upload',
  'upload-wrong',
  'done',
  'done-ready',
  'declined',
  'link-unknown',
  'session-lost',
  'accessibility',
  'accessibility-without-link',
  ...MORE_PAGES,
] as const

/** How an owner reaches each page, in each of its states. */
export function pageRoutes(harness: ConnectHarness, makeReady: () => Promise<void>): Record<PageName, PageRoute> {
  const open = async (page: Page, source: Parameters<ConnectHarness['link']>[0]) => {
    await page.goto(await harness.link(source))
    await agree(page)
  }
  const upload = async (page: Page, file: Parameters<Page['setInputFiles']>[1]) => {
    await open(page, 'bank-files')
    await page.setInputFiles('#field-files', file)
    await submit(page)
  }
  const redirect: PageRoute = (page) => open(page, 'quickbooks')
  const done: PageRoute = async (page) => {
    await upload(page, statement)
    await page.waitForURL(/connect\/done/)
  }
  return {
    ...morePageRoutes({ origin: harness.origin, redirect, done }),
    consent: async (page) => await page.goto(await harness.link('quickbooks')),
    'consent-upload': async (page) => await page.goto(await harness.link('bank-files')),
    'consent-bank': async (page) => await page.goto(await harness.link('plaid')),
    bank: (page) => open(page, 'plaid'),
    'bank-typed': async (page) => {
      await open(page, 'plaid')
      await page.fill('#search', 'caisse')
      await page.waitForSelector('#search[aria-expanded=true]')
      await page.press('#search', 'ArrowDown')
    },
    'bank-none': async (page) => {
      await open(page, 'plaid')
      await page.fill('#search', 'xyzzy')
      await page.press('#search', 'Enter')
      await page.waitForURL(/search=xyzzy/)
    },
    'bank-missing': async (page) => {
      await open(page, 'plaid')
      await page.click('a[href*="missing"]')
      await page.waitForURL(/missing/)
    },
    'bank-missing-wrong': async (page) => {
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
    'bank-held': async (page) => {
      const companyId = await harness.addCompany('Boulangerie du Plateau')
      await page.goto(await harness.link('plaid', companyId))
      await agree(page)
      // From the directory: the page shows a long name truncated.
      const choice = new URL((await page.getAttribute('.banks a', 'href')) ?? '', harness.origin)
      const bank = await findInstitution(harness.deps.database, 'plaid', choice.searchParams.get('institution') ?? '')
      await holdBank(harness, companyId, bank?.name ?? '')
      await page.click('.banks a')
      await page.waitForSelector('.notice[role=note]')
    },
    redirect,
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
      harness.widget.isUp = false
      await submit(page)
      await page.waitForSelector('#widget-failed:focus')
      harness.widget.isUp = true
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
    done,
    'done-ready': async (page) => {
      await upload(page, statement)
      await page.waitForSelector('.state.waiting')
      await makeReady()
      await page.waitForSelector('.state.ready')
    },
    'link-unknown': async (page) => await page.goto(`${harness.origin}/connect?token=x`),
    'session-lost': async (page) => await page.goto(`${harness.origin}/connect/consent`),
    accessibility: async (page) => {
      await page.goto(await harness.link('quickbooks'))
      await page.click('footer a')
      await page.waitForURL(/accessibility/)
    },
    'accessibility-without-link': async (page) => await page.goto(`${harness.origin}/connect/accessibility`),
    declined: async (page) => {
      await page.goto(await harness.link('quickbooks'))
      await page.click('button[value=decline]')
    },
  }
}
