import { randomUUID } from 'node:crypto'
import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { sampleVisit } from '../../../test/connect/views/sample-visit.ts'
import { addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests, openForTests } from '../../../test/harness/for-tests.ts'
import { toServiceId } from '../../model/catalogue.ts'
import { changeLogo } from '../../sync/branding/owner-pages.ts'
import {
  addColoursRoute,
  addRequesterLogoRoute,
  coloursPath,
  mailColours,
  requesterLogo,
  requesterLogoPath,
  requesterName,
} from './branding.ts'
import { addLogoRoutes, LOGO_COLORS, logoPath, monogramPath } from './logos.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const BANK = '5d0c7f0e-8a53-4a9a-a9c5-0b4a8f6b0d'
const IMAGE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const db = databaseForTests()
const app = openForTests(async () => {
  const opened = fastify()
  const { source } = sampleVisit().open.service
  addLogoRoutes(opened, new Map([[source.description.key, source]]))
  addColoursRoute(opened)
  addRequesterLogoRoute(opened, db.database)
  await opened.ready()
  return opened
})
/** Status, and headers that a picture or style sheet is sent with. */
async function get(url: string, headers = {}) {
  const answer = await app.inject({ url, headers })
  const named = ['content-type', 'cache-control', 'content-security-policy', 'cross-origin-resource-policy', 'x-content-type-options']
  return { answer, status: answer.statusCode, payload: answer.payload, headers: named.map((name) => answer.headers[name] ?? null) }
}

describe('an instance', () => {
  const of = (pages: NonNullable<Parameters<typeof sampleVisit>[0]>['pages']) => sampleVisit({ ...(pages ? { pages } : {}) }).open
  const logo = { hash: '0123456789abcdef', type: 'image/png', bytes: 16 }

  it('is called by its public name, or else by its own', () => {
    expect([of({}), of({ publicName: 'Érable' })].map(requesterName)).toEqual(['Maple <Lending>', 'Érable'])
  })

  it('has its logo, or else a monogram of its name', () => {
    const own = `/logos/instances/${of({}).instance.id}/0123456789abcdef`
    expect([of({ logo }), of({ publicName: 'Érable' })].map(requesterLogoPath)).toEqual([own, monogramPath('Érable')])
    expect([of({ logo }), of({})].map((open) => requesterLogo(open, 48).markup)).toEqual([
      `<img src="${own}" alt="" width="48" height="48" class="logo">`,
      `<img src="${monogramPath('Maple <Lending>')}" alt="" width="48" height="48">`,
    ])
  })

  it.each([
    [null, null, null],
    ['#0f6b5c', null, '/connect/colours/0f6b5c-none.css'],
    [null, '#6fd9c3', '/connect/colours/none-6fd9c3.css'],
    ['#0f6b5c', '#6fd9c3', '/connect/colours/0f6b5c-6fd9c3.css'],
  ])('with the colours %s and %s has the style sheet %s', (accentLight, accentDark, path) => {
    const open = of({ accentLight, accentDark })
    expect([coloursPath(open), mailColours(open)]).toEqual([path, path === null ? null : { light: accentLight, dark: accentDark }])
  })
})

describe('a style sheet of colours', () => {
  const light = `@media (prefers-color-scheme: light) {
  :root {
    --accent: #0f6b5c;
    --accent-ink: #ffffff;
    --accent-hover: #0c5348;
    --tint: #ecf3f2;
  }
}
`
  const dark = `@media (prefers-color-scheme: dark) {
  :root {
    --accent: #6fd9c3;
    --accent-ink: #0b0f16;
    --accent-hover: #8fe1d0;
    --tint: #1f2f38;
  }
}
`

  it.each([
    ['0f6b5c-none', light],
    ['none-6fd9c3', dark],
    ['0f6b5c-6fd9c3', light + dark],
    ['none-none', ''],
  ])('%s holds the colours of its name, for ever', async (name, text) => {
    const { status, payload, headers } = await get(`/colours/${name}.css`)
    expect([status, payload, headers]).toEqual([
      200,
      text,
      ['text/css; charset=utf-8', 'public, max-age=31536000, immutable', null, null, 'nosniff'],
    ])
  })

  it.each(['0f6b5c.css', 'x0f6b5c-none.css', '0f6b5c-none.css.x', '0f6b5-none.css', '0F6B5C-none.css', '0f6b5c-', 'none'])(
    'is not there by the name %s',
    async (file) => {
      expect((await get(`/colours/${file}`)).status).toBe(404)
    },
  )
})

