import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openPortalHarness, settle } from './harness/portal-harness.ts'

interface Field {
  name: string
  type: string
  autocomplete: string
  takesPaste: boolean
}

/** Fields that hold a password, by their name or what the browser may fill in; a paste into each is tried. */
const FIELDS = `[...document.querySelectorAll('input')].filter(({ name, autocomplete, type }) => /password/i.test(name + autocomplete + type)).map((field) => ({
  name: field.name, type: field.type, autocomplete: field.autocomplete,
  takesPaste: field.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: new DataTransfer() })) && !field.readOnly,
}))`

describe.skipIf(lacksBrowser)(`fields for passwords in the portal${browserNote}`, () => {
  const harness = openForTests(openPortalHarness)

  async function fieldsAt(page: Page, path: string): Promise<Field[]> {
    await harness.go(page, path)
    return await page.evaluate<Field[]>(FIELDS)
  }

  it('are masked, and take what is pasted or what a password manager fills in', async () => {
    const { page: outside, context: signedOut } = await harness.visit({ isSignedIn: false })
    const { page, context } = await harness.visit()
    const found = [
      ...(await fieldsAt(outside, '/sign-in')),
      ...(await fieldsAt(outside, '/new-password#token')),
      ...(await fieldsAt(outside, '/operator/sign-in')),
      ...(await fieldsAt(page, '/account')),
      ...(await fieldsAt(page, '/members?do=add')),
    ]
    expect(found.length).toBeGreaterThan(5)
    for (const field of found)
      expect(field).toMatchObject({ type: 'password', autocomplete: expect.stringMatching(/^(current|new)-password$/), takesPaste: true })
    await signedOut.close()
    await context.close()
  })

  it('show what was pasted into them only on request', async () => {
    const { page, context } = await harness.visit({ isSignedIn: false, permissions: ['clipboard-read', 'clipboard-write'] })
    await harness.go(page, '/sign-in')
    const field = page.locator('input[name=password]')
    await page.evaluate(`navigator.clipboard.writeText('crimson orchard lantern 47')`)
    await field.focus()
    await page.keyboard.press('Control+V')
    expect([await field.inputValue(), await field.getAttribute('type')]).toEqual(['crimson orchard lantern 47', 'password'])
    await context.close()
  })

  it('every page has a button that ends the session', async () => {
    const { page, context } = await harness.visit()
    const paths = [
      '/companies',
      '/inbox',
      '/webhooks',
      '/webhooks/deliveries',
      '/webhooks/feed',
      '/catalogue',
      '/exports',
      '/funnel',
      '/usage',
    ]
    const others = [
      '/mail',
      '/health',
      '/sandbox',
      '/owner-pages',
      '/members',
      '/provisioning',
      '/api-keys',
      '/audit',
      '/account',
      '/nowhere',
    ]
    const without: string[] = []
    for (const path of [...paths, ...others]) {
      await harness.go(page, path)
      if (!(await page.getByRole('button', { name: 'Sign out', exact: true }).isVisible())) without.push(path)
    }
    expect(without).toEqual([])
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await settle(page)
    await page.waitForSelector('input[name=password]')
    await context.close()
  }, 120_000)
})
