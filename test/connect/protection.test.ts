import { beforeEach, describe, expect, it } from 'vitest'
import { changeOwnerPages } from '../../src/sync/branding/owner-pages.ts'
import { EMPTY_OWNER_PAGES } from '../harness/app/owner-pages.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openConnectHarness } from './kit/harness.ts'
import { Owner } from './kit/owner.ts'

const PUBLIC_URL = 'https://connect.example.com'
const LONG = '<script>alert(1)</script>'.repeat(400)

const harness = openForTests(() => openConnectHarness({ publicUrl: PUBLIC_URL }))
let owner: Owner
beforeEach(() => {
  owner = new Owner(harness.origin, { publicUrl: PUBLIC_URL })
})

describe('every page', () => {
  it.each(['/connect/consent', '/connect/nothing-here', '/connect?token=x', '/connect/problem?kind=ours', '/connect/callback?state=x'])(
    'sends its security headers: %s',
    async (address) => {
      await owner.get(await harness.link('form-source'))
      const { headers } = await owner.ask(address)
      expect(Object.fromEntries(headers)).toMatchObject({
        // On a page with dates, a script of ours reports the time zone.
        'content-security-policy':
          "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'" +
          (address === '/connect/consent' ? "; script-src 'self'; connect-src 'self'" : ''),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-store',
        'strict-transport-security': 'max-age=63072000; includeSubDomains',
      })
    },
  )

  it('that explains a problem shows the request id', async () => {
    const page = await owner.get('/connect/consent')
    expect(page.text).toMatch(/Reference code [0-9a-f-]{36}/)
  })

  it('loads nothing from other origins', async () => {
    const page = await owner.get(await harness.link('quickbooks'))
    const addresses = [...page.markup.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, address = '']) => address)
    expect(addresses.filter((address) => !address.startsWith('/'))).toEqual([])
  })
})

it.each([
  ['/sign-in', false],
  ['/portal', true],
])('an owner’s page may link below %s of the deployment itself: %s', async (path, isLinked) => {
  const address = `${PUBLIC_URL}${path}/6f6a2a0e-7d59-4c7e-9f5e-3a8f1f0f2b11`
  const { database } = harness.deps
  const pages = { ...EMPTY_OWNER_PAGES, contact: address, returnAddresses: [`${PUBLIC_URL}${path}`] }
  await changeOwnerPages(database, harness.instanceId, pages, { allowsLoopback: false })
  const link = await harness.link('quickbooks')
  await database.query('update links set return_url = $1', [address])
  const consent = await owner.get(link)
  const declined = await owner.submit(consent, { choice: 'decline' })
  expect(consent.text).toContain(address)
  expect([consent, declined].map(({ markup }) => markup.includes(`href="${address}`))).toEqual([isLinked, isLinked])
})

describe('the cookie', () => {
  it('is for this host alone, over https, and not readable by scripts', async () => {
    await owner.get(await harness.link('quickbooks'))
    const cookie = owner.cookies.get('__Host-connect')
    expect(cookie?.attributes.toLowerCase()).toMatch(/^(?=.*; path=\/)(?=.*; httponly)(?=.*; secure)(?=.*; samesite=lax)(?!.*domain)/)
  })

  it.each(['', 'x', '.'.repeat(9_000), `${'A'.repeat(43)}~~`, '%00', '__proto__'])('is ignored if it is not ours: %s', async (value) => {
    owner.cookies.set('__Host-connect', { value, attributes: '' })
    const page = await owner.get('/connect/consent')
    expect(page.title).toBe('Please open your link again')
  })

  it('does not open a page before the owner has agreed', async () => {
    await owner.get(await harness.link('form-source'))
    expect((await owner.get('/connect/source')).address).toBe('/connect/consent')
  })
})

describe('a form', () => {
  const CROSS_SITE: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'null' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example.com' },
    { origin: `${PUBLIC_URL}.evil.example.com`, 'sec-fetch-site': 'same-origin' },
    { origin: 'http://connect.example.com', 'sec-fetch-site': 'same-origin' },
  ]

  it.each(CROSS_SITE)('sent with %o is refused and changes nothing', async (headers) => {
    const consent = await owner.get(await harness.link('form-source'))
    const before = await harness.countRows()
    const page = await owner.submit(consent, { choice: 'agree' }, headers)
    expect([page.status, page.title, await harness.countRows()]).toEqual([403, 'This form cannot be accepted', before])
  })

  it.each(['', 'A'.repeat(43)])('with the token "%s" is refused and changes nothing', async (form) => {
    const consent = await owner.get(await harness.link('form-source'))
    const before = await harness.countRows()
    const page = await owner.submit(consent, { form, choice: 'agree' })
    expect([page.status, await harness.countRows()]).toEqual([403, before])
  })

  it('from another browser is refused', async () => {
    const stranger = new Owner(harness.origin, { publicUrl: PUBLIC_URL })
    const theirs = await stranger.get(await harness.link('form-source'))
    await owner.get(await harness.link('form-source'))
    expect((await owner.submit(theirs, { choice: 'agree' })).status).toBe(403)
  })

  it('with a file from another origin is refused before the file is stored', async () => {
    await owner.submit(await owner.get(await harness.link('bank-files')), { choice: 'agree' })
    const body = new FormData()
    body.append('files', new File(['x'], 'a.ofx'))
    const response = await owner.ask('/connect/source', { method: 'POST', body })
    expect([response.status, (await harness.countRows()).files]).toEqual([403, '0'])
  })

  it.each([
    ['application/json', '{"form":1}'],
    ['text/plain', 'form=1'],
    ['multipart/form-data', 'no boundary'],
    ['multipart/form-data; boundary=x', '--x\r\ncut off'],
    ['application/x-www-form-urlencoded', `form=${'x'.repeat(70_000)}`],
    ['application/x-www-form-urlencoded', 'form=1&form=2&__proto__=3'],
  ])('of the kind %s that cannot be parsed gets an error page, not an internal error', async (type, body) => {
    await owner.get(await harness.link('form-source'))
    const response = await owner.ask('/connect/source', { method: 'POST', body, headers: { 'content-type': type } })
    expect([response.status >= 400 && response.status < 500, response.headers.get('content-type')]).toEqual([
      true,
      'text/html; charset=utf-8',
    ])
  })
})

