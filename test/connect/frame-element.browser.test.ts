import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, Frame, Page } from 'playwright-core'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { beforeAll, describe, expect, it } from 'vitest'
import { getOwnerPages, saveOwnerPages } from '../../src/store/owners/owner-pages.ts'
import { guideBlock } from '../guides/guide-blocks.ts'
import { listViolationsInBothThemes } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { openBrowserHarness } from './kit/browser-harness.ts'

const ORIGIN = 'https://app.example.com'
const FrameOrigins = Type.Object({ frameOrigins: Type.Array(Type.String()) }, { additionalProperties: false })
const PLACE = `${ORIGIN}/onboarding?step=2`

/** Origins that resemble the listed one, or want to be taken for it. */
const HOSTILE = [
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://app.example.com:444',
  'https://example.com',
  'https://www.example.com',
  'https://evil.app.example.com',
  'https://app.example.com.evil.example',
  'https://app-example.com',
  'https://appexample.com',
  'https://app.example.co',
  'https://app.example.community',
  'https://app.example.net',
  'https://app.example',
  'https://evilapp.example.com',
  'https://app.evil.example.com',
  'https://app.example.com-evil.example',
  'https://xn--pp-yia.example.com',
  'https://xn--app-hpa.example.com',
  'https://app.xn--exmple-qqa.com',
  'https://app.xn--example-9ua.com',
  'https://xn--app-exmple-r7a.com',
  'https://app.examp1e.com',
  'https://app.exarnple.com',
  'https://192.0.2.1',
  'https://192.0.2.1:8443',
  'https://[2001:db8::1]',
  'https://evil.example',
  'https://null',
  'https://null.example',
  'https://self',
  'https://none.example',
  'https://app.example.com.',
  'https://connect.example.com',
  'https://a.example',
  'https://app--example.com',
  'https://0.app.example.com',
  'https://app.example.org',
  'https://app.example.com.com',
  'https://app.example.com.app.example.net',
  'https://login.example.com',
]

/** Address of a page of the developer, in which the element, the events and the messages are noted. */
function pageWith(element: string): string {
  return `<!doctype html><html lang="en"><title>Onboarding</title><meta name="viewport" content="width=device-width, initial-scale=1">
<style>:root{color-scheme:light dark}</style>
<script>globalThis.events=[];globalThis.messages=[];addEventListener('message',(m)=>messages.push(m.data));
for(const name of ['opened','agreed','left','failed','connected'])addEventListener(name,(e)=>events.push([name,e.detail]))</script>
<main><h1>Onboarding</h1>${element}</main></html>`
}

