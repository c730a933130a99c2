import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { getOwnerPages, saveOwnerPages } from '../../src/store/owners/owner-pages.ts'
import { findOwnerTimeZone } from '../../src/store/owners/owner-time-zones.ts'
import { issueOwnerAccess } from '../../src/sync/owner/owner-access.ts'
import { openBrowserHarness } from '../connect/kit/browser-harness.ts'
import { agree, submit } from '../connect/kit/clicks.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'

/** 19:30 in Montréal, 16:30 in Vancouver, on 22 November. */
const EVENING = new Date('2026-11-23T00:30:00Z')
const STATEMENT = new URL('../../simulators/statements/caisse-du-plateau.ofx', import.meta.url).pathname

describe.skipIf(lacksBrowser)(`dates of a permission use the owner’s time zone${browserNote}`, () => {
  const tour = openForTests(openBrowserHarness)

  beforeAll(() => {
    Object.assign(tour.connectHarness.deps, { now: () => EVENING })
  })

  const readConsent = async (companyId: string) => {
    const { rows } = await tour.connectHarness.deps.database.query<{ zone: string; texts: Record<string, string[]> }>(
      `select k.time_zone as zone, t.texts from consents k join consent_texts t on t.instance_id = k.instance_id and t.hash = k.text_hash
       where k.company_id = $1`,
      [companyId],
    )
    return rows[0]
  }

  async function connect(page: Page, companyId: string): Promise<string> {
    await page.goto(await tour.connectHarness.link('bank-files', companyId))
    const terms = await page.innerText('body')
    await agree(page)
    await page.setInputFiles('#field-files', STATEMENT)
    await submit(page)
    await page.waitForURL(/connect\/done/)
    return terms.replaceAll('\u00a0', ' ')
  }

  async function openOwnPage(page: Page, companyId: string, language: 'en' | 'fr-CA'): Promise<string> {
    await page.goto(await issueOwnerAccess(tour.connectHarness.deps, { instanceId: tour.connectHarness.instanceId, companyId, language }))
    await page.waitForURL(/connect\/yours/)
    return (await page.innerText('body')).replaceAll('\u00a0', ' ')
  }

  it('an evening in Montréal has Montréal’s date: terms, ledger, own page, receipt', async () => {
    const { page, context, complaints } = await tour.visit({ timezoneId: 'America/Toronto', locale: 'fr-CA' })
    const companyId = await tour.connectHarness.addCompany('Boulangerie du Plateau')
    const terms = await connect(page, companyId)
    expect(terms).toContain('jusqu’au 22 novembre 2027')
    expect(terms).toContain('heure de l’Est')
    const consent = await readConsent(companyId)
    expect(consent?.zone).toBe('America/Toronto')
    expect(consent?.texts.en?.join(' ').replaceAll('\u00a0', ' ')).toContain('November 22, 2027')
    const own = await openOwnPage(page, companyId, 'fr-CA')
    expect(own).toMatch(/22 novembre 2027/)
    expect(own).not.toContain('UTC')
    await page.click('main a[href*="yours/withdraw"]')
    await page.click('form[method=post] button')
    await page.waitForURL(/yours\/receipt/)
    const receipt = (await page.innerText('main')).replaceAll(/[\u00a0\u202f]/g, ' ')
    expect(receipt).toMatch(/Fuseau horaire\s+heure de l’Est/)
    expect(receipt).toMatch(/Autorisation donnée le\s+22 novembre 2026, 19 h 30 HNE/)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('without scripts it is the lender’s date, and later that of the permission', async () => {
    const { deps, instanceId } = tour.connectHarness
    const pages = await getOwnerPages(deps.database, instanceId)
    await saveOwnerPages(deps.database, instanceId, { ...pages, timeZone: 'America/Vancouver' })
    const { page, context } = await tour.visit({ javaScriptEnabled: false })
    const companyId = await tour.connectHarness.addCompany('Cidrerie du Lac')
    const terms = await connect(page, companyId)
    expect([terms.includes('until November 22, 2027'), terms.includes('Pacific Time')]).toEqual([true, true])
    await saveOwnerPages(deps.database, instanceId, { ...pages, timeZone: null })
    expect(await findOwnerTimeZone(deps.database, { instanceId, companyId })).toBe('America/Vancouver')
    expect(await openOwnPage(page, companyId, 'en')).toContain('November 22, 2027')
    await context.close()
  })

  it.each(['Mars/Olympus', 'America/Toronto%0d%0ax'])(
    'an unknown time zone (%s) changes nothing, and the page loads once',
    async (zone) => {
      const { page, context } = await tour.visit({ javaScriptEnabled: false })
      await context.addCookies([{ name: 'zone', value: zone, url: tour.connectHarness.origin }])
      await page.goto(await tour.connectHarness.link('bank-files'))
      expect(await page.getAttribute('html', 'data-zone')).toBe('UTC')
      await context.close()
    },
  )

  it('a browser that stores no time zone is not asked endlessly', async () => {
    const { page, context } = await tour.visit({ timezoneId: 'Asia/Kolkata' })
    await context.addInitScript(`Object.defineProperty(Document.prototype, 'cookie', { get: () => '', set: () => undefined })`)
    let loads = 0
    page.on('request', (request) => {
      if (request.isNavigationRequest() && request.url().includes('/connect/consent')) loads += 1
    })
    await page.goto(await tour.connectHarness.link('bank-files'))
    await page.waitForSelector('h1')
    expect([loads, await page.getAttribute('html', 'data-zone')]).toEqual([1, 'UTC'])
    await context.close()
  })
})
