import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openInProcessHarness } from './harness/in-process-harness.ts'

const LOOKS = [
  {
    locale: 'en-CA',
    colorScheme: 'light',
    said: {
      add: 'Create a key',
      create: 'Create',
      kept: 'I have saved it',
      rotate: 'Rotate',
      revoke: 'Revoke',
      revoked: 'Revoked',
      turnOn: 'Allow assistants',
      turnOff: 'Disable assistants',
    },
  },
  {
    locale: 'fr-CA',
    colorScheme: 'dark',
    said: {
      add: 'Créer une clé',
      create: 'Créer',
      kept: 'Je l’ai conservée',
      rotate: 'Remplacer',
      revoke: 'Révoquer',
      revoked: 'Révoquée',
      turnOn: 'Autoriser les assistants',
      turnOff: 'Désactiver les assistants',
    },
  },
] as const

describe.skipIf(lacksBrowser)(`API keys at the portal${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)

  describe.each(LOOKS)('at 320 px by keyboard in $locale and $colorScheme', ({ locale, colorScheme, said }) => {
    const name = `Import ${locale}`
    const flaws: string[] = []
    let page: Page
    let first = ''
    beforeAll(async () => {
      page = await harness.visit({ locale, colorScheme, bypassCSP: true, viewport: { width: 320, height: 640 } })
      await harness.go(page, '/api-keys')
    })
    afterAll(async () => await page?.context().close())

    const dialog = () => page.locator('.mantine-Modal-content')
    const rowOf = (state: string) => page.locator('tr', { hasText: name }).filter({ hasText: state })
    const companies = async (key: string) => {
      const url = '/admin/api/v1/normalized-data/companies'
      return (await harness.api.app.inject({ url, headers: { authorization: `Bearer ${key}` } })).statusCode
    }

    async function look(what: string): Promise<void> {
      // A box that is half behind the heading of a scrolled dialog would be a small target.
      await page.evaluate(`document.querySelector('.mantine-Modal-content')?.scrollTo({ top: 0, behavior: 'instant' })`)
      flaws.push(...(await listViolations(page)).map((flaw) => `${what}: ${flaw}`))
      const width = await page.evaluate('document.documentElement.scrollWidth')
      if (width !== 320) flaws.push(`${what} is ${width} px wide`)
    }

    /** Activates a button of an element by keyboard, starting from the focus. */
    async function press(button: ReturnType<Page['locator']>): Promise<void> {
      await button.focus()
      await page.keyboard.press('Enter')
    }

    /** Returns the key from the dialog that shows it once, and closes it; the focus returns. */
    async function takeKey(): Promise<string> {
      const shown = dialog().locator('pre')
      await shown.waitFor()
      await look('the new key')
      const key = (await shown.textContent()) ?? ''
      await page.keyboard.press('Escape')
      expect(await shown.isVisible()).toBe(true)
      await press(dialog().getByRole('button', { name: said.kept }))
      await shown.waitFor({ state: 'detached' })
      return key
    }

    it('a key is created with the selected scopes, and shown once', async () => {
      await press(page.getByRole('button', { name: said.add }))
      await dialog().locator('input[name=name]').waitFor()
      await look('the form')
      await page.keyboard.type(name)
      await page.keyboard.press('Tab')
      await page.keyboard.press('Space')
      await press(dialog().getByRole('button', { name: said.create, exact: true }))
      first = await takeKey()
      await rowOf(first.slice(0, 16)).waitFor()
      await look('the list')
      expect([await companies(first), (await page.content()).includes(first)]).toEqual([200, false])
    })

    it('one without a scope is refused, and the dialog says why', async () => {
      await press(page.getByRole('button', { name: said.add }))
      await dialog().locator('input[name=name]').fill('Nothing')
      await press(dialog().getByRole('button', { name: said.create, exact: true }))
      await dialog().locator('.problem').waitFor()
      await look('a refusal')
      await page.keyboard.press('Escape')
      await dialog().waitFor({ state: 'detached' })
    })

    it('a rotated key: both work, and the old one can only be revoked', async () => {
      await press(rowOf(first.slice(0, 16)).getByRole('button', { name: said.rotate }))
      await dialog().locator('select').waitFor()
      await look('the rotation')
      await press(dialog().getByRole('button', { name: said.rotate, exact: true }))
      const second = await takeKey()
      const old = rowOf(first.slice(0, 16))
      await old.getByRole('button', { name: said.rotate }).waitFor({ state: 'detached' })
      expect([await companies(first), await companies(second)]).toEqual([200, 200])
    })

    it('assistants may read once it is confirmed, and then no longer', async () => {
      for (const [label, next] of [
        [said.turnOn, said.turnOff],
        [said.turnOff, said.turnOn],
      ] as const) {
        await press(page.getByRole('button', { name: label, exact: true }))
        await dialog().waitFor()
        await look(label)
        await press(dialog().getByRole('button', { name: label, exact: true }))
        await dialog().waitFor({ state: 'detached' })
        await page.getByRole('button', { name: next, exact: true }).waitFor()
        await look(next)
        expect(await page.getByText('/mcp').count()).toBe(next === said.turnOff ? 1 : 0)
      }
    })

    it('a key is revoked after a confirmation, and refused from then on', async () => {
      const old = rowOf(first.slice(0, 16))
      await press(old.getByRole('button', { name: said.revoke }))
      await dialog().waitFor()
      await look('the question')
      await press(dialog().getByRole('button', { name: said.revoke, exact: true }))
      await rowOf(said.revoked).waitFor()
      await look('an ended key')
      harness.api.moveClock(1_000)
      expect([await companies(first), flaws]).toEqual([401, []])
    })
  })
})
