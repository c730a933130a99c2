import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { type BrowserHarness, openBrowserHarness } from './kit/browser-harness.ts'

describe.skipIf(lacksBrowser)(`an owner in a browser${browserNote}`, () => {
  let tour: BrowserHarness
  const folder = folderForTests()
  let hugeFile: string

  beforeAll(async () => {
    hugeFile = join(folder.path, 'huge.ofx')
    await writeFile(hugeFile, Buffer.alloc(40 * 1024 * 1024, 'x'))
    tour = await openBrowserHarness()
  })
  afterAll(async () => {
    await tour?.close()
  })

  it('moves the focus to the heading of each page and to the summary of errors', async () => {
    const { page, context } = await tour.visit()
    await tour.routes.form?.(page)
    // The browser sets the focus some time after it shows the page.
    await page.waitForSelector('h1:focus')
    await tour.submit(page)
    await page.waitForSelector('.summary:focus')
    await context.close()
  })

  it('connects the selected bank through Plaid, and sees its name at the end', async () => {
    const { page, context, complaints } = await tour.visit({ locale: 'fr-CA' })
    await tour.routes['bank-chosen']?.(page)
    const bank = (await page.textContent('h1'))?.replace('Connectez ', '')
    await tour.submit(page)
    await page.waitForURL(/\/hosted\//)
    await page.fill('#username', 'user_good')
    await page.fill('#password', 'pass_good')
    await page.click('form[action$="/login"] button')
    await page.click('form[action$="/accounts"] button')
    await page.click('form[action$="/finish"] button')
    await page.waitForURL(/connect\/done/)
    expect([await page.textContent('h1'), await page.textContent('h3'), complaints]).toEqual(['La connexion est établie', bank, []])
    await context.close()
  })

  it('who leaves Plaid without a bank gets the reason in Plaid’s words, and may try again', async () => {
    const { page, context } = await tour.visit()
    await tour.routes['bank-chosen']?.(page)
    await tour.submit(page)
    await page.waitForURL(/\/hosted\//)
    await page.click('form[action$="/exit"] button')
    await page.waitForURL(/connect\/callback/)
    expect(await page.textContent('h1')).toBe('Nothing was connected')
    await page.click('a.button')
    await page.waitForURL(/institutions/)
    await context.close()
  })

  it('returns from the source to our page with the back button', async () => {
    const { page, context } = await tour.visit()
    await tour.routes.redirect?.(page)
    await tour.submit(page)
    await page.waitForURL(/oauth2/)
    await page.goBack()
    await page.waitForURL(/connect\/source/)
    expect(await page.textContent('h1')).toBe('Sign in to QuickBooks Online')
    await context.close()
  })

  it('sees a message for a file that is too large, instead of a broken connection', async () => {
    const { page, context } = await tour.visit()
    await tour.routes.upload?.(page)
    await page.setInputFiles('#field-files', hugeFile)
    await tour.submit(page)
    await page.waitForSelector('.summary')
    expect(await page.textContent('.error')).toContain('larger than 25\u00a0MB')
    await context.close()
  })

  it('sees the progress of the first sync without a reload', async () => {
    const { page, context, complaints } = await tour.visit()
    await tour.routes.done?.(page)
    await page.evaluate(`document.body.setAttribute('data-same', '')`)
    await tour.makeReady()
    await page.waitForSelector('.state.ready')
    expect([await page.locator('body[data-same]').count(), complaints]).toEqual([1, []])
    await context.close()
  })

  it('keeps two links open side by side', async () => {
    const { page, context } = await tour.visit()
    const other = await context.newPage()
    await page.goto(await tour.connectHarness.link('form-source'))
    await other.goto(await tour.connectHarness.link('bank-files'))
    await tour.agree(page)
    await page.waitForURL(/connect\/source/)
    await tour.agree(other)
    await other.waitForURL(/connect\/source/)
    await page.reload()
    expect([await page.textContent('h1'), await other.textContent('h1')]).toEqual(['Connect Grand livre', 'Upload your bank statements'])
    await context.close()
  })

  it('runs no script injected by a name', async () => {
    const nasty = '"><script>document.title="owned"</script><img src=x onerror=alert(1)>\u202E\u0000😀'.replace('\u0000', '')
    const { page, context, complaints } = await tour.visit()
    const companyId = await tour.connectHarness.addCompany(nasty)
    await page.goto(await tour.connectHarness.link('form-source', companyId))
    await tour.agree(page)
    await page.fill('#field-address', nasty)
    await page.fill('#field-note', nasty.repeat(9))
    await page.fill('#field-password', 'secret ')
    await tour.submit(page)
    await page.waitForURL(/connect\/done/)
    expect([await page.title(), complaints, await page.locator('main script, main img[src=x]').count()]).toEqual([
      'You are connected',
      [],
      0,
    ])
    await context.close()
  })
})
