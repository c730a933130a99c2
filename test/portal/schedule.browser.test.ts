import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { bankFiles } from '../../src/connectors/bank-files/index.ts'
import { simplefin } from '../../src/connectors/simplefin/index.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { openInProcessHarness } from './harness/in-process-harness.ts'

const LOOKS = [
  {
    locale: 'en-CA',
    colorScheme: 'light',
    change: 'Change schedule',
    own: 'Every 6 hours (set for this connection)',
    never: 'Never',
    inherit: 'Once a day',
  },
  {
    locale: 'fr-CA',
    colorScheme: 'dark',
    change: 'Modifier l’horaire',
    own: 'Toutes les 6 heures (défini pour cette connexion)',
    never: 'Jamais',
    inherit: 'Une fois par jour',
  },
] as const

describe.skipIf(lacksBrowser)(`refresh schedules at the portal${browserNote}`, () => {
  const harness = openForTests(() => openInProcessHarness([simplefin, bankFiles]))

  async function addConnection(key: string): Promise<{ id: string; path: string }> {
    const { deps, instanceId } = harness.api
    const companyId = await addCompany(deps.database, instanceId)
    const [id, serviceId] = [randomUUID(), toServiceId(key)]
    await deps.database.query(
      `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, entity_id, refresh_hours, update_scheduled_at)
       values ($1, $2, $3, $4, $5, 'Banking', '', 19, 'login', 24, clock_timestamp() + interval '20 hours')`,
      [instanceId, id, companyId, serviceId, key],
    )
    return { id, path: `/companies/${companyId}/connections/${serviceId}` }
  }

  async function minutesOf(id: string): Promise<number | null> {
    const { rows } = await harness.api.deps.database.query<{ minutes: number | null }>(
      'select refresh_minutes as minutes from connections where id = $1',
      [id],
    )
    return rows[0]?.minutes ?? null
  }

  it.each(LOOKS)(
    'are shown and changed by keyboard at 320 px, in $locale',
    async ({ locale, colorScheme, change, own, never, inherit }) => {
      const page: Page = await harness.visit({ locale, colorScheme, bypassCSP: true, viewport: { width: 320, height: 800 } })
      const flaws: string[] = []
      const check = async (what: string) =>
        flaws.push(...(await listViolations(page)).map((flaw) => `${what}: ${flaw}`), ...(await listWidthFlaws(page, what, [320])))
      const choose = async (value: string) => {
        await page.getByRole('button', { name: change }).press('Enter')
        const select = page.locator('select[name=interval]')
        await select.selectOption(value)
        if (value === '360') await check('the dialog')
        await page.getByRole('dialog').locator('button[type=submit]').press('Enter')
        await select.waitFor({ state: 'detached' })
      }
      const { id, path } = await addConnection('simplefin')
      await harness.go(page, path)
      await page.getByText(inherit).waitFor()
      await choose('360')
      await page.getByText(own).waitFor()
      expect(await minutesOf(id)).toBe(360)
      await check('the connection')
      await choose('never')
      await page.getByText(never).first().waitFor()
      expect(await minutesOf(id)).toBe(0)
      await choose('inherit')
      await page.getByText(inherit).waitFor()
      expect(await minutesOf(id)).toBeNull()

      await page.getByRole('button', { name: change }).press('Enter')
      const offered = await page
        .locator('select[name=interval] option')
        .evaluateAll((options) => options.map((each) => each.getAttribute('value')))
      expect(offered).toEqual(['inherit', '120', '240', '360', '720', '1440', '2880', '10080', '43200', 'never'])
      await page.keyboard.press('Escape')

      await harness.go(page, '/catalogue/simplefin')
      await choose('720')
      await check('the source')
      const { rows } = await harness.api.deps.database.query('select minutes from refresh_schedules')
      expect(rows).toEqual([{ minutes: 720 }])
      await choose('inherit')

      const files = await addConnection('bank-files')
      await harness.go(page, files.path)
      await page
        .getByText(locale === 'en-CA' ? 'Files are processed when they arrive.' : 'Les fichiers sont traités à leur arrivée.')
        .waitFor()
      expect([await page.getByRole('button', { name: change }).count(), flaws]).toEqual([0, []])
      await page.context().close()
    },
  )
})