describe('hostile text', () => {
  it.each([
    '/connect/institutions?search=',
    '/connect/institutions?page=',
    '/connect/source?institution=',
    '/connect/problem?kind=state&reference=',
    '/connect/problem?kind=',
    '/connect/done?connections=',
    '/connect/consent?lang=',
    '/connect/consent?link=',
    '/connect/callback?error=access_denied&state=',
    '/connect?token=',
  ])('in %s is shown as text or not at all', async (address) => {
    await owner.submit(await owner.get(await harness.link('plaid')), { choice: 'agree' })
    for (const words of ['"><script>x</script>', LONG.slice(0, 3_000), '\u202e\ud800', '%', "'; drop table links; --"]) {
      const page = await owner.get(address + encodeURIComponent(words.toWellFormed()))
      expect(page.text).not.toContain('on our side')
      expect(page.markup).not.toContain('<script>')
    }
    expect(harness.faults).toEqual([])
  })

  it('of 10,000 characters in a form stays in its field', async () => {
    const form = await owner.submit(await owner.get(await harness.link('form-source')), { choice: 'agree' })
    const page = await owner.submit(form, { address: LONG, password: 'x' })
    expect([page.status, page.text.includes('This is too long.'), page.markup.includes('<script>')]).toEqual([422, true, false])
  })
})

describe('the language', () => {
  const ask = async (language: string, address = '/connect/consent') => {
    const visitor = new Owner(harness.origin, { publicUrl: PUBLIC_URL, language })
    return { visitor, page: await visitor.get(address) }
  }

  it.each([
    ['fr-CA,fr;q=0.9,en;q=0.8', 'fr-CA'],
    ['fr-FR', 'fr-CA'],
    ['en;q=0.5, fr;q=0.6', 'fr-CA'],
    ['de-DE,en-US;q=0.7', 'en'],
    ['de', 'en'],
    ['fr;q=0', 'en'],
    [';;;=,,q', 'en'],
  ])('is, for a browser that prefers %s, %s', async (header, language) => {
    expect((await ask(header)).page.language).toBe(language)
  })

  it('selected by the link on the page is remembered', async () => {
    const { visitor, page } = await ask('en')
    await visitor.get(page.linkTo('Français'))
    expect((await visitor.get('/connect/consent')).language).toBe('fr-CA')
  })

  it('can be switched on each page without losing the position', async () => {
    const form = await owner.submit(await owner.get(await harness.link('form-source')), { choice: 'agree' })
    const page = await owner.get(form.linkTo('Français'))
    expect([page.title, page.language]).toEqual(['Connectez Grand livre', 'fr-CA'])
  })
})

describe('logos', () => {
  it('are drawn for keys and ids of sources, and cached by browsers', async () => {
    const response = await owner.ask('/logos/quickbooks.svg')
    const etag = response.headers.get('etag') ?? ''
    const again = await owner.ask('/logos/quickbooks.svg', { headers: { 'if-none-match': etag } })
    expect([response.headers.get('content-type'), (await response.text()).includes('>QO<'), again.status]).toEqual([
      'image/svg+xml; charset=utf-8',
      true,
      304,
    ])
  })

  it('of a bank behind an aggregator are drawn from the id alone, framed by no page', async () => {
    const response = await owner.ask('/logos/5d0c7f0e-8a53-5a9a-a9c5-0b4a8f6b0d11.svg')
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/)
    expect([response.status, (await response.text()).startsWith('<svg')]).toEqual([200, true])
  })

  it.each(['/logos/unknown.svg', '/logos/quickbooks', '/logos/letters/%3Cb%3E-1.svg', '/logos/letters/AB-99.svg'])(
    'that do not exist are 404: %s',
    async (address) => {
      expect((await owner.ask(address)).status).toBe(404)
    },
  )
})
