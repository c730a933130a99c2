import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { Owner } from '../connect/kit/owner.ts'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { connectQuickbooks } from '../journey/http-walks.ts'
import { until } from '../process/deadline.ts'
import { type BrowserPage, openPortalHarness } from './harness/portal-harness.ts'

const LOCALES = ['en-CA', 'fr-CA'] as const
type Locale = (typeof LOCALES)[number]

const SAID = {
  'en-CA': {
    good: 'Saved. The source accepts these keys.',
    refused: 'The source rejects these keys; nothing was changed',
    unreachable: 'Saved, but the keys could not be tested with the source.',
    stands: 'The source accepts these keys',
    noAddress: 'The owner of this company has given no address.',
    onItsWay: 'The e-mail is being sent.',
    setTitle: 'Set a new password',
    set: 'Your new password is set',
    back: 'Back to the portal',
    companies: 'Companies',
  },
  'fr-CA': {
    good: 'Enregistrées\u00a0: la source accepte ces clés.',
    refused: 'La source refuse ces clés; rien n’a été changé',
    unreachable: 'Enregistrées, mais les clés n’ont pu être vérifiées auprès de la source.',
    stands: 'La source accepte ces clés',
    noAddress: 'Le propriétaire de cette entreprise n’a donné aucune adresse.',
    onItsWay: 'Le courriel est en cours d’envoi.',
    setTitle: 'Choisir un nouveau mot de passe',
    set: 'Votre nouveau mot de passe est enregistré',
    back: 'Retour au portail',
    companies: 'Entreprises',
  },
} as const

