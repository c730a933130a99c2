import { describe, expect, it } from 'vitest'
import { toNote } from '../../src/mail/queue.ts'
import { DEFAULT_BRANDING, renderHtml, renderText } from '../../src/mail/render.ts'
import { composeMail } from '../../src/mail/templates.ts'
import type { MailFacts, MailKind } from '../../src/mail/texts/facts.ts'
import type { Locale } from '../../src/model/values/text.ts'

const AT = new Date('2026-12-01T12:00:00Z')
const ADDRESS = 'https://data.example.com/connect?serviceId=a&token=b'
const names = { requester: 'Érable Lending', company: 'Boulangerie du Plateau', service: 'Xero' }
const link = { ...names, address: ADDRESS, expiresAt: AT, note: 'Bonjour <b>vous</b>\nà bientôt' }
const notice = { requester: 'Countinghouse', host: 'data.example.com', address: ADDRESS, at: AT }
const FACTS: MailFacts = {
  link,
  repair: link,
  handOff: { ...names, address: ADDRESS, expiresAt: AT, helper: 'Anna Roy' },
  consentEnding: { ...names, address: ADDRESS, endsAt: AT, days: 7 },
  ownerPage: { requester: names.requester, company: names.company, address: ADDRESS },
  agreed: { ...names, givenAt: AT, endsAt: AT, page: ADDRESS, reference: 'c0de', statements: ['Boulangerie du Plateau', 'Xero'] },
  withdrawn: { ...names, withdrawnAt: AT, reference: 'f0c1' },
  invitation: { requester: names.requester, host: 'data.example.com', address: ADDRESS },
  passwordReset: { requester: 'Countinghouse', host: 'data.example.com', address: ADDRESS },
  passwordChanged: notice,
  twoStepDisabled: notice,
  secondStepAdded: { ...notice, name: 'Blue key' },
  secondStepRemoved: { ...notice, name: null },
  twoStepReset: notice,
  twoStepRequired: notice,
  newNetwork: { ...notice, network: '192.0.2.7', agent: 'Firefox, Linux' },
  addressChanged: notice,
  newAdministrator: { ...notice, administrator: 'noor@example.com' },
}
const KINDS = Object.keys(FACTS) as MailKind[]
const LOCALES: Locale[] = ['en', 'fr-CA']
const every = KINDS.flatMap((kind) => LOCALES.map((locale) => [kind, locale] as const))

