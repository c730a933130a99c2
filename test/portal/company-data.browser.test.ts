import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { openInProcessHarness } from './harness/in-process-harness.ts'

const LOOKS = [
  { locale: 'en-CA', colorScheme: 'light', externalId: 'Your ID', metadata: 'Metadata', edit: 'Edit' },
  { locale: 'fr-CA', colorScheme: 'dark', externalId: 'Votre identifiant', metadata: 'Métadonnées', edit: 'Modifier' },
] as const

describe.skipIf(lacksBrowser)(`a company’s own id and data at the portal${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)

  async function findCompany(name: string) {
    const { rows } = await harness.api.deps.database.query('select external_id as "externalId", metadata from companies where name = $1', [
      name,
    ])
    return rows[0]
  }

  it.each(LOOKS)('are added, seen, searched and changed by keyboard at 320 px, in $locale', async (look) => {
    const { locale, colorScheme } = look
    const page: Page = await harness.visit({ locale, colorScheme, bypassCSP: true, viewport: { width: 320, height: 800 } })
    const name = `Ferme ${locale}`
    const flaws: string[] = []
    const check = async (what: string) =>
      flaws.push(...(await listViolations(page)).map((flaw) => `${what}: ${flaw}`), ...(await listWidthFlaws(page, what, [320])))
    await harness.go(page, '/companies?do=add')
    await page.locator('input[name=name]').fill(name)
    await page.getByRole('dialog').getByLabel(look.externalId, { exact: true }).focus()
    await page.keyboard.type(`own-${locale}`)
    await page.keyboard.press('Tab')
    await page.keyboard.type('segment = farms')
    await page.keyboard.press('Enter')
    await page.keyboard.type('no pair')
    await check('the form')
    const isValid = async () => await page.evaluate<boolean>(`document.querySelector('textarea[name=metadata]').checkValidity()`)
    expect(await isValid()).toBe(false)
    for (let press = 0; press < 'no pair'.length; press += 1) await page.keyboard.press('Backspace')
    await page.keyboard.type('risk.score = 7 = low')
    expect(await isValid()).toBe(true)
    await page.locator('input[name=name]').press('Enter')
    await page.locator('dl.facts').waitFor()
    expect(await findCompany(name)).toEqual({ externalId: `own-${locale}`, metadata: { segment: 'farms', 'risk.score': '7 = low' } })
    expect(await page.locator('dl.facts').innerText()).toContain('7 = low')
    await check('the company')

    await page.getByRole('button', { name: look.edit, exact: true }).press('Enter')
    await page.getByRole('dialog').getByLabel(look.externalId, { exact: true }).fill('')
    await page.getByRole('dialog').getByLabel(look.metadata, { exact: true }).fill('segment = bakeries')
    await page.locator('input[name=name]').press('Enter')
    await page.locator('dl.facts', { hasText: 'bakeries' }).waitFor()
    expect(await findCompany(name)).toEqual({ externalId: null, metadata: { segment: 'bakeries' } })

    await harness.api.deps.database.query('update companies set external_id = $1 where name = $2', [`again-${locale}`, name])
    await harness.go(page, `/companies?search=again-${locale}`)
    await page
      .locator('td, .cell', { hasText: `again-${locale}` })
      .first()
      .waitFor()
    await check('the list')
    expect(flaws).toEqual([])
    await page.context().close()
  })
})