describe.skipIf(lacksBrowser)(`keys and mail at the portal${browserNote}`, () => {
  const harness = openForTests(openPortalHarness)
  const visits: Partial<Record<Locale, BrowserPage>> = {}

  beforeAll(async () => {
    for (const locale of LOCALES) {
      const visit = await harness.visit({ locale, colorScheme: locale === 'fr-CA' ? 'dark' : 'light', bypassCSP: true })
      visits[locale] = visit
    }
  }, 180_000)

  const pageOf = (locale: Locale): Page => {
    const page = visits[locale]?.page
    if (!page) throw new Error(`no user for ${locale}`)
    return page
  }
  const arm = (name: string | null) =>
    harness.client.ask(
      '/sandbox/simulators/quickbooks/faults',
      name === null ? { method: 'DELETE' } : { method: 'POST', body: { name, times: 9 } },
    )

  describe.each(LOCALES)('keys of an own app in %s', (locale) => {
    const said = SAID[locale]
    const OWN = { clientId: 'sandbox-own-client', clientSecret: 'sandbox-own-secret' }
    const UNKNOWN = { clientId: 'sandbox-own-client', clientSecret: `canary-unknown-${locale}-4d1c77aa` }
    const answers: string[] = []

    /** Types both keys, waits for the result, and returns its text and what the page lacks. */
    async function save(keys: typeof OWN, told: string): Promise<string[]> {
      const page = pageOf(locale)
      await page.fill('input[name=clientId]', keys.clientId)
      await page.fill('input[name=clientSecret]', keys.clientSecret)
      await page.click('form.key-form button[type=submit]')
      await page.locator('form.key-form .mantine-Alert-root', { hasText: told }).waitFor()
      return await listViolations(page)
    }

    beforeAll(async () => {
      const page = pageOf(locale)
      page.on('response', async (response) => {
        if (response.url().includes('/admin/api/')) answers.push(await response.text().catch(() => ''))
      })
      await harness.go(page, '/catalogue/quickbooks')
    })

    it('that the source accepts are saved, and the fields are empty again', async () => {
      expect(await save(OWN, said.good)).toEqual([])
      const page = pageOf(locale)
      expect([await page.inputValue('input[name=clientId]'), await page.inputValue('input[name=clientSecret]')]).toEqual(['', ''])
    })

    it('that it refuses change nothing, and the page says so', async () => {
      expect(await save(UNKNOWN, said.refused)).toEqual([])
      await pageOf(locale).reload()
      await pageOf(locale).locator('.card', { hasText: said.stands }).waitFor()
    })

    it('are saved untested if the source cannot be reached', async () => {
      await arm('tokenUnavailable')
      const flaws = await save(OWN, said.unreachable)
      await arm(null)
      expect(flaws).toEqual([])
    })

    it('are never shown again, in no page and no response, and are stored sealed', async () => {
      const page = pageOf(locale)
      await page.reload()
      await page.locator('form.key-form').waitFor()
      const shown = `${await page.content()}${answers.join()}${harness.service.output()}`
      expect(answers.length).toBeGreaterThan(5)
      const { rows } = await harness.database.query<{ text: string }>(`select k::text as text from source_keys k`)
      const kept = rows.map(({ text }) => text).join()
      const secrets = [OWN.clientSecret, UNKNOWN.clientSecret]
      expect(secrets.filter((secret) => shown.includes(secret))).toEqual([])
      expect(rows.length).toBeGreaterThan(0)
      expect(secrets.filter((secret) => kept.includes(secret) || kept.includes(Buffer.from(secret).toString('hex')))).toEqual([])
    })
  })

  it.each(LOCALES)(
    'the link to the owner’s own page is mailed to the address that the owner gave, and to no other, in %s',
    async (locale) => {
      const said = SAID[locale]
      const page = pageOf(locale)
      const { id } = await harness.client.service('QuickBooks Online')
      const companyId = await harness.client.addCompany(`Courrier ${locale}`)
      const owner = new Owner(harness.service.baseUrl, { language: locale })
      const done = await connectQuickbooks(
        harness.service.baseUrl,
        await harness.client.link(companyId, id),
        { realmId: '4620816365200000101' },
        owner,
      )
      await harness.go(page, `/companies/${companyId}/connections/${id}?view=consents`)
      const send = page.locator('section.section').last().locator('button')
      await send.click()
      await page.locator(`[role=alert]:has-text("${said.noAddress}")`).waitFor()
      expect(await listViolations(page)).toEqual([])
      await owner.submit(done, { email: `owner-${locale}@example.com` })
      await send.click()
      await page.locator(`[role=status]:has-text("${said.onItsWay}")`).waitFor()
      expect(await listViolations(page)).toEqual([])
      expect(await mailTo(`owner-${locale}@example.com`, /\/connect\/yours\?\S+/)).toContain(`lang=${locale === 'fr-CA' ? 'fr-CA' : 'en'}`)
    },
  )

  it.each(LOCALES)('a mailed link sets a new password, whoever is signed in, in %s', async (locale) => {
    const said = SAID[locale]
    const email = `forgetful-${locale.toLowerCase()}@example.com`
    const body = { email, password: 'violet-harbour-teapot-91', name: 'Forgetful', role: 'viewer' }
    await harness.client.ask('/users', { method: 'POST', body })
    await harness.client.ask('/auth/forgotten-password', { method: 'POST', body: { email } })
    const link = await mailTo(email, /\S+\/portal\/new-password#\S+/)
    const page = pageOf(locale)
    await page.goto(link)
    await page.locator(`h1:has-text("${said.setTitle}")`).waitFor()
    expect(await listViolations(page)).toEqual([])
    await page.fill('input[name=password]', 'quiet-orchard-lantern-58')
    await page.click('button[type=submit]')
    await page.locator(`h1:has-text("${said.set}")`).waitFor()
    await page.click(`button:has-text("${said.back}")`)
    await page.locator(`h1:has-text("${said.companies}")`).waitFor()
    const login = await harness.client.ask('/auth/login', { method: 'POST', body: { email, password: 'quiet-orchard-lantern-58' } })
    expect(login.status).toBe(200)
  })

  /** The match in the mail that was caught for an address. */
  async function mailTo(address: string, pattern: RegExp): Promise<string> {
    return await until(`a mail to ${address}`, async () => {
      const mails: { to: string; text: string }[] = JSON.parse((await harness.client.ask('/sandbox/mails')).body)
      const found = mails.filter(({ to }) => to.includes(address)).map(({ text }) => pattern.exec(text)?.[0])
      return found.find((text) => text !== undefined) ?? null
    })
  }
})
