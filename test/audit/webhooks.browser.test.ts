import { describe, expect, it } from 'vitest'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openInProcessHarness } from '../portal/harness/in-process-harness.ts'

const LOOKS = [
  { locale: 'en-CA', colorScheme: 'light', said: { add: 'Add an endpoint', event: 'Event', hint: 'Administrators only.' } },
  {
    locale: 'fr-CA',
    colorScheme: 'dark',
    said: { add: 'Ajouter un point de réception', event: 'Événement', hint: 'Réservé aux administrateurs.' },
  },
] as const

describe.skipIf(lacksBrowser)(`subscribing to audit entries at the portal${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)

  it.each(LOOKS)(
    'an administrator does it by keyboard at 320 px in $locale',
    async ({ locale, colorScheme, said }) => {
      const page = await harness.visit({ locale, colorScheme, bypassCSP: true, viewport: { width: 320, height: 640 } })
      await harness.go(page, '/webhooks')
      await page.getByRole('button', { name: said.add }).press('Enter')
      const dialog = page.locator('.mantine-Modal-content')
      await dialog.getByText(said.hint).waitFor()
      expect(await listViolations(page)).toEqual([])
      const choice = dialog.getByLabel(said.event)
      await choice.focus()
      await page.keyboard.type('AuditE')
      expect(await choice.inputValue()).toBe('AuditEntry')
      await page.keyboard.press('Tab')
      await page.keyboard.type(`https://lender.example/audit/${locale}`)
      await page.keyboard.press('Enter')
      await dialog.locator('pre').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
      const { rows } = await harness.api.deps.database.query('select 1 from subscriptions where event = $1 and callback_url like $2', [
        'AuditEntry',
        `%/${locale}`,
      ])
      expect(rows).toHaveLength(1)
      await page.context().close()
    },
    60_000,
  )
})
