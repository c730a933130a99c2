import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withinActor } from '../../src/audit/actor.ts'
import { auditWriter, recordChange } from '../../src/audit/record.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openInProcessHarness } from './harness/in-process-harness.ts'

const ENTRIES = 20_000
const LOOKS = [
  {
    locale: 'en-CA',
    colorScheme: 'light',
    said: {
      ...{
        actor: 'Actor',
        kind: 'Action',
        key: 'API key',
        changed: 'Company changed',
        older: 'Older entries',
        newest: 'Newest entries',
      },
      ...{ clear: 'Clear filters', csv: 'Download CSV', jsonl: 'Download JSON Lines', withheld: 'changed (hidden)', network: 'Network' },
    },
  },
  {
    locale: 'fr-CA',
    colorScheme: 'dark',
    said: {
      ...{ actor: 'Auteur', kind: 'Action', key: 'Clé API', changed: 'Entreprise modifiée', older: 'Entrées plus anciennes' },
      ...{ newest: 'Entrées les plus récentes', clear: 'Effacer les filtres', csv: 'Télécharger en CSV' },
      ...{ jsonl: 'Télécharger en JSON Lines', withheld: 'modifié (masqué)', network: 'Réseau' },
    },
  },
] as const

describe.skipIf(lacksBrowser)(`the audit log at the portal${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)

  beforeAll(async () => {
    const { deps, instanceId } = harness.api
    const writer = auditWriter(deps)
    const actor = { kind: 'key', id: '11111111-2222-4333-8444-555555555555', network: '192.0.2.77', requestId: null } as const
    await withinActor({ writer, actor, actions: null }, () =>
      inTransaction(deps.database, async (db) => {
        const change = { instanceId, action: 'company.changed', subject: 'company/7' } as const
        await recordChange(db, {
          ...change,
          before: { city: 'Laval', fullAddress: '1 rue A' },
          after: { city: 'Lévis', fullAddress: '2 rue B' },
        })
      }),
    )
    // Rows only: a chain of that length takes a minute.
    await deps.database.query(
      `with made as (
         insert into audit_entries (instance_id, position, at, entry, hash)
         select instance_id, position + n, now(), '{"action":"link.opened","userId":null,"subject":"link/' || n || '"}', hash
         from audit_chains, generate_series(1, ${ENTRIES}) n where instance_id = $1 returning 1)
       update audit_chains set position = position + (select count(*) from made) where instance_id = $1`,
      [instanceId],
    )
  })

  describe.each(LOOKS)('at 320 px by keyboard in $locale and $colorScheme', ({ locale, colorScheme, said }) => {
    const flaws: string[] = []
    let page: Page
    beforeAll(async () => {
      page = await harness.visit({ locale, colorScheme, bypassCSP: true, acceptDownloads: true, viewport: { width: 320, height: 640 } })
      await harness.go(page, '/audit')
    })
    afterAll(async () => await page?.context().close())

    const rows = () => page.locator('.grid tbody tr')
    async function look(what: string): Promise<void> {
      flaws.push(...(await listViolations(page)).map((flaw) => `${what}: ${flaw}`))
      const width = await page.evaluate('document.documentElement.scrollWidth')
      if (width !== 320) flaws.push(`${what} is ${width} px wide`)
    }
    async function press(name: string): Promise<void> {
      await page.getByRole('button', { name }).focus()
      await page.keyboard.press('Enter')
    }

    it('pages through 20,000 entries', async () => {
      await rows().first().waitFor()
      const first = await rows().first().textContent()
      await press(said.older)
      await page.getByRole('button', { name: said.newest }).waitFor()
      await expect.poll(async () => await rows().first().textContent()).not.toBe(first)
      expect(await rows().count()).toBe(50)
      await look('an older page')
      await press(said.newest)
      await expect.poll(async () => await page.getByRole('button', { name: said.newest }).count()).toBe(0)
    })

    it('shows what an API key has changed, before and after, without addresses', async () => {
      await page.getByLabel(said.actor).selectOption({ label: said.key })
      await page.getByLabel(said.kind).selectOption({ label: said.changed })
      await expect.poll(async () => await rows().count()).toBe(1)
      const text = (await rows().first().textContent()) ?? ''
      expect(text).toContain('Laval → Lévis')
      expect(text).toContain('192.0.2.77')
      expect(text).toContain(said.withheld)
      expect(text).not.toContain('rue')
      await look('a filtered page')
    })

    it('downloads the filtered entries as CSV and as JSON lines', async () => {
      const texts: string[] = []
      for (const [name, file] of [[said.csv, 'audit.csv'] as const, [said.jsonl, 'audit.jsonl'] as const]) {
        const saved = page.waitForEvent('download')
        await press(name)
        const download = await saved
        expect(download.suggestedFilename()).toBe(file)
        texts.push(await readFile(await download.path(), 'utf8'))
      }
      expect(texts.map((text) => text.trim().split('\n').length)).toEqual([2, 1])
      await press(said.clear)
      await expect.poll(async () => await rows().count()).toBe(50)
      await page.getByLabel(said.network).first().fill('203.0.113.250')
      await expect.poll(async () => await rows().count()).toBe(0)
      expect(flaws).toEqual([])
    })
  })
})
