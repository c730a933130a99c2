import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listViolationsInBothThemes } from '../../../test/harness/axe.ts'
import { browserNote, lacksBrowser, openBrowser } from '../../../test/harness/browser.ts'
import { type TestApi, testApi } from '../../../test/harness/test-api.ts'

describe.skipIf(lacksBrowser)(`the reference page in a browser${browserNote}`, () => {
  let api: TestApi
  let browser: Browser
  let closeBrowser: () => Promise<void>
  let address: string
  beforeAll(async () => {
    api = await testApi()
    address = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/admin/api/docs`
    const opened = await openBrowser()
    browser = opened.browser
    closeBrowser = opened.close
  })
  afterAll(async () => {
    await closeBrowser()
    await api.close()
  })

  it('has no fault that axe finds, in light and in dark colours', async () => {
    // Only the accessibility checker needs to bypass the page's policy.
    const page = await browser.newPage({ bypassCSP: true })
    await page.goto(address)
    const found = await listViolationsInBothThemes(page)
    await page.close()
    expect(found).toEqual([])
  })

  it('fits 320 pixels without scrolling sideways', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } })
    await page.goto(address)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    await page.close()
    expect(width).toBe(320)
  })

  it('breaks none of its own policy', async () => {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(address)
    const background = await page.evaluate('getComputedStyle(document.querySelector("pre")).backgroundColor')
    await page.close()
    expect([complaints.filter((text) => !text.includes('favicon')), background === 'rgba(0, 0, 0, 0)']).toEqual([[], false])
  })
})
