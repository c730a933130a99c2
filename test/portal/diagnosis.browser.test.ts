import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { connectQuickbooks } from '../journey/http-walks.ts'
import { quickbooksWalk } from '../journey/walks.ts'
import { until } from '../process/deadline.ts'
import { CONNECTION_FAULTS, causeFaults } from './harness/connection-faults.ts'
import { openPortalHarness, settle } from './harness/portal-harness.ts'

const COMPANY = 'Chaudronnerie Lachine'
const LOCALES = ['en-CA', 'fr-CA'] as const

/** What a page must say, in both languages: the cause, and who can fix it. */
const CAUSES = {
  accessWithdrawn: ['Access ended at the source', 'L’accès a pris fin à la source', 'owner'],
  consentExpired: ['The consent has expired', 'Le consentement a expiré', 'owner'],
  codeNeeded: ['asks the owner for a security code', 'demande au propriétaire un code de sécurité', 'owner'],
  loginChanged: ['The user name or password at the source has changed', 'mot de passe a changé à la source', 'owner'],
  otherEntity: ['The source answered for another company file', 'La source a répondu pour une autre comptabilité', 'owner'],
  declined: ['The owner declined on the source’s page', 'Le propriétaire a refusé sur la page de la source', 'owner'],
  timedOut: ['did not come back in time', 'n’en est pas revenu à temps', 'owner'],
  sourceLimited: ['The source’s rate limit was reached (429)', 'limite le nombre de demandes (429)', 'source'],
  sourceUnavailable: ['is down or returned a server error', 'est en panne ou répond par une erreur', 'source'],
  badData: ['returned data that cannot be read', 'a répondu quelque chose d’illisible', 'source'],
  tooManySetAside: ['Too many records could not be normalized', 'Trop d’enregistrements n’ont pu être normalisés', 'service'],
  keysRefused: ['rejects the application’s keys', 'refuse les clés de l’application', 'keys'],
  internal: ['This service failed', 'Ce service a échoué', 'service'],
} as const
type Cause = keyof typeof CAUSES

const PARTIES = {
  owner: ['Caused by the owner’s access', 'Lié à l’accès du propriétaire'],
  source: ['Caused by the source', 'Lié à la source'],
  keys: ['Caused by the keys for this source', 'Lié aux clés de cette source'],
  service: ['Caused by this service', 'Lié à ce service'],
} as const

/** Faults of the QuickBooks simulator, by name; in an order in which none hides the next. */
const WAITS: readonly (readonly [string, Cause, 'here' | 'elsewhere'])[] = [
  ['unavailable', 'sourceUnavailable', 'elsewhere'],
  ['truncated', 'badData', 'here'],
  ['throttle', 'sourceLimited', 'here'],
]

describe.skipIf(lacksBrowser)(`a developer finds the cause of any failed connection within three clicks${browserNote}`, () => {
  const harness = openForTests(openPortalHarness)
  let pages: Page[]
  let companyId: string
  /** Connected to other books, to which the first connection's pause does not apply. */
  let elsewhere: string
  let serviceId: string
  let broken: Awaited<ReturnType<typeof causeFaults>>

  beforeAll(async () => {
    pages = await Promise.all(LOCALES.map(async (locale) => (await harness.visit({ locale })).page))
    companyId = await harness.client.addCompany(COMPANY)
    serviceId = await harness.connectBooks(companyId)
    elsewhere = await harness.client.addCompany('Elsewhere Inc.')
    await connectQuickbooks(harness.service.baseUrl, await harness.client.link(elsewhere, serviceId), { realmId: '4620816365200000202' })
    await harness.client.connectionInStatus(elsewhere, [15])
    broken = await causeFaults(harness, harness.database)
  }, 180_000)
  afterEach(() => clear())
  const arm = (name: string) => harness.client.ask('/sandbox/simulators/quickbooks/faults', { method: 'POST', body: { name, times: 100 } })
  const clear = () => harness.client.ask('/sandbox/simulators/quickbooks/faults', { method: 'DELETE' })
  const stateOf = async (company: string) => {
    const { body } = await harness.client.ask(`/normalized-data/company/${company}/data-connection/${serviceId}/status`)
    const { faultCode, trouble }: { faultCode: string | null; trouble: { code: string } | null } = JSON.parse(body)
    return { fault: faultCode, trouble: trouble?.code ?? null }
  }

  const isGood = async (company: string) => {
    const { fault, trouble } = await stateOf(company)
    return fault === null && trouble === null
  }

  /**
   * From the first page: the inbox (one click) names the cause; the connection (two) does too, with who can fix it and
   * how.
   */
  async function look(cause: Cause, name: string): Promise<void> {
    const party = PARTIES[CAUSES[cause][2]]
    for (const [index, page] of pages.entries()) {
      const said = CAUSES[cause][index] ?? ''
      await harness.go(page, '/companies')
      await page.click('nav a[href$="/inbox"]')
      await settle(page)
      const item = page.locator('article, tr').filter({ hasText: name }).filter({ hasText: said }).first()
      await item.waitFor()
      await item.locator('a[href*="/connections/"]').first().click()
      await page.waitForURL(/\/connections\//)
      await settle(page)
      const box = page.locator(`.cause[data-code=${cause}]`)
      await box.locator(`text=${said}`).waitFor()
      const words = await box.innerText()
      expect(words).toMatch(index === 0 ? /What to do · \S/ : /Marche à suivre · \S/)
      expect(words).toContain(party[index])
    }
  }

  it.each(WAITS)('%s: a fault that resolves itself says so', async (fault, cause, where) => {
    const [company, name] = where === 'here' ? [companyId, COMPANY] : [elsewhere, 'Elsewhere Inc.']
    // A persistent fault becomes the connection's, and a connection still being retried would be affected by this
    // fault, too.
    for (const each of [companyId, elsewhere]) {
      if (await isGood(each)) continue
      await harness.client.refresh(each, serviceId)
      await until('a good reading', async () => ((await isGood(each)) ? true : null))
    }
    await arm(fault)
    await harness.client.refresh(company, serviceId)
    await until(`the trouble ${cause}`, async () => ((await stateOf(company)).trouble === cause ? true : null))
    await look(cause, name)
  })

  it('revoked: the owner must act, and the link to send is one click away', async () => {
    await arm('revoked')
    await harness.client.refresh(elsewhere, serviceId)
    await harness.client.connectionInStatus(elsewhere, [8])
    await look('accessWithdrawn', 'Elsewhere Inc.')
    for (const page of pages) {
      await page.locator('.cause button').first().click()
      await page.locator('.made-link pre').waitFor()
    }
  })

  it('other books than before: the person who tries the repair is named, too', async () => {
    // Selects other books than those of the connection.
    const owner = await harness.openOwner()
    await quickbooksWalk.toLogin(owner, await harness.client.link(elsewhere, serviceId))
    await owner.page.click('button[value=connect]')
    await until('the refusal', async () => ((await stateOf(elsewhere)).fault === 'otherEntity' ? true : null))
    await owner.close()
    await look('otherEntity', 'Elsewhere Inc.')
  })

  it.each(CONNECTION_FAULTS.toReversed())('%s, too', async (cause) => {
    await broken.until(cause)
    await look(cause, broken.nameOf(cause))
  })
})
