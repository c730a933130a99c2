import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { BANK_ACCOUNT_STATUSES, BANK_ACCOUNT_TAXONOMY } from '../../src/model/records/banking.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { uploadStatement } from '../journey/http-walks.ts'
import { openPortalHarness } from './harness/portal-harness.ts'
import { writeStatement } from './harness/statements.ts'

describe.skipIf(lacksBrowser)(`accounts and transactions are found by plain words${browserNote}`, () => {
  const harness = openForTests(openPortalHarness)
  let page: Page
  let place: string
  /** Requests that the API refused. */
  const refused: string[] = []

  beforeAll(async () => {
    page = (await harness.visit()).page
    page.on('response', (response) => {
      if (response.status() === 400) refused.push(response.url())
    })
    const { id } = await harness.client.service('Bank files')
    const companyId = await harness.client.addCompany('Boulangerie du Plateau')
    await uploadStatement(harness.service.baseUrl, await harness.client.link(companyId, id), () => writeStatement(60, 90))
    await harness.client.connectionInStatus(companyId, [15, 19], 60_000)
    place = `/companies/${companyId}/connections/${id}`
  }, 120_000)

  const rows = () => page.locator('table.grid tbody tr')
  const count = async (wanted: number) => await expect.poll(() => rows().count()).toBe(wanted)

  it('words are searched while they are typed, and nothing is refused or turns red', async () => {
    await harness.go(page, `${place}?view=accounts`)
    await page.getByLabel('Search by name or number').pressSequentially('"caisse && ', { delay: 120 })
    await page.getByText('No results match these filters').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await count(50)
    await page.getByLabel('Search by name or number').pressSequentially('0059', { delay: 120 })
    await count(1)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByLabel('Type').selectOption('Cash')
    await page.waitForURL(/type=/)
    await count(50)
    expect([refused, await page.locator('.problem').count()]).toEqual([[], 0])
  })

  it('accounts are filtered by every status and type that an account can have, not only by those of the first of them', async () => {
    await harness.go(page, `${place}?view=accounts`)
    const choicesOf = async (label: string) => (await page.getByLabel(label).locator('option').allInnerTexts()).slice(1)
    expect(await choicesOf('Status')).toEqual(BANK_ACCOUNT_STATUSES.toSorted())
    expect(await choicesOf('Type')).toEqual(Object.keys(BANK_ACCOUNT_TAXONOMY).toSorted())
    await page.getByLabel('Status').selectOption('CLOSED')
    await page.getByText('No results match these filters').waitFor()
  })

  it('an expression is sent only when it is valid and submitted; names unknown to the API are reported there, beside the rows', async () => {
    await harness.go(page, `${place}?view=accounts`)
    await page.getByText('Advanced filter').click()
    const field = page.getByLabel('FilterQuery')
    await field.pressSequentially('caisse', { delay: 60 })
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Use clauses of the form').waitFor()
    expect([refused, await rows().count()]).toEqual([[], 50])
    await field.fill('nonsense="x"')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page
      .getByText(/names an unknown property nonsense/)
      .first()
      .waitFor()
    await count(50)
    await field.fill('accountNumber~"0" || currency=CAD')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(/currency/)
    await page.locator('.problem').waitFor({ state: 'detached' })
    await count(50)
    expect(refused).toHaveLength(1)
  })

  it('transactions are found by words and by days, both ends included', async () => {
    await harness.go(page, `${place}?view=transactions`)
    await page.getByLabel('From').fill('2026-09-21')
    await page.getByLabel('To').fill('2026-09-30')
    await count(10)
    await page.getByLabel('Search by description or counterparty').fill('Movement 3')
    await count(1)
    await page.reload()
    await count(1)
    expect(await page.getByLabel('From').inputValue()).toBe('2026-09-21')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('90 in all').waitFor()
  })
})
