import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf } from '../harness/test-api.ts'
import { openInProcessHarness } from './harness/in-process-harness.ts'

const LOOKS = [
  { locale: 'en-CA', colorScheme: 'light', said: { current: 'Current session', end: 'End', other: 'Other program' } },
  { locale: 'fr-CA', colorScheme: 'dark', said: { current: 'Session actuelle', end: 'Terminer', other: 'Un autre programme' } },
] as const

describe.skipIf(lacksBrowser)(`own sessions at the portal${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)

  it.each(LOOKS)(
    'are listed and ended one by one at 320 px by keyboard in $locale and $colorScheme',
    async ({ locale, colorScheme, said }) => {
      const { api } = harness
      const lost = await bearerOf(api, harness.email)
      const page: Page = await harness.visit({ locale, colorScheme, bypassCSP: true, viewport: { width: 320, height: 640 } })
      await harness.go(page, '/account')
      const rows = page.locator('section', { hasText: said.current }).last().locator('tbody tr')
      const other = rows.filter({ hasText: said.other })
      await other.first().waitFor()
      const before = await rows.count()
      const flaws = await listViolations(page)
      await other.first().getByRole('button').focus()
      await page.keyboard.press('Enter')
      const dialog = page.locator('.mantine-Modal-content')
      await dialog.waitFor()
      flaws.push(...(await listViolations(page)))
      await dialog.getByRole('button', { name: said.end, exact: true }).focus()
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
      await other.first().waitFor({ state: 'detached' })
      api.moveClock(1_000)
      const url = '/admin/api/v1/auth/me'
      expect((await api.app.inject({ url, headers: lost })).statusCode).toBe(401)
      expect([flaws, await rows.count(), await rows.filter({ hasText: said.current }).getByRole('button').count()]).toEqual([
        [],
        before - 1,
        0,
      ])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
      await page.context().close()
    },
  )
})