describe.skipIf(lacksBrowser)(`<countinghouse-link>${browserNote}`, () => {
  const tour = openForTests(openBrowserHarness)

  beforeAll(async () => {
    const { connectHarness } = tour
    const { logo: _logo, ...pages } = await getOwnerPages(connectHarness.deps.database, connectHarness.instanceId)
    const listed = Parse(FrameOrigins, JSON.parse(guideBlock('embed.md', 'frameOrigins')))
    expect(listed.frameOrigins).toEqual([ORIGIN])
    await saveOwnerPages(connectHarness.deps.database, connectHarness.instanceId, { ...pages, ...listed })
  })

  /** The lines of the guide. */
  function elementFor(link: string, language = 'en'): string {
    return guideBlock('embed.md', '<countinghouse-link')
      .replace('https://connect.example.com', tour.connectHarness.origin)
      .replace('LINK', link.replaceAll('&', '&amp;'))
      .replace('language="en"', `language="${language}"`)
  }

  /** Opens a developer's page that is served at `place`. */
  async function openPlace(place: string, body: string, options = {}): Promise<{ page: Page; context: BrowserContext }> {
    const { page, context } = await tour.visit({ bypassCSP: false, ...options })
    // The pages under test are on loopback, which foreign pages may only call when their visitor allows it.
    await context.grantPermissions(['local-network-access'])
    const { origin } = new URL(place)
    await context.route(
      (url) => url.origin === origin,
      (route) => route.fulfill({ contentType: 'text/html', body: pageWith(body) }),
    )
    await page.goto(place)
    return { page, context }
  }

  async function frameOf(page: Page): Promise<Frame> {
    const handle = await page.waitForSelector('countinghouse-link iframe')
    const frame = await handle.contentFrame()
    if (!frame) throw new Error('there is no frame')
    return frame
  }

  const eventsOf = async (page: Page): Promise<[string, unknown][]> => await page.evaluate('events')

  async function waitForEvent(page: Page, name: string): Promise<void> {
    await page.waitForFunction(`events.some(([event]) => event === '${name}')`)
  }

  /** Agrees and chooses a bank in the frame, until the step at the source. */
  async function goToSource(page: Page): Promise<Frame> {
    const frame = await frameOf(page)
    await frame.click('button[value=agree]')
    await frame.waitForURL(/institutions/)
    await frame.click('#bank-results a')
    await frame.waitForSelector('#outside')
    return frame
  }

  async function finishAtBank(page: Page): Promise<void> {
    await page.waitForURL(/\/hosted\//)
    await page.fill('#username', 'user_good')
    await page.fill('#password', 'pass_good')
    await page.click('form[action$="/login"] button')
    await page.click('form[action$="/accounts"] button')
    await page.click('form[action$="/finish"] button')
    await page.waitForURL(/connect\/done/)
  }

  it('leads from consent to connected, with the bank in a window of its own', async () => {
    const { page, context } = await openPlace(PLACE, elementFor(await tour.connectHarness.link('plaid')))
    const frame = await goToSource(page)
    const [bank] = await Promise.all([context.waitForEvent('page'), frame.click('#outside > .actions button')])
    await finishAtBank(bank)
    expect(await bank.isVisible('[data-close]')).toBe(true)
    await waitForEvent(page, 'connected')
    const events = await eventsOf(page)
    expect(events.map(([name]) => name)).toEqual(['opened', 'agreed', 'connected'])
    expect(events[2]?.[1]).toEqual({ connectionIds: [expect.stringMatching(/^[0-9a-f-]{36}$/)] })
    expect(await page.evaluate('location.href')).toBe(PLACE)
    await context.close()
  })

  it.each([320, 768])('is as high as the page that it shows, also after a longer one: %i px wide', async (width) => {
    const viewport = { width, height: 700 }
    const { page, context } = await openPlace(PLACE, elementFor(await tour.connectHarness.link('plaid')), { viewport })
    const frame = await goToSource(page)
    const shown = 'Math.ceil(document.body.getBoundingClientRect().height)'
    await page.waitForFunction(
      `document.querySelector('countinghouse-link').getBoundingClientRect().height === ${await frame.evaluate(shown)}`,
    )
    expect(await frame.evaluate(`document.documentElement.scrollHeight - ${shown}`)).toBe(0)
    await context.close()
  })

  it('says that an owner declined', async () => {
    const { page, context } = await openPlace(PLACE, elementFor(await tour.connectHarness.link('plaid')))
    await (await frameOf(page)).click('button[value=decline]')
    await waitForEvent(page, 'left')
    expect(await eventsOf(page)).toEqual([
      ['opened', {}],
      ['left', { reason: 'declined' }],
    ])
    await context.close()
  })

  it('says that nothing was connected at the bank', async () => {
    const { page, context } = await openPlace(PLACE, elementFor(await tour.connectHarness.link('plaid')))
    const frame = await goToSource(page)
    const [bank] = await Promise.all([context.waitForEvent('page'), frame.click('#outside > .actions button')])
    await bank.waitForURL(/\/hosted\//)
    await bank.click('form[action$="/exit"] button')
    await waitForEvent(page, 'failed')
    expect((await eventsOf(page)).map(([name]) => name)).toEqual(['opened', 'agreed', 'failed'])
    await context.close()
  })

  it('offers the same window where another one was blocked, and comes back to the same place', async () => {
    const { page, context } = await openPlace(PLACE, elementFor(await tour.connectHarness.link('plaid')))
    const frame = await goToSource(page)
    await frame.evaluate('globalThis.open = () => null')
    await frame.click('#outside > .actions button')
    await frame.waitForSelector('#blocked button:focus')
    await frame.click('#blocked button')
    await finishAtBank(page)
    await page.click('a.button')
    await page.waitForURL(PLACE)
    await waitForEvent(page, 'connected')
    await context.close()
  })

  it.each(['en', 'fr'])('shows pages without flaws in the frame: %s', async (language) => {
    const place = await openPlace(PLACE, elementFor(await tour.connectHarness.link('plaid'), language), { bypassCSP: true })
    const { page, context } = place
    expect(await listViolationsInBothThemes(page)).toEqual([])
    expect(await listWidthFlaws(page, 'the page around', [320])).toEqual([])
    const frame = await goToSource(page)
    expect(await frame.evaluate('document.documentElement.lang')).toBe(language === 'fr' ? 'fr-CA' : 'en')
    expect(await frame.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await listFrameViolations(frame)).toEqual([])
    }
    await context.close()
  })

  it('offers the link in a new window where its frame is refused', async () => {
    const { page, context } = await openPlace('https://evil.example/', elementFor(await tour.connectHarness.link('quickbooks')))
    await page.waitForSelector('countinghouse-link a')
    expect([await page.evaluate('messages'), await eventsOf(page)]).toEqual([[], [['failed', { reason: 'blocked' }]]])
    await context.close()
  })

  it(`is refused on each of ${HOSTILE.length} hostile origins`, async () => {
    const link = await tour.connectHarness.link('quickbooks')
    const shown: [string, boolean][] = []
    for (const origin of [...HOSTILE, ORIGIN]) {
      const frame = `<iframe name="countinghouse-link ${ORIGIN}/" src="${link.replaceAll('&', '&amp;')}"></iframe>`
      const { page, context } = await openPlace(`${origin}/`, frame)
      const inner = await (await page.waitForSelector('iframe')).contentFrame()
      shown.push([origin, (await inner?.locator('button[value=agree]').count()) === 1])
      await context.close()
    }
    // The listed one is shown: else nothing would be tried here.
    expect(shown.filter(([, isShown]) => isShown)).toEqual([[ORIGIN, true]])
  }, 120_000)

  it('is refused in a frame without an origin, and within a foreign page around a listed one', async () => {
    const link = await tour.connectHarness.link('quickbooks')
    const { page, context } = await openPlace(
      PLACE,
      `<iframe id="opaque" sandbox="allow-scripts" srcdoc='<iframe name="countinghouse-link ${ORIGIN}/" src="${link}"></iframe>'></iframe>`,
    )
    await page.waitForLoadState('networkidle')
    const inner = page.frames().filter((each) => each.url().includes('/connect'))
    const shown = await Promise.all(inner.map(async (each) => await each.locator('button[value=agree]').count()))
    expect([shown.every((count) => count === 0), await page.evaluate('messages')]).toEqual([true, []])
    await context.close()
  })

  it('speaks to nobody who only names a listed origin', async () => {
    const link = await tour.connectHarness.link('quickbooks')
    const name = `countinghouse-link https://evil.example/${randomUUID()}`
    const { page, context } = await openPlace(PLACE, `<iframe name="${name}" src="${link.replaceAll('&', '&amp;')}"></iframe>`)
    const frame = await (await page.waitForSelector('iframe')).contentFrame()
    await frame?.waitForSelector('button[value=agree]')
    await page.waitForLoadState('networkidle')
    expect(await page.evaluate('messages')).toEqual([])
    await context.close()
  })

  it('takes messages of its own frame alone', async () => {
    const { page, context } = await openPlace(PLACE, elementFor(await tour.connectHarness.link('quickbooks')))
    await (await frameOf(page)).waitForSelector('button[value=agree]')
    await waitForEvent(page, 'opened')
    const forged = `{ source: 'countinghouse-link', event: 'connected', detail: {} }`
    await page.evaluate(`postMessage(${forged}, '*')`)
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: "<script>parent.postMessage(${forged}, '*')</script>" }))`,
    )
    await page.waitForFunction(`messages.filter(({ event }) => event === 'connected').length === 2`)
    expect((await eventsOf(page)).map(([name]) => name)).toEqual(['opened'])
    await context.close()
  })
})

async function listFrameViolations(frame: Frame): Promise<string[]> {
  if (!(await frame.evaluate<boolean>(`'axe' in globalThis`)))
    await frame.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  const tags = JSON.stringify(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
  return await frame.evaluate(
    `axe.run({ runOnly: { type: 'tag', values: ${tags} } }).then((result) => result.violations.map((one) => one.id))`,
  )
}
