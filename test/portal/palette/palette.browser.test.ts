import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listViolationsInBothThemes } from '../../harness/axe.ts'
import { browserNote, lacksBrowser } from '../../harness/browser.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { type InProcessHarness, openInProcessHarness } from '../harness/in-process-harness.ts'

const LANGUAGES = [
  { locale: 'en-CA', dialog: 'Go to a page or run an action', one: '1 result', none: 'No results', deliveries: 'Deliveries' },
  { locale: 'fr-CA', dialog: 'Aller à une page ou lancer une action', one: '1 résultat', none: 'Aucun résultat', deliveries: 'Livraisons' },
]
const SERVICE = 'b3b60fc5-8c7a-4a50-9d7e-0a5f0b2f0a11'

describe.skipIf(lacksBrowser)(`the palette${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)
  let page: Page
  const query = <Row extends object>(text: string, values: unknown[] = []) =>
    harness.api.deps.database.query<Row>(text, [harness.api.instanceId, ...values])

  beforeAll(async () => {
    await query(`insert into companies (instance_id, id, name) select $1, gen_random_uuid(), name
      from unnest(array['Live Co', 'Olive et fils', 'Café Oliveraie', 'Zeta Live']) name`)
    await query(
      `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, refresh_hours,
         update_scheduled_at)
       select $1, gen_random_uuid(), id, $2, 'books', 'Accounting', '', 15, 24, clock_timestamp() from companies
       where instance_id = $1 and name = 'Live Co'`,
      [SERVICE],
    )
  })
  afterEach(async () => await page?.context().close())

  async function open(options: Parameters<InProcessHarness['visit']>[0] = {}): Promise<void> {
    page = await harness.visit(options)
    await page.context().clock.resume()
    await harness.go(page, '/usage')
    await page.keyboard.press('Control+k')
    await page.locator('[role=dialog]').getByRole('combobox').waitFor()
  }
  const type = (words: string) => page.locator('[role=dialog]').getByRole('combobox').pressSequentially(words)
  const options = () => page.locator('[role=dialog] [role=option]').allInnerTexts()
  const active = async () => {
    const id = await page.locator('[role=dialog]').getByRole('combobox').getAttribute('aria-activedescendant')
    return await page.locator(`[id="${id}"]`).innerText()
  }

  describe.each(LANGUAGES)('in $locale', ({ locale, dialog, one, none, deliveries }) => {
    it('has a name, a field that controls a list, and no axe violations: open, with results, with none', async () => {
      await open({ locale, bypassCSP: true })
      await page.getByRole('dialog', { name: dialog }).waitFor()
      const flaws = [...(await listViolationsInBothThemes(page))]
      await type('live')
      await page.locator('[role=dialog]').getByRole('option', { name: 'Live Co' }).first().waitFor()
      flaws.push(...(await listViolationsInBothThemes(page)))
      await type(' xyzzy')
      await page.getByText(none).waitFor()
      flaws.push(...(await listViolationsInBothThemes(page)))
      expect(flaws).toEqual([])
    })

    it('announces the number of results, and the selected one', async () => {
      await open({ locale })
      await type('zeta')
      await page.getByRole('status').filter({ hasText: one }).waitFor()
      await page.locator('[role=dialog]').getByRole('combobox').fill('')
      const [first = '', second = ''] = await options()
      expect(await active()).toBe(first)
      await page.keyboard.press('ArrowDown')
      expect(await active()).toBe(second)
      expect(await page.locator('[role=option][aria-selected=true]').innerText()).toBe(second)
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('ArrowUp')
      expect(await active()).toBe((await options()).at(-1))
    })

    it('ranks the beginning of a name before a word in it, and that before the inside of a word', async () => {
      await open({ locale })
      await type('live')
      await page.locator('[role=dialog]').getByRole('option', { name: 'Zeta Live' }).waitFor()
      const places = async (): Promise<number[]> => {
        const shown = await options()
        return ['Live Co', 'Zeta Live', 'Olive et fils'].map((name) => shown.findIndex((option) => option.startsWith(name)))
      }
      await expect.poll(async () => (await places()).includes(-1)).toBe(false)
      const [beginning = 0, word = 0, inside = 0] = await places()
      expect([beginning, beginning < word, word < inside]).toEqual([0, true, true])
      const menu = (await options()).findIndex((option) => option.startsWith(deliveries))
      expect(menu === -1 || menu > word).toBe(true)
      await page.keyboard.press('Enter')
      await page.waitForSelector('h1:has-text("Live Co")')
    })
  })

  it('finds companies and connections by their ids', async () => {
    const { rows } = await query<{ id: string; company: string }>(
      'select id, company_id as company from connections where instance_id = $1',
    )
    const [connection] = rows
    await open()
    await type(connection?.company ?? '')
    await page.locator('[role=dialog]').getByRole('option', { name: 'Live Co Company' }).waitFor()
    await page
      .locator('[role=dialog]')
      .getByRole('combobox')
      .fill(connection?.id ?? '')
    await page.locator('[role=dialog]').getByRole('option', { name: 'Connection' }).click()
    await page.waitForURL(new RegExp(`/companies/${connection?.company}/connections/${SERVICE}`))
  })
})
