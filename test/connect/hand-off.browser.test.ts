import { createHmac, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openBrowserHarness } from './kit/browser-harness.ts'

const WORDS = {
  'en-CA': {
    waiting: 'Waiting for the person with your link',
    owner: 'You are connected',
    helper: 'Thank you, it is connected',
    kept: 'Receipt sent',
  },
  'fr-CA': {
    waiting: 'En attente de la personne qui a votre lien',
    owner: 'La connexion est établie',
    helper: 'Merci, la connexion est établie',
    kept: 'Reçu envoyé',
  },
} as const

describe.skipIf(lacksBrowser)(`an owner whose accountant signs in, in browsers${browserNote}`, () => {
  const tour = openForTests(openBrowserHarness)

  beforeAll(() => {
    const secret = randomBytes(32)
    const { deps } = tour.connectHarness
    deps.mail = { sealer: deps.sealer, hashToken: (token) => createHmac('sha256', secret).update(token).digest() }
  })

  it.each(['en-CA', 'fr-CA'] as const)('in %s: the waiting tab continues by itself, and a receipt can be requested', async (locale) => {
    const owner = await tour.visit({ locale, viewport: { width: 320, height: 640 } })
    await tour.routes.form?.(owner.page)
    await owner.page.click('main a[href*="hand-off"]')
    await owner.page.waitForURL(/hand-off/)
    await owner.page.click('button[value=copy]')
    const address = await owner.page.inputValue('#field-address')
    await owner.page.click('main a.button')
    await owner.page.waitForSelector('#waiting')
    expect(await owner.page.textContent('h1')).toBe(WORDS[locale].waiting)

    // The accountant has no scripts.
    const helper = await tour.visit({ locale, javaScriptEnabled: false })
    await helper.page.goto(address)
    await helper.page.click('button[value=go]')
    await helper.page.fill('#field-address', `https://${locale}.example.com`)
    await helper.page.fill('#field-password', 'secret ')
    await tour.submit(helper.page)
    await helper.page.waitForURL(/connect\/done/)
    expect(await helper.page.textContent('h1')).toBe(WORDS[locale].helper)

    await owner.page.waitForURL(/connect\/done/)
    expect(await owner.page.textContent('h1')).toBe(WORDS[locale].owner)
    await owner.page.fill('#field-email', 'owner@example.com')
    await owner.page.press('#field-email', 'Enter')
    await owner.page.waitForURL(/connect\/reminders/)
    expect([await owner.page.textContent('h1'), owner.complaints, helper.complaints]).toEqual([WORDS[locale].kept, [], []])
    await Promise.all([owner.context.close(), helper.context.close()])
  })
})