describe('the logo that an instance has uploaded', () => {
  it('is served for ever, to any page, as a picture and nothing else', async () => {
    const [instanceId, neighbour] = [await addInstance(db.database), await addInstance(db.database)]
    await changeLogo(db.database, instanceId, PNG)
    const { rows } = await db.database.query<{ hash: string }>('select logo_hash as hash from owner_pages where instance_id = $1', [
      instanceId,
    ])
    const hash = rows[0]?.hash ?? ''
    const { status, answer, headers } = await get(`/logos/instances/${instanceId}/${hash}`)
    expect([status, answer.rawPayload, headers]).toEqual([
      200,
      PNG,
      ['image/png', 'public, max-age=31536000, immutable', `${IMAGE}; sandbox`, 'cross-origin', 'nosniff'],
    ])
    const others = [`${neighbour}/${hash}`, `${randomUUID()}/${hash}`, `x/${hash}`, `${instanceId}/${hash}0`, `${instanceId}/a${hash}`]
    expect(await Promise.all(others.map(async (path) => (await get(`/logos/instances/${path}`)).status))).toEqual(others.map(() => 404))
  })
})

describe('a logo that we draw', () => {
  const background = (svg: string) => /fill="(#[0-9a-f]{6})"/.exec(svg)?.[1]
  const PICTURE = ['image/svg+xml; charset=utf-8', 'public, max-age=86400', IMAGE, 'cross-origin', null]

  it('of a source has its initials, by its key and by the id of its service', async () => {
    const [byKey, byId] = [await get(logoPath('quickbooks')), await get(`/logos/${toServiceId('quickbooks')}.svg`)]
    expect([byKey.status, byKey.headers]).toEqual([200, PICTURE])
    expect(byKey.payload).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*><rect [^>]*\/><text [^>]*font-size="42"[^>]*>QO<\/text><\/svg>$/,
    )
    expect(byId.payload).toBe(byKey.payload)
  })

  it('of a bank has no letters, and a colour of its own', async () => {
    const banks = await Promise.all(Array.from({ length: 40 }, async (_bank, at) => (await get(`/logos/${BANK}${at + 10}.svg`)).payload))
    expect(banks.filter((svg) => /<text/.test(svg) || !/<path fill="#fff"/.test(svg))).toEqual([])
    expect(new Set(banks.map(background)).size).toBeGreaterThan(3)
  })

  it.each(['nobody.svg', 'quickbooks', 'quickbooks.png', `${BANK}11`, `${BANK}110.svg`, `0${BANK}11.svg`, '.svg'])(
    'is not there for %s',
    async (file) => {
      expect((await get(`/logos/${file}`)).status).toBe(404)
    },
  )

  it.each([
    ['Maple Lending', 'ML', 42],
    ['Érable', 'É', 52],
    ['…', '•', 52],
    ['𝔸', '𝔸', 52],
  ])('is the monogram of the name %s: %s', async (name, letters, size) => {
    const path = monogramPath(name)
    expect(monogramPath(name)).toBe(path)
    const { status, payload, headers } = await get(path)
    expect([status, payload.includes(`>${letters}</text>`), payload.includes(`font-size="${size}"`), headers]).toEqual([
      200,
      true,
      true,
      PICTURE,
    ])
    expect(background(payload)).toBe(LOGO_COLORS[Number(/-(\d+)\.svg$/.exec(path)?.[1])])
  })

  it('has one of twelve colours, and one to four letters', async () => {
    const status = async (file: string) => (await get(`/logos/letters/${encodeURIComponent(file)}`)).status
    expect(await Promise.all(['A-0.svg', 'A-11.svg', 'ABCD-1.svg', 'é1-10.svg'].map(status))).toEqual([200, 200, 200, 200])
    const others = ['A-12.svg', 'A-100.svg', 'ABCDE-1.svg', '-1.svg', 'A.svg', 'A-1', '<-1.svg', 'A-1.svg.svg', ' A-1.svg', '•A-1.svg']
    expect(await Promise.all(others.map(status))).toEqual(others.map(() => 404))
  })

  it('is not sent again while it is the same', async () => {
    const { answer } = await get('/logos/letters/A-0.svg')
    const etag = String(answer.headers.etag)
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    const again = await get('/logos/letters/A-0.svg', { 'if-none-match': etag })
    const other = await get('/logos/letters/A-1.svg', { 'if-none-match': etag })
    expect([again.status, again.payload, again.answer.headers.etag, other.status]).toEqual([304, '', etag, 200])
  })
})
