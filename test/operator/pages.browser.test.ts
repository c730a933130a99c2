import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { issueOperatorLink } from '../../src/api/operator/links.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { openInProcessHarness } from '../portal/harness/in-process-harness.ts'

const PASSWORD = 'crimson-orchard-lantern-47'
/** Of 200 characters without a blank. */
const LONG_NAME = 'Caisse-d’affaires-'.repeat(12).slice(0, 200)
const EMAIL = 'ops@example.com'

describe.skipIf(lacksBrowser)(`the pages of operators${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)
  let page: Page
  const flaws: string[] = []

  beforeAll(async () => {
    page = await harness.visit({ isSignedIn: false })
  }, 120_000)

  /** Axe, and every width from 320 px on. */
  async function judge(name: string): Promise<void> {
    flaws.push(...(await listViolations(page)).map((violation) => `${name}: ${violation}`), ...(await listWidthFlaws(page, name)))
  }

  const press = (name: string, within = 'body') => page.locator(within).getByRole('button', { name, exact: true }).click()
  const DIALOG = '.mantine-Modal-content'

  it('lead from the one-time link over the second factor to the instances', async () => {
    const { keys, database, now } = harness.api.deps
    const access = { database, keys, now, hashes: tokenHasher(keys, '') }
    const { address } = await issueOperatorLink(access, { email: EMAIL, name: 'Avery', resetsTwoStep: false }, harness.origin)
    await page.goto(address)
    await page.fill('input[name=password]', PASSWORD)
    await judge('link')
    await page.click('button[type=submit]')
    await press('Back to sign in')
    await page.fill('input[name=email]', EMAIL)
    await page.fill('input[name=password]', PASSWORD)
    await judge('sign-in')
    await page.keyboard.press('Enter')
    await page.waitForSelector('h1:has-text("Set up two-step sign-in"):focus')
    await press('Set up app')
    const secret = await page.locator('code').innerText()
    await judge('set-up')
    await page.fill('input[name=code]', new TOTP({ secret }).generate({ timestamp: now().getTime() }))
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=status] pre')
    await press('I have saved them')
    await page.waitForSelector('h1:has-text("Instances")')
    await judge('instances')
  }, 120_000)

  it('make, rename, bound, suspend, resume and erase an instance', async () => {
    await press('Create an instance')
    await page.waitForSelector('input[name=name]:focus')
    await page.fill('input[name=name]', 'Birch Credit')
    await page.fill('input[name=adminName]', 'Noor Haddad')
    await page.fill('input[name=email]', 'noor@birch.example')
    await page.keyboard.press('Enter')
    await page.waitForSelector(`${DIALOG} pre:has-text("/portal/new-password#")`)
    await press('I have shared it')
    await page.getByRole('link', { name: 'Birch Credit' }).click()
    await page.waitForSelector('h1:has-text("Birch Credit")')
    await press('Rename')
    await page.fill(`${DIALOG} input[name=value]`, 'Bouleau')
    await press('Rename', DIALOG)
    await page.waitForSelector('h1:has-text("Bouleau")')
    await press('Change Companies')
    await page.fill(`${DIALOG} input[name=bound]`, '7')
    await press('Save', DIALOG)
    await page.locator('tr', { hasText: 'Companies' }).getByText('7', { exact: true }).waitFor()
    await judge('instance')
    await press('Suspend')
    await page.fill(`${DIALOG} input[name=value]`, 'Contract has ended')
    await press('Suspend', DIALOG)
    await page.locator('dl', { hasText: 'Contract has ended' }).waitFor()
    await press('Resume')
    await press('Resume', DIALOG)
    await page.locator('dl', { hasText: 'Active' }).waitFor()
    await press('Erase')
    await page.fill(`${DIALOG} input[name=value]`, 'Birch')
    await press('Erase', DIALOG)
    await page.locator(`${DIALOG} [role=alert]`).waitFor()
    await judge('erase')
    await page.fill(`${DIALOG} input[name=value]`, 'Bouleau')
    await press('Erase', DIALOG)
    await page.getByRole('table', { name: 'Erased instances' }).getByText('In progress').waitFor()
  }, 120_000)

  it('stay when the download of an export is refused', async () => {
    await page.goto(`${harness.origin}/operator/instances/${harness.api.instanceId}`)
    await page.getByRole('button', { name: 'Export' }).waitFor()
    // The proof ends between the question and the download.
    await page.route('**/session/proof', async (route) => await route.fulfill({ status: 204 }))
    harness.api.moveClock(16 * 60_000)
    const download = page.waitForEvent('download')
    await press('Export')
    expect(await (await download).failure()).not.toBeNull()
    await page.unroute('**/session/proof')
    await page.getByRole('button', { name: 'Export' }).waitFor()
    expect(page.url()).toContain(harness.api.instanceId)
  }, 120_000)

  it('list the erased instances beyond one page', async () => {
    await harness.api.deps.database.query(
      `insert into instance_erasures (id, erased_id, name, kind, requested_at, completed_at)
       select gen_random_uuid(), gen_random_uuid(), 'Former ' || n, 'live', now() - n * interval '1 day', now() from generate_series(1, 51) n`,
    )
    await page.goto(`${harness.origin}/operator/instances`)
    await page.getByRole('table', { name: 'Erased instances' }).waitFor()
    await page.getByRole('button', { name: 'Next' }).last().click()
    await page.getByRole('table', { name: 'Erased instances' }).getByText('Former 51').waitFor()
  }, 60_000)

  it('are in French, too, and end with the session', async () => {
    await page.evaluate(() => localStorage.setItem('portal-language', 'fr'))
    for (const table of ['instances', 'instance_erasures'])
      await harness.api.deps.database.query(`update ${table} set name = $1`, [LONG_NAME])
    for (const [path, title] of [
      ['/operator/instances', 'Instances'],
      ['/operator/operators', 'Exploitants'],
      ['/operator/health', 'État'],
    ] as const) {
      await page.goto(`${harness.origin}${path}`)
      await page.waitForSelector(`h1:has-text("${title}")`)
      await page.locator('table').first().waitFor()
      await judge(`${path} in French`)
    }
    await page.locator('.menu').getByRole('button').last().click()
    await page.waitForSelector('input[name=email]')
    await page.goto(`${harness.origin}/operator/instances`)
    await page.waitForSelector('input[name=email]')
  }, 120_000)

  it('have no flaw for axe and fit every width from 320 px on', () => {
    expect(flaws).toEqual([])
  })
})
