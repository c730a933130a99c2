import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf, PASSWORD } from '../harness/test-api.ts'
import { openInProcessHarness } from '../portal/harness/in-process-harness.ts'

const LOOKS = [
  {
    locale: 'en-CA',
    colorScheme: 'light',
    members: 'Members',
    said: {
      add: 'Add a member',
      name: 'Name',
      email: 'E-mail address',
      first: 'Initial password',
      save: 'Save',
      confirm: 'Confirm',
      cancel: 'Cancel',
    },
    title: 'Confirm your identity',
    setUp: { title: 'Set up two-step sign-in', begin: 'Set up app', on: 'Turn on', kept: 'I have saved them', companies: 'Companies' },
  },
  {
    locale: 'fr-CA',
    colorScheme: 'dark',
    members: 'Membres',
    said: {
      add: 'Ajouter un membre',
      name: 'Nom',
      email: 'Adresse courriel',
      first: 'Premier mot de passe',
      save: 'Enregistrer',
      confirm: 'Confirmer',
      cancel: 'Annuler',
    },
    title: 'Confirmez votre identité',
    setUp: {
      ...{ title: 'Activez l’authentification en deux étapes', begin: 'Configurer une application', on: 'Activer' },
      ...{ kept: 'Je les ai conservés', companies: 'Entreprises' },
    },
  },
] as const
const NARROW = { bypassCSP: true, viewport: { width: 320, height: 640 } }

describe.skipIf(lacksBrowser)(`sign-in rules at the portal${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)
  const call = async (email: string, method: 'GET' | 'PUT', path: string, payload?: object) => {
    const url = `/admin/api/v1${path}`
    const headers = await bearerOf(harness.api, email)
    return await harness.api.app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
  }
  const press = async (page: Page, name: string) => {
    await page.getByRole('button', { name, exact: true }).last().focus()
    await page.keyboard.press('Enter')
  }
  /** Opens a confirmation; it takes the focus, to its way out, a moment after it is shown. */
  const ask = async (page: Page, name: string, cancel: string) => {
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('button', { name: cancel, exact: true }).and(page.locator(':focus')).waitFor()
  }

  it.each(LOOKS)(
    'ask for a proof once it is needed, and then repeat the change, at 320 px by keyboard in $locale and $colorScheme',
    async ({ locale, colorScheme, said, title }) => {
      const { api } = harness
      const page = await harness.visit({ locale, colorScheme, ...NARROW })
      await harness.go(page, '/members?do=add')
      const email = `new-${locale}@example.com`.toLowerCase()
      await page.getByRole('textbox', { name: said.name }).fill('Noor Haddad')
      await page.getByLabel(said.email).fill(email)
      await page.getByLabel(said.first).fill('quiet-orchard-lantern-58')
      api.moveClock(16 * 60_000)
      await press(page, said.save)
      const dialog = page.getByRole('dialog', { name: title })
      await dialog.locator('input[name=password]:focus').waitFor()
      const flaws = await listViolations(page)
      await page.keyboard.type('wrong')
      await page.keyboard.press('Enter')
      await dialog.getByRole('alert').waitFor()
      flaws.push(...(await listViolations(page)))
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
      await dialog.locator('input[name=password]').fill(PASSWORD)
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('row', { name: email }).waitFor()
      expect(flaws).toEqual([])
      await page.context().close()
    },
  )

  it('leave everything as it is when no proof is given, and say why', async () => {
    const page = await harness.visit(NARROW)
    await harness.go(page, '/members')
    const [shown] = LOOKS
    harness.api.moveClock(16 * 60_000)
    await press(page, 'Edit Avery Tremblay')
    await page.getByRole('textbox', { name: 'Name' }).fill('Renamed')
    await press(page, 'Save')
    const dialog = page.getByRole('dialog', { name: shown.title })
    await dialog.waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Prove again who you are, then repeat the request.').waitFor()
    expect((await call(harness.email, 'GET', '/auth/me')).json().name).toBe('Avery Tremblay')
    await page.context().close()
  })

  it.each(LOOKS)(
    'lead a member without a second step to its set-up and nowhere else, at 320 px in $locale and $colorScheme',
    async ({ locale, colorScheme, setUp }) => {
      const { api } = harness
      const instanceId = await api.addInstance()
      await api.deps.database.query('update instances set two_step_required_at = now() where id = $1', [instanceId])
      const { email } = await api.addUser({ instanceId })
      const page = await harness.visit({ locale, colorScheme, ...NARROW, isSignedIn: false })
      await page.goto(`${harness.origin}/portal/webhooks`)
      await page.fill('input[name=email]', email)
      await page.fill('input[name=password]', PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: setUp.title }).waitFor()
      await page.locator('input[name=password]').first().waitFor()
      const flaws = await listViolations(page)
      expect([await page.locator('nav').count(), await page.evaluate('document.documentElement.scrollWidth')]).toEqual([0, 320])
      await page.fill('input[name=password]', PASSWORD)
      await press(page, setUp.begin)
      const secret = await page.locator('form code').innerText()
      const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: api.deps.now().getTime() })
      await page.fill('input[name=code]', code)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: setUp.kept }).waitFor()
      flaws.push(...(await listViolations(page)))
      await press(page, setUp.kept)
      await page.locator('nav').first().waitFor({ state: 'attached' })
      expect([flaws, new URL(page.url()).pathname]).toEqual([[], '/portal/webhooks'])
      await page.context().close()
    },
  )

  it.each(LOOKS)(
    'are changed on the page of members, where a second step is reset and sessions end, in $locale',
    async ({ locale, members, said }) => {
      const { api } = harness
      const instanceId = await api.addInstance()
      const [admin, member] = [await api.addUser({ instanceId }), await api.addUser({ instanceId, role: 'viewer' })]
      await api.deps.database.query(
        `insert into two_steps (instance_id, user_id, secret, started_at, confirmed_at) select instance_id, id, '\\x00', now(), now() from users where instance_id = $1`,
        [instanceId],
      )
      const context = await harness.visit({ locale, isSignedIn: false, bypassCSP: true })
      await api.deps.database.query('delete from two_steps where user_id = $1', [admin.id])
      await context.goto(`${harness.origin}/portal/members`)
      await context.fill('input[name=email]', admin.email)
      await context.fill('input[name=password]', PASSWORD)
      await context.keyboard.press('Enter')
      await context.getByRole('heading', { name: members, level: 1 }).waitFor()
      const row = context.getByRole('row', { name: member.email })
      await row.getByRole('button').click()
      const words =
        locale === 'en-CA'
          ? {
              reset: 'Reset two-step sign-in',
              done: 'Two-step sign-in reset;',
              require: 'Require',
              refused: 'Set up two-step login for yourself first',
            }
          : { reset: 'Réinitialiser les deux étapes', done: 'est réinitialisée', require: 'Rendre obligatoire', refused: 'Activez d’abord' }
      await ask(context, words.reset, said.cancel)
      const flaws = await listViolations(context)
      await press(context, words.reset)
      await context.getByText(words.done).waitFor()
      await context.keyboard.press('Escape')
      await ask(context, words.require, said.cancel)
      flaws.push(...(await listViolations(context)))
      await press(context, words.require)
      await context.getByText(words.refused).waitFor()
      const { rows } = await api.deps.database.query('select from two_steps where instance_id = $1', [instanceId])
      expect([flaws, rows.length]).toEqual([[], 0])
      await context.context().close()
    },
  )
})
