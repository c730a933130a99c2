import { TOTP } from 'otpauth'
import { afterEach, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openReceiver } from '../journey/receiver.ts'
import { until } from '../process/deadline.ts'
import { describeActions } from './harness/actions.ts'
import { type BrowserPage, openPortalHarness, type PortalHarness, settle } from './harness/portal-harness.ts'
import { breakBooks, HOSTILE_NAME } from './harness/screens.ts'

describe.skipIf(lacksBrowser)(`a developer at the portal${browserNote}`, () => {
  const harness = openForTests(openPortalHarness)
  const receiver = openForTests(openReceiver)
  const visits: BrowserPage[] = []
  afterEach(async () => {
    const complaints = visits.flatMap((visit) => visit.complaints)
    for (const { context } of visits.splice(0)) await context.close()
    expect(complaints).toEqual([])
  })

  async function visit(options?: Parameters<PortalHarness['visit']>[0]) {
    const opened = await harness.visit(options)
    visits.push(opened)
    return opened.page
  }

  async function signIn(page: BrowserPage['page'], { email, password } = harness.login): Promise<void> {
    await page.fill('input[name=email]', email)
    await page.fill('input[name=password]', password)
    await page.click('button[type=submit]')
  }

  it('signs in, adds a company, sends its owner a link, and sees the connection up to date', async () => {
    const page = await visit({ isSignedIn: false })
    await harness.go(page, '/companies')
    await signIn(page)
    await page.click('text=Add a company')
    await page.fill('input[name=name]', 'Fromagerie du Coin')
    await page.click('button:has-text("Save")')
    await page.waitForSelector('h1:has-text("Fromagerie du Coin")')
    await page.click('text=Create a link')
    await page.selectOption('.mantine-Modal-content select', { label: 'QuickBooks Online' })
    await page.click('button:has-text("Create link")')
    const link = await page.textContent('.made-link pre')
    expect(await page.getByRole('img', { name: 'QR code' }).count()).toBe(1)
    const owner = await visit({ isSignedIn: false })
    await owner.goto(link ?? '')
    for (const button of ['button[value=agree]', 'form[method=post] button', 'button[value=connect]']) await owner.click(button)
    await owner.waitForURL(/\/connect\/done/)
    await page.keyboard.press('Escape')
    await page.click('a:has-text("QuickBooks Online")')
    await page.waitForSelector('.timeline >> text=Up to date')
    const read = page.waitForResponse(/normalized-data/)
    await page.click('role=tab[name="Accounts"]')
    expect((await read).headers()['cache-control']).toBe('no-store')
    await page.click('a:has-text("Petite caisse")')
    expect(await page.textContent('tr:has-text("typeSystem")')).toMatch(/BANK.*table of QuickBooks Online.*\/AccountType/s)
  })

  it('finds the cause of a failed connection in the inbox, with the link and the message that repair it', async () => {
    const companyId = await harness.client.addCompany('Érablière de la Beauce')
    await breakBooks(harness, companyId, await harness.connectBooks(companyId))
    const page = await visit()
    await harness.go(page, '/inbox')
    const item = page.locator('article', { hasText: 'Érablière de la Beauce' })
    await item.locator('text=Access ended at the source').waitFor()
    await item.locator('button:has-text("Create repair link")').click()
    const messages = await item.locator('.messages').textContent()
    expect(messages).toMatch(/Please open the link below.*Veuillez ouvrir le lien ci-dessous/s)
    expect(messages).toContain(await item.locator('.made-link pre').textContent())
  })

  it('adds an endpoint, sees its secret once, and replays a delivery with its request and response', async () => {
    const page = await visit()
    await harness.go(page, '/webhooks')
    await page.click('text=Add an endpoint')
    await page.fill('input[name=callbackUrl]', receiver.url)
    await page.click('.mantine-Modal-content button:has-text("Create")')
    const secret = await page.textContent('.mantine-Modal-content pre')
    expect(secret).toMatch(/^whsec_/)
    await page.click('text=I have saved it')
    await page.click(`a:has-text("${receiver.url}")`)
    await page.click('text=Send test event')
    await receiver.first('the test', ({ MessageType }) => MessageType === 'NormalizedData')
    await page.click('text=View deliveries')
    await page.waitForSelector('td >> text=204')
    await page.click('.as-link')
    await page.waitForSelector('pre:has-text("NormalizedData")')
    await page.waitForSelector('text=Attempt 1 · 204')
    await page.keyboard.press('Escape')
    const before = receiver.arrivals.length
    await page.click('button:has-text("Resend")')
    await page.locator('.mantine-Modal-content').getByRole('button', { name: 'Resend' }).click()
    await until('the replay', () => (receiver.arrivals.length > before ? true : null))
    expect(await page.content()).not.toContain(secret)
  })

  it('receives events in the portal without a program, sees each signature verified, and rehearses a failure', async () => {
    const page = await visit()
    await harness.go(page, '/companies')
    await page.keyboard.press('Control+k')
    await page.locator('[role=dialog]').getByRole('combobox').fill('receiver')
    await page.getByRole('option', { name: 'Create a test receiver' }).click()
    await page.click('button:has-text("Create receiver")')
    await page.click('text=I have saved it')
    await page.waitForSelector('h1:has-text("Test receiver: NormalizedData")')
    const here = new URL(page.url()).pathname.replace('/portal', '')
    const { subscriptionId }: { subscriptionId: string } = JSON.parse((await harness.client.ask(here)).body)
    const test = () => harness.client.ask(`/webhooks/subscriptions/${subscriptionId}/test`, { method: 'POST' })
    await test()
    await page.locator('td', { hasText: /\bvalid\b/ }).waitFor()
    await page.click('button:has-text("Show")')
    await page.waitForSelector('.mantine-Modal-content pre:has-text("NormalizedData")')
    expect(await page.locator('.steps >> text=passed').count()).toBe(3)
    await page.reload()
    await page.waitForSelector('.mantine-Modal-content pre:has-text("NormalizedData")')
    await page.keyboard.press('Escape')
    await page.selectOption('main select', 'fail')
    await page.waitForSelector('td >> text=204')
    await test()
    await page.waitForSelector('td >> text=500')
    await page.click('button:has(:text-is("Delete"))')
    await page.click('.mantine-Modal-content button.danger-filled')
    await page.waitForSelector('h1:has-text("Webhooks")')
  })

  it('stays signed in over a reload, although no script can read a long-lived token', async () => {
    const page = await visit({ isSignedIn: false })
    await harness.go(page, '/companies?search=plateau')
    await signIn(page)
    await page.waitForSelector('a:has-text("Boulangerie du Plateau")')
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
    expect(kept).toBe('[{"portal-session":"yes"},{},""]')
    await page.reload()
    await page.waitForSelector('a:has-text("Boulangerie du Plateau")')
    await page.click('text=Sign out')
    await page.waitForSelector('input[name=password]')
    await page.reload()
    await page.waitForSelector('input[name=password]')
  })

  it('sets up two-step sign-in from the QR code, and signs in with a recovery code', async () => {
    const email = 'two@example.com'
    const password = 'violet-harbour-teapot-91'
    await harness.client.ask('/users', { method: 'POST', body: { email, password, name: 'Two Steps', role: 'viewer' } })
    const page = await visit({ isSignedIn: false })
    await harness.go(page, '/account')
    await signIn(page, { email, password })
    await page.fill('section:has-text("Two-step sign-in") input[name=password]', password)
    await page.click('text=Set up app')
    const secret = (await page.textContent('form:has(svg.qr) code')) ?? ''
    await page.fill('input[name=code]', new TOTP({ secret }).generate())
    await page.click('text=Turn on')
    const [recoveryCode = ''] = ((await page.textContent('.mantine-Modal-content pre')) ?? '').split('\n')
    await page.click('text=I have saved them')
    await page.click('text=Sign out')
    await signIn(page, { email, password })
    await page.click('text=Use a recovery code')
    await page.fill('input[name=proof]', recoveryCode)
    await page.click('text=Confirm')
    await page.waitForSelector('text=9 recovery codes left')
  })

  it('injects a fault into a simulator by name, and clears it', async () => {
    const page = await visit()
    await harness.go(page, '/sandbox?search=xero')
    const card = page.locator('.card')
    await card.locator('select[name=name]').selectOption('throttle')
    await card.locator('button:has-text("Simulate failure")').click()
    await card.locator('text=throttle × 1').waitFor()
    await card.locator('button:has-text("Reset")').click()
    await card.locator('text=throttle × 1').waitFor({ state: 'detached' })
    await card.locator('button:has-text("Advance")').click()
    await card.locator('text=1 h ahead').waitFor()
  })

  it('reaches every page by keyboard, and exports any screen as curl', async () => {
    const page = await visit()
    await harness.go(page, '/companies')
    await page.keyboard.press('Control+k')
    await page.locator('[role=dialog]').getByRole('combobox').pressSequentially('plateau')
    await page.getByRole('option', { name: 'Boulangerie du Plateau Company' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForSelector('h1:has-text("Boulangerie du Plateau")')
    await page.click('text=curl for this screen')
    const lines = await page.locator('.mantine-Modal-content').textContent()
    expect(lines).toMatch(/curl 'http[^']+\/admin\/api\/v1\/normalized-data\/company\/[0-9a-f-]{36}\/data-connection\/statuses/)
  })

  it('shows names with markup, reversed direction or extreme length as text that keeps its place', async () => {
    await harness.client.addCompany(HOSTILE_NAME)
    const page = await visit({ viewport: { width: 320, height: 640 } })
    await harness.go(page, '/companies?search=alert')
    await page.waitForSelector('bdi:has-text("<script>owned=1;alert(1)</script>")')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    await settle(page)
  })

  it('sets the owner pages’ branding, is warned of an unreadable colour, and creates a link with options', async () => {
    const page = await visit()
    await harness.go(page, '/owner-pages')
    await page.fill('input[name=publicName]', 'Prêts du Plateau')
    await page.getByLabel('Accent, light theme').fill('#ffd400')
    await page.click('button[type=submit]')
    await page.waitForSelector('[role=alert]:has-text("the nearest that passes is #")')
    const told = await page.textContent('[role=alert]')
    await page.getByLabel('Accent, light theme').fill(/is (#[0-9a-f]{6})/.exec(told ?? '')?.[1] ?? '')
    await page.getByLabel('English text').first().fill('To decide on your loan.')
    await page.click('button[type=submit]')
    await page.waitForSelector('output:has-text("Saved.")')
    await page.waitForSelector('text=Version 2')
    // The browser itself logs every response with status 400.
    visits[0]?.complaints.splice(0)
    const company = await harness.client.addCompany('Quincaillerie Masson')
    await harness.go(page, `/companies/${company}`)
    await page.click('text=Create a link')
    await page.selectOption('.mantine-Modal-content select', { label: 'QuickBooks Online' })
    await page.click('summary:has-text("Options")')
    await page.getByLabel('Language of the pages').selectOption('fr')
    await page.getByLabel('Return URL').fill(`${harness.service.baseUrl}/portal/companies`)
    await page.click('button:has-text("Create link")')
    const owner = await visit({ isSignedIn: false })
    await owner.goto((await page.textContent('.made-link pre')) ?? '')
    expect(await owner.textContent('h1')).toBe('Prêts du Plateau demande à consulter vos données dans QuickBooks Online')
    await owner.click('button[value=decline]')
    expect(await owner.getAttribute('a:has-text("Retour à Prêts du Plateau")', 'href')).toMatch(
      /\/portal\/companies\?status=declined&companyId=/,
    )
  })

  describeActions(() => harness, visit)

  it('shows the id of a failed request', async () => {
    const page = await visit()
    await harness.go(page, '/companies/0b7a6c54-3f10-4f0e-8f43-0a6d1f1d2c01')
    expect(await page.locator('[role=alert]').textContent()).toMatch(/Not found.*Request ID [0-9a-f-]{36}/)
    // The browser itself logs every response with status 404.
    visits[0]?.complaints.splice(0)
  })
})
