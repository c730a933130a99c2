import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openInProcessHarness } from '../portal/harness/in-process-harness.ts'

const LOOKS = [
  {
    locale: 'en-CA',
    colorScheme: 'light',
    said: {
      ...{ add: 'Add a destination', addNow: 'Add', request: 'New export', requestNow: 'Export', copying: 'Copying' },
      ...{
        failing: 'Failing',
        full: 'The disk of the database is full. Make room there.',
        rewind: 'Start over',
        remove: 'Delete',
        kind: 'Kind',
        waiting: 'Waiting',
      },
    },
  },
  {
    locale: 'fr-CA',
    colorScheme: 'dark',
    said: {
      ...{ add: 'Ajouter une destination', addNow: 'Ajouter', request: 'Demander une exportation', requestNow: 'Demander' },
      ...{
        copying: 'Copie en cours',
        failing: 'En échec',
        full: 'Le disque de la base de données est plein. Libérez-y de l’espace.',
        rewind: 'Recommencer',
      },
      ...{ remove: 'Supprimer', kind: 'Type', waiting: 'En attente' },
    },
  },
] as const

describe.skipIf(lacksBrowser)(`exports and destinations at the portal${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)

  describe.each(LOOKS)('at 320 px in $locale and $colorScheme', ({ locale, colorScheme, said }) => {
    const name = `Warehouse ${locale}`
    const flaws: string[] = []
    let page: Page
    beforeAll(async () => {
      page = await harness.visit({ locale, colorScheme, bypassCSP: true, viewport: { width: 320, height: 640 } })
      await harness.go(page, '/exports')
    })
    afterAll(async () => await page?.context().close())

    const dialog = () => page.locator('.mantine-Modal-content')
    const row = () => page.locator('tr', { hasText: name })
    const look = async (what: string) => {
      flaws.push(...(await listViolations(page)).map((flaw) => `${what}: ${flaw}`))
      const width = await page.evaluate('document.documentElement.scrollWidth')
      if (width !== 320) flaws.push(`${what} is ${width} px wide`)
    }
    const press = async (button: ReturnType<Page['locator']>) => {
      await button.focus()
      await page.keyboard.press('Enter')
    }

    it('a database is added; its password is not in the page', async () => {
      await press(page.getByRole('button', { name: said.add }))
      await dialog().locator('input[name=name]').waitFor()
      for (const kind of ['sftp', 's3', 'postgres']) {
        await dialog().getByLabel(said.kind, { exact: true }).selectOption(kind)
        await look(`the form of ${kind}`)
      }
      const values = { name, host: 'db.example.com', database: 'warehouse', user: 'loader', schema: 'countinghouse', password: 'pw-canary' }
      for (const [field, value] of Object.entries(values)) await dialog().locator(`input[name=${field}]`).fill(value)
      await press(dialog().getByRole('button', { name: said.addNow, exact: true }))
      await row().getByText(said.copying).waitFor()
      await look('the list')
      expect(await page.content()).not.toContain('canary')
    })

    it('a failure is shown with its reason, and everything begins again after a confirmation', async () => {
      await harness.api.deps.database.query(
        `update export_replications set error = 'The disk of the database is full. Make room there.', failing_since = clock_timestamp()`,
      )
      await page.reload()
      await row().getByText(said.full).waitFor()
      await look('a failure')
      await press(row().getByRole('button', { name: said.rewind }))
      await dialog().waitFor()
      await look('the question')
      await press(dialog().getByRole('button', { name: said.rewind, exact: true }))
      await dialog().waitFor({ state: 'detached' })
      const { rows } = await harness.api.deps.database.query(
        'select pass from export_replications r join export_destinations d on d.id = r.destination_id where d.name = $1',
        [name],
      )
      expect(rows).toEqual([{ pass: 2 }])
    })

    it('an export is requested, and a destination deleted', async () => {
      await press(page.getByRole('button', { name: said.request }))
      await dialog().locator('select[name=format]').waitFor()
      await look('the request')
      await press(dialog().getByRole('button', { name: said.requestNow, exact: true }))
      await page.getByText(said.waiting).first().waitFor()
      await look('an export')
      await press(row().getByRole('button', { name: said.remove }))
      await press(dialog().getByRole('button', { name: said.remove, exact: true }))
      await row().waitFor({ state: 'detached' })
      expect(flaws).toEqual([])
    })
  })
})
