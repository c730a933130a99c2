import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentationRoutes } from '../../src/documentation/routes.ts'
import { buildDocumentation } from '../../src/process/built/documentation-files.ts'
import { readReferencePages } from '../../tools/docs/api-document.ts'
import { listViolationsInBothThemes } from '../harness/axe.ts'
import { browserNote, lacksBrowser, openBrowser } from '../harness/browser.ts'
import { bearerOf, type TestApi, testApi } from '../harness/test-api.ts'
import { BASE_URL } from './harness.ts'

describe.skipIf(lacksBrowser)(`operations tried from the reference${browserNote}`, () => {
  let api: TestApi
  let browser: Browser
  let closeBrowser: () => Promise<void>
  let address: string
  let token: string
  const heard: { url: string; cookie: string | undefined }[] = []
  beforeAll(async () => {
    const folder = await buildDocumentation()
    api = await testApi()
    api.app.register(documentationRoutes({ folder: () => folder, baseUrl: BASE_URL, reference: readReferencePages }))
    api.app.addHook('onRequest', async ({ url, headers }) => {
      if (url.startsWith('/admin/')) heard.push({ url, cookie: headers.cookie })
    })
    address = await api.app.listen({ host: '127.0.0.1', port: 0 })
    const { email } = await api.addUser()
    token = (await bearerOf(api, email)).authorization.slice('Bearer '.length)
    const opened = await openBrowser()
    browser = opened.browser
    closeBrowser = opened.close
  })
  afterAll(async () => {
    await closeBrowser()
    await api.close()
  })

  /** Opens the form of an operation. */
  async function openForm(page: Page, id: string) {
    const place = page.getByRole('article').filter({ has: page.locator(`h2#${id}`) })
    await place.getByText('Try it', { exact: true }).click()
    const form = place.locator('form')
    return { form, status: form.getByRole('status') }
  }

  it('sends what the form says with the key of the reader, and shows status and body', async () => {
    const context = await browser.newContext()
    await context.addCookies([{ name: 'session', value: 'of-the-portal', url: address }])
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(`${address}/docs/reference/companies`)
    const create = await openForm(page, 'createCompany')
    await create.form.getByLabel('API key or token').fill(token)
    await create.form.getByLabel('Body').fill('{"name":"Maple Bakery"}')
    await create.form.getByRole('button', { name: 'Send POST' }).click()
    await create.status.getByText('Status 20').waitFor()
    // The key is kept while the page is open.
    const list = await openForm(page, 'listCompanies')
    await list.form.getByLabel('PageSize').fill('10')
    await list.form.getByRole('button', { name: 'Send GET' }).click()
    await list.status.getByText('Maple Bakery').waitFor()
    expect(await list.status.textContent()).toContain('Status 200')
    expect(heard.at(-1)).toEqual({ url: '/admin/api/v1/normalized-data/companies?PageSize=10', cookie: undefined })
    expect(await page.evaluate('[localStorage.length, sessionStorage.length]')).toEqual([0, 0])
    await page.reload()
    const again = await openForm(page, 'getCompany')
    expect(await again.form.getByLabel('API key or token').inputValue()).toBe('')
    await again.form.getByLabel('API key or token').fill(token)
    await again.form.getByLabel('companyId').fill('../../users')
    await again.form.getByRole('button', { name: 'Send GET' }).click()
    await again.status.getByText('Status 40').waitFor()
    expect(heard.at(-1)?.url).toBe('/admin/api/v1/normalized-data/companies/..%2F..%2Fusers')
    await context.close()
    expect(complaints.filter((text) => !/favicon|40[04]/.test(text))).toEqual([])
  })

  it('has forms without faults that axe finds, in both themes, and in 320 pixels', async () => {
    const page = await browser.newPage({ bypassCSP: true, viewport: { width: 320, height: 640 } })
    await page.goto(`${address}/docs/reference/companies`)
    const { form } = await openForm(page, 'createCompany')
    await form.getByRole('button', { name: 'Send POST' }).click()
    await form.getByRole('status').getByText('Status 401').waitFor()
    const found = await listViolationsInBothThemes(page)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    await page.close()
    expect([found, width]).toEqual([[], 320])
  })

  it('leads from where the page was before', async () => {
    const answer = await api.app.inject({ url: '/admin/api/docs' })
    expect([answer.statusCode, answer.headers.location]).toEqual([308, '/docs/reference'])
  })
})
