import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { agree, submit, type Way } from './clicks.ts'
import { MORE_PAGES, moreWays } from './more-ways.ts'
import type { Stage } from './stage.ts'

const statement = fileURLToPath(new URL('../../../simulators/statements/caisse-du-plateau.ofx', import.meta.url))

type PageName = (typeof PAGES)[number]

/** The pages of the tour, in an owner's order. */
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

/** How an owner comes to each page, and to each look that a page may have. */
export function waysTo(stage: Stage, makeReady: () => Promise<void>): Record<PageName, Way> {
  const open = async (page: Page, source: Parameters<Stage['link']>[0]) => {
    await page.goto(await stage.link(source))
    await agree(page)
  }
  const upload = async (page: Page, file: Parameters<Page['setInputFiles']>[1]) => {
    await open(page, 'bank-files')
    await page.setInputFiles('#field-files', file)
    await submit(page)
  }
  const redirect: Way = (page) => open(page, 'quickbooks')
  const done: Way = async (page) => {
    await upload(page, statement)
    await page.waitForURL(/connect\/done/)
  }
  return {
    ...moreWays({ origin: stage.origin, redirect, done }),
    consent: async (page) => await page.goto(await stage.link('quickbooks')),
    'consent-upload': async (page) => await page.goto(await stage.link('bank-files')),
    'consent-bank': async (page) => await page.goto(await stage.link('plaid')),
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
    done,
    'done-ready': async (page) => {
      await upload(page, statement)
      await page.waitForSelector('.state.waiting')
      await makeReady()
      await page.waitForSelector('.state.ready')
    },
    'link-unknown': async (page) => await page.goto(`${stage.origin}/connect?token=x`),
    'session-lost': async (page) => await page.goto(`${stage.origin}/connect/consent`),
    accessibility: async (page) => {
      await page.goto(await stage.link('quickbooks'))
      await page.click('footer a')
      await page.waitForURL(/accessibility/)
    },
    'accessibility-without-link': async (page) => await page.goto(`${stage.origin}/connect/accessibility`),
    declined: async (page) => {
      await page.goto(await stage.link('quickbooks'))
      await page.click('button[value=decline]')
    },
  }
}