describe('each mail', () => {
  it.each(every)('%s in %s has the same content as text and as HTML, with its language and its link', (kind, locale) => {
    const letter = composeMail(kind, FACTS[kind], { locale, zone: 'America/Toronto' })
    const [text, page] = [renderText(letter), renderHtml(letter, locale)]
    expect(page).toMatch(new RegExp(`<html lang="${locale}">[\\s\\S]*<title>[^<]+</title>[\\s\\S]*<h1>`))
    for (const part of letter.parts) {
      if ('say' in part) expect(text).toContain(part.say)
      if ('button' in part) expect(page.match(/href="/g)).toHaveLength(1)
    }
    expect(text.includes(ADDRESS)).toBe(kind !== 'withdrawn')
  })

  it.each(every)('%s in %s loads nothing, tracks nobody and runs nothing', (kind, locale) => {
    const page = renderHtml(composeMail(kind, FACTS[kind], { locale, zone: 'America/Toronto' }), locale)
    expect(page).not.toContain('\\n')
    expect(page).not.toMatch(/<(img|script|iframe|link|form|object|video)|url\(|@import|src=/i)
  })

  it.each(['Win money at evil.example/x', 'https://evil.example', 'www.evil.example', 'me@evil.example'])(
    'a hand-off greets nobody by a name that mail programs would turn into a link: %s',
    (helper) => {
      const text = renderText(composeMail('handOff', { ...FACTS.handOff, helper }, { locale: 'en', zone: 'America/Toronto' }))
      expect([text.includes('evil'), text.startsWith('Hello. ')]).toEqual([false, true])
    },
  )

  it.each(KINDS)('%s in French follows French typography: no breaking space before a colon, no English', (kind) => {
    const text = renderText(composeMail(kind, FACTS[kind], { locale: 'fr-CA', zone: 'America/Toronto' }))
    expect(text).not.toMatch(/ [:»%$]|« |['"]|\b(the|your|you|please)\b/i)
  })
})

it.each([
  ['en', 'Bank statements'],
  ['fr-CA', 'Relevés bancaires'],
] as const)('a source that is no brand has its name in the language of the mail: %s', (locale, name) => {
  const text = renderText(composeMail('agreed', { ...FACTS.agreed, service: 'Bank files' }, { locale, zone: 'America/Toronto' }))
  expect([text.includes(name), text.includes('Bank files')]).toEqual([true, false])
})

it('names of others and the note are escaped in HTML', () => {
  const hostile = { ...link, requester: '<img src=x onerror=alert(1)>', company: '</style><script>', note: '<script>alert(1)</script>' }
  const page = renderHtml(composeMail('link', hostile, { locale: 'en', zone: 'America/Toronto' }), 'en')
  expect(page).not.toMatch(/<img|<script/)
})

it('colours of the instance are used in both themes', () => {
  const page = renderHtml(composeMail('link', link, { locale: 'en', zone: 'America/Toronto' }), 'en', {
    ...DEFAULT_BRANDING,
    colours: { light: '#7a1f5c', dark: '#f0a6d8' },
  })
  expect(page).toContain('background:#7a1f5c')
  expect(page).toMatch(/prefers-color-scheme:dark\)\{[\s\S]*background:#f0a6d8/)
})

it('a note keeps its lines and loses characters that hide or reorder text', () => {
  expect(toNote(' one\r\n\u202etwo\u0000\n\n\n\nthree\u200b ')).toBe('one\ntwo\n\nthree')
})

it('the first day of a month is written as in French', () => {
  expect(renderText(composeMail('link', link, { locale: 'fr-CA', zone: 'America/Toronto' }))).toContain(
    'jusqu’au 1er\u00a0décembre\u00a02026',
  )
})

describe('a receipt', () => {
  const EVENING = new Date('2026-11-23T00:30:00Z')
  const given = { ...FACTS.agreed, givenAt: EVENING }
  const withdrawn = { ...FACTS.withdrawn, withdrawnAt: EVENING }

  it.each([
    ['en', /Given on: November\s22,\s2026, 7:30\sp\.m\. EST/, /Withdrawn on: November\s22,\s2026, 7:30\sp\.m\. EST/, /Receipt number: /],
    ['fr-CA', /Accordée le : 22\snovembre\s2026, 19\sh\s30\sHNE/, /Retirée le : 22\snovembre\s2026, 19\sh\s30\sHNE/, /Numéro du reçu : /],
  ] as const)('in %s has the day and the time in the owner’s zone, the zone, and its number', (locale, givenOn, withdrawnOn, number) => {
    const calendar = { locale, zone: 'America/Toronto' }
    expect(renderText(composeMail('agreed', given, calendar)).replaceAll('\u00a0', ' ')).toMatch(givenOn)
    const text = renderText(composeMail('withdrawn', withdrawn, calendar)).replaceAll('\u00a0', ' ')
    expect(text).toMatch(withdrawnOn)
    expect(text).toMatch(number)
  })

  it('states what was agreed to', () => {
    const text = renderText(composeMail('agreed', given, { locale: 'en', zone: 'UTC' }))
    expect(text).toContain('What you agreed to:\n\n> Boulangerie du Plateau\n> Xero')
  })
})

describe('owners see the lender’s name, not the program’s:', () => {
  const face = { ...DEFAULT_BRANDING, contact: 'privacy@lender.example', logo: { type: 'image/png', bytes: Buffer.from('logo') } }
  const OWNERS = KINDS.filter((kind) => 'company' in FACTS[kind])

  it.each(OWNERS.flatMap((kind) => LOCALES.map((locale) => [kind, locale] as const)))(
    '%s in %s names the lender and its contact only',
    (kind, locale) => {
      const letter = composeMail(kind, FACTS[kind], { locale, zone: 'UTC' })
      for (const text of [renderText(letter, face), renderHtml(letter, locale, face)]) {
        expect(text).not.toContain('Countinghouse')
        expect(text).toContain('Érable Lending')
        expect(text).toContain('privacy@lender.example')
      }
    },
  )

  it('the logo is embedded in the mail, and fetched from nowhere', () => {
    const page = renderHtml(composeMail('link', link, { locale: 'en', zone: 'UTC' }), 'en', face)
    expect(page.match(/<img[^>]*>/g)).toEqual(['<img src="cid:logo" alt="" width="40" height="40">'])
  })
})
