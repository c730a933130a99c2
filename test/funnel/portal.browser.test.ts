import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { quickbooks } from '../../src/connectors/quickbooks/index.ts'
import { listViolationsInBothThemes } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { openInProcessHarness } from '../portal/harness/in-process-harness.ts'

const LOOKS = [
  {
    locale: 'en-CA',
    said: {
      title: 'Link funnel',
      none: 'No links opened in this period',
      noneFound: 'No links match these filters',
      clear: 'Clear filters',
      tables: ['By source', 'By language', 'By place', 'By day'],
      source: 'Source',
      steps: [
        ...['Opened 4 100%', 'Consented 3 75%', 'Reached the source 2 50%', 'Declined 1 25%', 'Failed 0 0%'],
        ...['Did not return 0 0%', 'Connected 1 25%'],
      ],
      bySource: ['QuickBooks Online 3 3 2 0 0 0 1 (33%)', 'retired-source 1 0 0 1 0 0 0 (0%)'],
    },
  },
  {
    locale: 'fr-CA',
    said: {
      title: 'Entonnoir des liens',
      none: 'Aucun lien n’a été ouvert pendant cette période',
      noneFound: 'Aucun lien ne correspond aux filtres',
      clear: 'Effacer les filtres',
      tables: ['Par source', 'Par langue', 'Par endroit', 'Par jour'],
      source: 'Source',
      steps: [
        ...['Ouverts 4 100 %', 'Acceptés 3 75 %', 'Arrivés à la source 2 50 %', 'Refusés 1 25 %', 'Échoués 0 0 %'],
        ...['Sans retour de la source 0 0 %', 'Connectés 1 25 %'],
      ],
      bySource: ['QuickBooks Online 3 3 2 0 0 0 1 (33 %)', 'retired-source 1 0 0 1 0 0 0 (0 %)'],
    },
  },
] as const

describe.skipIf(lacksBrowser)(`the funnel at the portal${browserNote}`, () => {
  const harness = openForTests(() => openInProcessHarness([quickbooks]))
  let page: Page

  beforeAll(async () => {
    await harness.api.deps.database.query(
      `with company as (insert into companies (instance_id, id, name) values ($1, gen_random_uuid(), 'Café Laurier') returning id),
         opened as (select gen_random_uuid() as id, source, language, is_framed, steps from (values
           ('quickbooks', 'en', false, '{opened,agreed,chose,connected}'::text[]), ('quickbooks', 'en', true, '{opened,agreed,chose}'),
           ('quickbooks', 'fr-CA', false, '{opened,agreed}'), ('retired-source', 'en', false, '{opened,declined}')) v (source, language, is_framed, steps)),
         made as (insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at)
           select $1, o.id, uuid_send(o.id), c.id, gen_random_uuid(), '', clock_timestamp() + interval '1 day' from opened o, company c)
       insert into link_progress (instance_id, link_id, source, language, is_framed, steps)
       select $1, id, source, language, is_framed, steps from opened`,
      [harness.api.instanceId],
    )
  }, 60_000)
  afterEach(async () => await page?.context().close())
  const rowsOf = async (at: number) => {
    const rows = await page.locator('main table').nth(at).locator('tbody tr').allInnerTexts()
    return rows.map((row) => row.replaceAll(/\s+/g, ' ').trim())
  }

  describe.each(LOOKS)('in $locale', ({ locale, said }) => {
    const open = async (path: string) => {
      page = await harness.visit({ locale, bypassCSP: true })
      await harness.go(page, path)
      await page.getByRole('heading', { level: 1, name: said.title }).waitFor()
    }

    it('shows each step, then the same by source, language, place and day; axe clean in both themes, at every width', async () => {
      await open('/funnel')
      for (const name of said.tables) await page.getByRole('table', { name, exact: true }).waitFor()
      expect(await rowsOf(0)).toEqual(said.steps)
      expect(await rowsOf(1)).toEqual(said.bySource)
      expect((await rowsOf(2)).length + (await rowsOf(3)).length).toBe(4)
      expect(await listViolationsInBothThemes(page)).toEqual([])
      expect(await listWidthFlaws(page, 'funnel')).toEqual([])
    })

    it('says what would be here in a time without links, and lets the filter be cleared', async () => {
      await open('/funnel?from=2024-01-01&to=2024-01-31')
      await page.getByText(said.none).waitFor()
      expect(await listViolationsInBothThemes(page)).toEqual([])
      expect(await listWidthFlaws(page, 'funnel', [320])).toEqual([])
      await page.getByRole('button', { name: said.clear }).click()
      await page.getByRole('table', { name: said.tables[0], exact: true }).waitFor()
    })

    it('is filtered by keyboard; the address keeps it, and what fits nothing is said', async () => {
      await open('/funnel')
      await page.getByRole('table', { name: said.tables[0], exact: true }).waitFor()
      await page.getByLabel(said.source, { exact: true }).focus()
      await page.keyboard.press('ArrowDown')
      await page.waitForURL(/source=quickbooks/)
      await expect.poll(() => rowsOf(1)).toEqual(said.bySource.slice(0, 1))
      await page.reload()
      await expect.poll(() => rowsOf(1)).toEqual(said.bySource.slice(0, 1))
      await harness.go(page, '/funnel?source=xero')
      await page.getByText(said.noneFound).waitFor()
    })
  })
})
