import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openBrowserHarness } from './kit/browser-harness.ts'

const statement = fileURLToPath(new URL('../../simulators/statements/caisse-du-plateau.ofx', import.meta.url))
/** Sufficient on a slow, busy machine; an idle one needs a tenth of it. */
const INTERACTIVE_MS = 2_000

describe.skipIf(lacksBrowser)(`an owner whose browser runs no scripts${browserNote}`, () => {
  const tour = openForTests(openBrowserHarness)

  it.each(['en-CA', 'fr-CA'])('connects through a source that redirects the browser to its own page, in %s', async (locale) => {
    const { page, context } = await tour.visit({ javaScriptEnabled: false, locale })
    await tour.routes.redirect?.(page)
    await tour.submit(page)
    await page.waitForURL(/oauth2/)
    await page.click('button[value=connect]')
    await page.waitForURL(/connect\/done/)
    await context.close()
  })

  it.each(['en-CA', 'fr-CA'])('connects through a form, corrected once, in %s', async (locale) => {
    const { page, context } = await tour.visit({ javaScriptEnabled: false, locale })
    await tour.routes['form-wrong']?.(page)
    await page.fill('#field-password', 'secret ')
    await tour.submit(page)
    await page.waitForURL(/connect\/done/)
    await context.close()
  })

  it.each(['en-CA', 'fr-CA'])('uploads files, refused once, in %s', async (locale) => {
    const { page, context } = await tour.visit({ javaScriptEnabled: false, locale })
    await tour.routes['upload-wrong']?.(page)
    await page.setInputFiles('#field-files', statement)
    await tour.submit(page)
    await page.waitForURL(/connect\/done/)
    await context.close()
  })

  it.each(['en-CA', 'fr-CA'])('goes from a missing bank to statements, in %s', async (locale) => {
    const { page, context } = await tour.visit({ javaScriptEnabled: false, locale })
    await tour.routes['bank-noted']?.(page)
    await page.click('form[action*="statements"] button')
    await page.waitForURL(/connect\/consent/)
    await tour.agree(page)
    await page.setInputFiles('#field-files', statement)
    await tour.submit(page)
    await page.waitForURL(/connect\/done/)
    await context.close()
  })

  it('has each page ready to use in less than two seconds', async () => {
    const { page, context } = await tour.visit()
    const slow: string[] = []
    for (const name of ['consent', 'bank', 'redirect', 'form', 'upload', 'done', 'accessibility']) {
      await tour.routes[name]?.(page)
      const readyMs: number = await page.evaluate(`performance.getEntriesByType('navigation')[0].domInteractive`)
      if (readyMs > INTERACTIVE_MS) slow.push(`${name} took ${Math.round(readyMs)} ms`)
    }
    expect(slow).toEqual([])
    await context.close()
  })
})
