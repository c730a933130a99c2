import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD } from '../harness/test-api.ts'
import { openInProcessHarness } from './harness/in-process-harness.ts'

/** A part of the API that fails, and the page that uses it. */
const FAILING: [string, string][] = [
  ['/companies', '/data-connection/statuses'],
  ['/companies/00000000-0000-4000-8000-000000000000', '/nothing-fails'],
]
const LOOKS = [
  { locale: 'en-CA', colorScheme: 'light', save: 'Save' },
  { locale: 'fr-CA', colorScheme: 'dark', save: 'Enregistrer' },
] as const

describe.skipIf(lacksBrowser)(`saving at the portal${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)
  let page: Page

  beforeAll(async () => {
    const { database } = harness.api.deps
    await database.query(
      `insert into companies (instance_id, id, name) select $1, gen_random_uuid(), 'Société ' || n from generate_series(1, 60) n`,
      [harness.api.instanceId],
    )
    page = await harness.visit()
  })
  afterEach(async () => await page.unrouteAll({ behavior: 'wait' }))

  /** Holds requests that change something at an address until they are released or dropped. */
  async function hold(part: string) {
    const [asked, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<'on' | 'lost'>()]
    await page.route(
      (url) => url.pathname.includes(part),
      async (route) => {
        if (route.request().method() === 'GET') return await route.continue()
        asked.resolve()
        await ((await ending.promise) === 'on' ? route.continue() : route.abort())
      },
    )
    return { asked: asked.promise, end: ending.resolve }
  }

  it('settings keep what is typed while they are saved, and show that it is unsaved', async () => {
    await harness.go(page, '/owner-pages')
    await page.fill('input[name=publicName]', 'Prêts Érable')
    await page.click('text=Add a purpose')
    const purpose = page.locator('fieldset.purpose')
    await purpose.locator('input >> nth=0').fill('credit')
    await purpose.locator('textarea:not([aria-hidden]) >> nth=0').fill('To lend.')
    await purpose.locator('textarea:not([aria-hidden]) >> nth=1').fill('Pour prêter.')
    const save = await hold('/owner-pages')
    await page.click('button[type=submit]')
    await save.asked
    await page.fill('input[name=contact]', 'help@example.com')
    await purpose.locator('textarea:not([aria-hidden]) >> nth=0').fill('To lend to you.')
    save.end('on')
    await page.locator('output', { hasText: 'except for the changes you made' }).waitFor()
    const kept = [
      await page.inputValue('input[name=contact]'),
      await purpose.locator('textarea:not([aria-hidden]) >> nth=0').inputValue(),
      await purpose.locator('input >> nth=0').getAttribute('readonly'),
    ]
    await page.click('button[type=submit]')
    await page.locator('output', { hasText: /^Saved\.$/ }).waitFor()
    await page.reload()
    expect([...kept, await page.inputValue('input[name=contact]')]).toEqual(['help@example.com', 'To lend to you.', '', 'help@example.com'])
  })

  it('a dialog accepts no input that closing would lose, and restores everything if saving fails', async () => {
    await harness.go(page, '/companies?do=add')
    const name = page.locator('input[name=name]')
    await name.fill('Ferme du Lac')
    const save = await hold('/normalized-data/company')
    await name.press('Enter')
    await save.asked
    await page.locator('input[name=name]:disabled').waitFor()
    save.end('lost')
    await page.locator('.mantine-Modal-content .problem').waitFor()
    await page.keyboard.type(' Bleu')
    expect(await name.inputValue()).toBe('Ferme du Lac Bleu')
  })

  describe.each(LOOKS)('errors, in $locale and $colorScheme', ({ locale, colorScheme, save }) => {
    const flaws: string[] = []
    let seen: Page
    beforeAll(async () => {
      seen = await harness.visit({ locale, colorScheme, bypassCSP: true, viewport: { width: 320, height: 640 } })
    })
    afterAll(async () => await seen?.context().close())

    async function look(what: string): Promise<void> {
      flaws.push(...(await listViolations(seen)).map((flaw) => `${what}: ${flaw}`))
      const width = await seen.evaluate('document.documentElement.scrollWidth')
      if (width !== 320) flaws.push(`${what} is ${width} px wide`)
    }

    it('fit 320 px and meet WCAG 2.2 AA: notices, pagers, dialogs', async () => {
      for (const [path, part] of FAILING) {
        const isMeant = (url: URL) => decodeURIComponent(url.href).includes(part)
        await seen.route(isMeant, (route) => route.fulfill({ status: 500, json: { Message: 'It failed.' } }))
        await harness.go(seen, path)
        const told = await seen.locator('.problem').first().innerText()
        if (told.includes('null')) flaws.push(`${path} tells of nothing: ${told}`)
        await look(path)
        await seen.unroute(isMeant)
      }
      await harness.go(seen, '/companies?page=2')
      await look('a pager')
      await harness.go(seen, '/members?do=add')
      await seen.fill('input[name=name]', 'Noor')
      await seen.fill('input[name=email]', harness.email)
      await seen.fill('input[name=password]', PASSWORD)
      await seen.click(`button[type=submit]:has-text("${save}")`)
      await seen.locator('.mantine-Modal-content .problem').waitFor()
      await look('a dialog')
      expect(flaws).toEqual([])
    })
  })

  it('a changed password is cleared from its fields, except what was typed since', async () => {
    await harness.go(page, '/account')
    await page.fill('input[name=password] >> nth=0', PASSWORD)
    await page.fill('input[name=newPassword]', 'quiet-orchard-lantern-58')
    const save = await hold('/auth/password')
    await page.press('input[name=newPassword]', 'Enter')
    await save.asked
    await page.fill('input[name=newPassword]', 'another-thought')
    save.end('on')
    await page.locator('[role=status]', { hasText: 'except for the changes you made' }).waitFor()
    expect([await page.inputValue('input[name=password] >> nth=0'), await page.inputValue('input[name=newPassword]')]).toEqual([
      '',
      'another-thought',
    ])
  })
})
