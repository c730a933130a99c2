import type { Browser, Page } from 'playwright-core'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portalRoutes } from '../../src/api/routes/portal.ts'
import { createApi } from '../../src/api/server.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { buildPortal, portalFolder } from '../../src/process/built/portal-files.ts'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser, openBrowser } from '../harness/browser.ts'
import { PASSWORD, type TestApi, testApi } from '../harness/test-api.ts'
import { findFreePort } from '../process/service.ts'
import { openRealProvider, type RealProvider } from './real-provider.ts'
import { CLIENT } from './scripted-provider.ts'

const ADMIN = 'admin@maple.example'

const LOOKS = [
  {
    locale: 'en-CA',
    colorScheme: 'light',
    said: {
      ...{ company: 'Sign in with SSO', account: 'E-mail address or instance', next: 'Next', go: 'Continue', save: 'Save' },
      ...{ check: 'Check the provider', tryIt: 'Test sign-in', tried: 'An administrator has signed in', refresh: 'Refresh tokens' },
      ...{
        refused: 'None of your groups assigns you a role.',
        unknown: 'Single sign-on is not set up',
        issuer: 'Issuer',
        signOut: 'Sign out',
      },
      ...{
        passwords: 'passwords are disabled',
        email: 'E-mail address',
        password: 'Password',
        enter: 'Sign in',
        remove: 'Delete',
        saved: 'Saved.',
      },
      ...{ required: 'Require single sign-on (disable passwords)', wanted: 'Another site sent you here.', close: 'Close' },
    },
  },
  {
    locale: 'fr-CA',
    colorScheme: 'dark',
    said: {
      ...{
        company: 'Authentification unique',
        account: 'Adresse courriel ou instance',
        next: 'Suivant',
        go: 'Continuer',
        save: 'Enregistrer',
      },
      ...{
        check: 'Vérifier le fournisseur',
        tryIt: 'Essayer l’ouverture de session',
        tried: 'Un administrateur a ouvert une session',
        refresh: 'Jetons d’actualisation',
      },
      ...{
        refused: 'Aucun de vos groupes ne vous attribue de rôle.',
        unknown: 'L’authentification unique n’est pas configurée',
        issuer: 'Émetteur',
        signOut: 'Fermer la session',
      },
      ...{
        passwords: 'les mots de passe sont désactivés',
        email: 'Adresse courriel',
        password: 'Mot de passe',
        enter: 'Ouvrir la session',
        remove: 'Supprimer',
        saved: 'Enregistré.',
      },
      ...{
        required: 'Exiger l’authentification unique (désactiver les mots de passe)',
        wanted: 'Un autre site vous a dirigé ici.',
        close: 'Fermer',
      },
    },
  },
] as const

