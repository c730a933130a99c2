import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../../harness/browser.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { openInProcessHarness } from '../harness/in-process-harness.ts'

const LOOKS = [
  {
    locale: 'en-CA',
    more: 'At least 40 more matching companies',
    total: 'At least 25 in all',
    next: 'Next page',
    previous: 'Previous page',
  },
  {
    locale: 'fr-CA',
    more: 'Au moins 40 autres entreprises correspondantes',
    total: 'Au moins 25 au total',
    next: 'Page suivante',
    previous: 'Page précédente',
  },
]
/** So many that the API counts the matches of two common words only as far as the page goes. */
const COMPANIES = 2_500
const WORDS = 'e l'

describe.skipIf(lacksBrowser)(`a search for words that most companies have${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)
  let page: Page

  beforeAll(async () => {
    await harness.api.deps.database.query(
      `insert into companies (instance_id, id, name) select $1, gen_random_uuid(), 'Belle échelle élevée ' || n
       from generate_series(1, ${COMPANIES}) n`,
      [harness.api.instanceId],
    )
  }, 60_000)
  afterEach(async () => await page?.context().close())

  it.each(LOOKS)('says that there are more than it counted, and leads from page to page, in $locale', async (look) => {
    page = await harness.visit({ locale: look.locale })
    await page.context().clock.resume()
    await harness.go(page, '/usage')
    await page.keyboard.press('Control+k')
    await page.locator('[role=dialog]').getByRole('combobox').pressSequentially(WORDS)
    await page.locator('[role=dialog]').getByRole('option', { name: look.more }).click()
    await page.getByText(look.total).waitFor()
    const names = () => page.locator('table.grid tbody a').allInnerTexts()
    await expect.poll(async () => (await names()).length).toBe(25)
    const first = await names()
    expect(await page.getByRole('button', { name: look.previous }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: look.next }).click()
    await expect.poll(async () => (await names()).filter((name) => !first.includes(name)).length).toBe(25)
    await page.getByRole('button', { name: look.previous }).click()
    await expect.poll(names).toEqual(first)
  })

  it('of a list of one page, a page after it leads back', async () => {
    page = await harness.visit()
    await page.context().clock.resume()
    await harness.go(page, `/companies?search=${COMPANIES}&page=2`)
    await page.getByText('1 in all').waitFor()
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByRole('link', { name: `Belle échelle élevée ${COMPANIES}` }).waitFor()
  })
})
