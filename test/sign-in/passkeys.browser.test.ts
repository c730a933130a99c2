import type { CDPSession, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { issueOperatorLink } from '../../src/api/operator/links.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD } from '../harness/test-api.ts'
import { openInProcessHarness } from '../portal/harness/in-process-harness.ts'
import { freePort } from '../process/free-port.ts'

const LOOKS = [
  {
    locale: 'en-CA',
    colorScheme: 'light',
    said: {
      add: 'Add a passkey',
      kept: 'I have saved them',
      out: 'Sign out',
      use: 'Use a passkey',
      proof: 'Confirm your identity',
      remove: 'Remove',
      rename: 'Rename the passkey Blue key',
    },
  },
  {
    locale: 'fr-CA',
    colorScheme: 'dark',
    said: {
      ...{ add: 'Ajouter une clé d’accès', kept: 'Je les ai conservés', out: 'Fermer la session', use: 'Utiliser une clé d’accès' },
      ...{ proof: 'Confirmez votre identité', remove: 'Retirer', rename: 'Renommer la clé d’accès Blue key' },
    },
  },
] as const
const NARROW = { bypassCSP: true, viewport: { width: 320, height: 640 } }

/** Gives the page an authenticator that verifies its user. Source: https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/ */
async function addAuthenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

describe.skipIf(lacksBrowser)(`passkeys in a browser${browserNote}`, () => {
  const harness = openForTests(async () => openInProcessHarness([], await freePort()))
  const press = async (page: Page, name: string) => {
    await page.getByRole('button', { name, exact: true }).last().focus()
    await page.keyboard.press('Enter')
  }

  it.each(LOOKS)(
    'are added, renamed, sign in, prove who it is and are removed, at 320 px by keyboard in $locale and $colorScheme',
    async ({ locale, colorScheme, said }) => {
      const { api } = harness
      const { email } = await api.addUser()
      const page = await harness.visit({ locale, colorScheme, ...NARROW, isSignedIn: false })
      await addAuthenticator(page)
      const signIn = async () => {
        await page.fill('input[name=email]', email)
        await page.fill('input[name=password]', PASSWORD)
        await page.keyboard.press('Enter')
      }
      await page.goto(`${harness.origin}/portal/account`)
      await signIn()
      await page.locator('input[name=passkeyName]').fill('Blue key')
      const flaws = await listViolations(page)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: said.kept }).waitFor()
      await press(page, said.kept)
      await page.getByRole('row', { name: 'Blue key' }).waitFor()
      await page.reload()
      await page.getByRole('row', { name: 'Blue key' }).waitFor()
      await press(page, said.rename)
      const renaming = page.getByRole('dialog')
      await renaming.locator('input[name=name]').fill('Red key')
      flaws.push(...(await listViolations(page)))
      await page.keyboard.press('Enter')
      await page.getByRole('row', { name: 'Red key' }).waitFor()
      await renaming.waitFor({ state: 'detached' })
      // Without the code for passkeys: the name is what the build gives to @simplewebauthn/browser.
      await page.route('**/esm-*.js', (route) => route.abort('connectionrefused'))
      await page.fill('input[name=ownPassword]', PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      await page.unroute('**/esm-*.js')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
      await page.evaluate(`localStorage.removeItem('portal-session')`)
      await page.reload()
      await signIn()
      await page.getByRole('button', { name: said.use }).waitFor()
      flaws.push(...(await listViolations(page)))
      await press(page, said.use)
      await page.getByRole('row', { name: 'Red key' }).waitFor()
      api.moveClock(16 * 60_000)
      await page.getByRole('row', { name: 'Red key' }).getByRole('button', { name: said.remove }).focus()
      await page.keyboard.press('Enter')
      await press(page, said.remove)
      const dialog = page.getByRole('dialog', { name: said.proof })
      await dialog.getByRole('button', { name: said.use }).waitFor()
      flaws.push(...(await listViolations(page)))
      await press(page, said.use)
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('row', { name: 'Red key' }).waitFor({ state: 'detached' })
      expect(flaws).toEqual([])
      await page.context().close()
    },
  )

  it('change nothing when the user gives none', async () => {
    const { email } = await harness.api.addUser()
    const page = await harness.visit({ ...NARROW, isSignedIn: false })
    const { cdp, authenticatorId } = await addAuthenticator(page)
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.goto(`${harness.origin}/portal/account`)
    await page.fill('input[name=email]', email)
    await page.fill('input[name=password]', PASSWORD)
    await page.keyboard.press('Enter')
    await page.locator('input[name=passkeyName]').fill('Blue key')
    await page.keyboard.press('Enter')
    await page.getByText('The browser gave no passkey.').waitFor()
    const { rows } = await harness.api.deps.database.query('select from passkeys')
    expect(rows.length).toBe(0)
    await page.context().close()
  })

  it('are the second factor of an operator from the first sign-in on', async () => {
    const { keys, database, now } = harness.api.deps
    const access = { database, keys, now, hashes: tokenHasher(keys, '') }
    const email = 'ops@example.com'
    const { address } = await issueOperatorLink(access, { email, name: 'Avery', resetsTwoStep: false }, harness.origin)
    const page = await harness.visit({ ...NARROW, isSignedIn: false })
    await addAuthenticator(page)
    const signIn = async () => {
      await page.fill('input[name=email]', email)
      await page.fill('input[name=password]', 'crimson-orchard-lantern-47')
      await page.keyboard.press('Enter')
    }
    await page.goto(address)
    await page.fill('input[name=password]', 'crimson-orchard-lantern-47')
    await page.click('button[type=submit]')
    await page.getByRole('status').getByRole('button', { name: 'Back to sign in' }).click()
    await signIn()
    await page.locator('input[name=passkeyName]').fill('Blue key')
    const flaws = await listViolations(page)
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=status] pre')
    await press(page, 'I have saved them')
    await page.waitForSelector('h1:has-text("Instances")')
    await page.context().clearCookies()
    await page.goto(`${harness.origin}/operator/account`)
    await signIn()
    await press(page, 'Use a passkey')
    await page.getByRole('row', { name: 'Blue key' }).waitFor()
    flaws.push(...(await listViolations(page)))
    await page.getByRole('row', { name: 'Blue key' }).getByRole('button', { name: 'Remove' }).click()
    await press(page, 'Remove')
    await page.getByText('Operators need a second step: add another first.').waitFor()
    expect([flaws, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([[], 320])
    await page.context().close()
  })
})