describe.skipIf(lacksBrowser)(`single sign-on in a browser${browserNote}`, () => {
  const closers: (() => Promise<unknown>)[] = []
  let api: TestApi
  let provider: RealProvider
  let browser: Browser
  let origin = ''
  beforeAll(async () => {
    api = await testApi()
    closers.push(() => api.close())
    await api.addUser({ role: 'admin', email: ADMIN })
    await buildPortal()
    const port = await findFreePort()
    origin = `http://127.0.0.1:${port}`
    const egress = createEgress({ allowPrivate: true })
    closers.push(() => egress.close())
    const settings = { ...api.deps.settings, publicUrl: origin, issuer: origin }
    const providers = { egress, allowPrivate: true }
    const app = createApi({ ...api.deps, now: () => new Date(), settings, metrics: new Registry(), providers })
    await app.register(portalRoutes(portalFolder))
    await app.listen({ host: '127.0.0.1', port })
    closers.push(() => app.close())
    provider = await openRealProvider(
      {
        boss: { email: ADMIN, email_verified: true, name: 'Avery', groups: ['owners'] },
        robin: { email: 'robin@maple.example', email_verified: true, name: 'Robin Roy', groups: ['builders'] },
        kim: { email: 'kim@maple.example', email_verified: true, name: 'Kim', groups: ['strangers'] },
      },
      {
        redirectUri: `${origin}/sign-in/${api.instanceId}/callback`,
        postLogoutRedirectUri: `${origin}/portal/`,
        backChannelLogoutUri: `${origin}/sign-in/${api.instanceId}/logout`,
      },
    )
    closers.push(() => provider.close())
    const chromium = await openBrowser()
    closers.push(() => chromium.close())
    browser = chromium.browser
    await api.deps.database.query(
      `insert into group_roles (instance_id, group_name, role) values ($1, 'owners', 'admin'), ($1, 'builders', 'developer')`,
      [api.instanceId],
    )
  })
  afterAll(async () => {
    for (const close of closers.reverse()) await close()
  })

  describe.each(LOOKS)('at 320 px by keyboard in $locale and $colorScheme', ({ locale, colorScheme, said }) => {
    const flaws: string[] = []
    const complaints: string[] = []

    async function openPage(): Promise<Page> {
      const context = await browser.newContext({
        locale,
        colorScheme,
        reducedMotion: 'reduce',
        bypassCSP: true,
        viewport: { width: 320, height: 640 },
      })
      context.setDefaultTimeout(15_000)
      const page = await context.newPage()
      page.on('pageerror', (error) => complaints.push(String(error)))
      return page
    }

    async function look(page: Page, what: string): Promise<void> {
      flaws.push(...(await listViolations(page)).map((flaw) => `${what}: ${flaw}`))
      const width = await page.evaluate('document.documentElement.scrollWidth')
      if (width !== 320) flaws.push(`${what} is ${width} px wide`)
    }

    async function press(page: Page, name: string, role: 'button' | 'link' = 'button'): Promise<void> {
      await page.getByRole(role, { name, exact: true }).first().focus()
      await page.keyboard.press('Enter')
    }

    /** The provider's own pages. */
    async function signInThere(page: Page, login: string): Promise<void> {
      await page.waitForURL(`${provider.url}/**`)
      await page.locator('input[name=login]').fill(login)
      await page.locator('input[name=password]').fill('any')
      await page.locator('button[type=submit]').click()
      await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' })
      await page.locator('button[type=submit]').click()
      await page.waitForURL(`${origin}/**`)
    }

    async function goThroughCompany(page: Page, account: string): Promise<void> {
      await press(page, said.company)
      await page.getByLabel(said.account).fill(account)
      await page.keyboard.press('Enter')
    }

    it('an administrator sets the provider, tries it, and comes back to the same page', async () => {
      const page = await openPage()
      await page.goto(`${origin}/portal/identity-provider`)
      await page.getByLabel(said.email).fill(ADMIN)
      await page.locator('input[name=password]').fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.locator('input[name=issuer]').waitFor()
      await look(page, 'the empty page')
      await page.locator('input[name=issuer]').fill(provider.url)
      await page.locator('input[name=clientId]').fill(CLIENT.id)
      await page.locator('input[name=clientSecret]').fill(CLIENT.secret)
      await page.locator('textarea[name=emailDomains]').fill('maple.example')
      await page.locator('input[name=groupsClaim]').fill('groups')
      await page.locator('input[name=createsMembers]').focus()
      await page.keyboard.press('Space')
      await press(page, said.save)
      await page.getByRole('button', { name: said.check }).waitFor()
      await press(page, said.check)
      await page.getByText(said.refresh, { exact: false }).last().waitFor()
      await look(page, 'the saved page')
      await press(page, said.tryIt, 'link')
      await signInThere(page, 'boss')
      await page.getByText(said.tried).waitFor()
      expect(new URL(page.url()).pathname).toBe('/portal/identity-provider')
      expect(new URL(page.url()).hash).toBe('')
      await page.goto(`${origin}/portal/companies#sign-in-failed=noRole`)
      await page.getByText(said.refused, { exact: false }).waitFor()
      await page.locator('h1').waitFor()
      await look(page, 'a failure inside the frame')
      await press(page, said.close)
      await page.getByText(said.refused, { exact: false }).waitFor({ state: 'detached' })
      await page.context().close()
    })

    it('a member is found by the address, signs in, stays signed in, and signs out there, too', async () => {
      const page = await openPage()
      await page.goto(`${origin}/portal/companies`)
      await press(page, said.company)
      await look(page, 'the company sign-in')
      await page.getByLabel(said.account).fill('Nobody Ltd')
      await page.keyboard.press('Enter')
      await page.getByText(said.unknown, { exact: false }).waitFor()
      await page.getByLabel(said.account).fill('robin@maple.example')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: said.go, exact: true }).waitFor()
      await look(page, 'the way to the provider')
      await press(page, said.go)
      await signInThere(page, 'robin')
      await page.waitForURL(`${origin}/portal/companies`)
      await page.locator('h1').waitFor()
      await page.reload()
      await page.locator('h1').waitFor()
      expect((await page.context().cookies()).filter(({ name }) => name === 'session')).toMatchObject([
        { httpOnly: true, sameSite: 'Strict' },
      ])
      await page.goto(`${origin}/portal/account`)
      await page.getByText('robin@maple.example').first().waitFor()
      await page
        .locator('button', { hasText: said.signOut })
        .first()
        .evaluate((button: { click(): void }) => button.click())
      await page.waitForURL(`${provider.url}/session/end**`)
      await page.locator('button[value=yes]').click()
      await page.waitForURL(`${origin}/portal/**`)
      await page.getByRole('button', { name: said.company }).waitFor()
      await page.context().close()
    })

    it('a link of another site asks first', async () => {
      const page = await openPage()
      await page.goto(`data:text/html,<a href="${origin}/sign-in/${api.instanceId}?to=/portal/companies">Go</a>`)
      await page.getByRole('link').click()
      await page.getByText(said.wanted, { exact: false }).waitFor()
      expect(page.url()).toBe(`${origin}/portal/companies`)
      await look(page, 'the question')
      await press(page, said.go)
      await signInThere(page, 'robin')
      await page.waitForURL(`${origin}/portal/companies`)
      await page.locator('nav').first().waitFor({ state: 'attached' })
      await page.context().close()
    })

    it('somebody without a role reads why, and a password is told to be of no use once the provider is required', async () => {
      const page = await openPage()
      await page.goto(`${origin}/portal/`)
      await goThroughCompany(page, api.instanceId)
      await page.getByRole('button', { name: said.go, exact: true }).waitFor()
      await press(page, said.go)
      await signInThere(page, 'kim')
      await page.getByText(said.refused, { exact: false }).waitFor()
      await look(page, 'the refusal')
      await api.deps.database.query('update identity_providers set is_required = true')
      await page.goto(`${origin}/portal/companies`)
      await page.getByLabel(said.email).fill(ADMIN)
      await page.locator('input[name=password]').fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByText(said.passwords, { exact: false }).waitFor()
      await look(page, 'the refused password')
      await api.deps.database.query('delete from identity_providers')
      await page.context().close()
    })

    it('without a flaw', () => {
      expect({ flaws, complaints }).toEqual({ flaws: [], complaints: [] })
    })
  })
})
