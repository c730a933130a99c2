import { describe, expect, it } from 'vitest'
import { openBrowserHarness } from '../connect/kit/browser-harness.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'

describe.skipIf(lacksBrowser)(`the owner’s own page in a browser${browserNote}`, () => {
  const tour = openForTests(openBrowserHarness)

  it('is reached, and a permission withdrawn, by keyboard alone and without scripts', async () => {
    const { page, context } = await tour.visit({ javaScriptEnabled: false })
    await tour.routes.yours?.(page)
    await page.focus('main a[href*="yours/withdraw"]')
    await page.keyboard.press('Enter')
    await page.waitForURL(/yours\/withdraw/)
    await page.focus('form[method=post] button')
    await page.keyboard.press('Enter')
    await page.waitForURL(/yours\/receipt/)
    expect(await page.textContent('h1')).toBe('Your permission has been withdrawn')
    await page.goBack()
    await page.waitForURL(/connect\/yours/)
    expect(await page.textContent('main')).toContain('No longer connected')
    await context.close()
  })

  it('announces each change of the first sync once, and shows its times in the browser’s time zone', async () => {
    const { page, context, complaints } = await tour.visit({ timezoneId: 'America/Montreal' })
    await tour.routes.done?.(page)
    expect(await page.textContent('.times time')).toMatch(/^\d{1,2}:\d\d\s[ap]\.m\. E[SD]T$/)
    await tour.makeReady()
    await page.waitForSelector('.state.ready')
    expect([await page.textContent('#news'), await page.locator('#moving').count()]).toEqual(['Bank statements. Ready', 0])
    expect(complaints).toEqual([])
    await context.close()
  })
})
