import { beforeEach, describe, expect, it } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { changeLogo, changeOwnerPages, type OwnerPagesInput } from '../../src/sync/branding/owner-pages.ts'
import { issueLink, type LinkOptions } from '../../src/sync/links/link.ts'
import { openConnectHarness, type SourceKey } from '../connect/kit/harness.ts'
import { Owner } from '../connect/kit/owner.ts'
import { connectQuickbooks } from '../connect/kit/quickbooks-owner.ts'
import { EMPTY_OWNER_PAGES } from '../harness/app/owner-pages.ts'
import { openForTests } from '../harness/for-tests.ts'

const PURPOSES = [
  { key: 'credit-line', texts: { en: 'To review your line of credit.', 'fr-CA': 'Pour réviser votre marge.' }, durationDays: 90 },
  { key: 'one-time', texts: { en: 'To look once.', 'fr-CA': 'Pour consulter une fois.' }, durationDays: 2 },
]
const BACK = 'https://app.erable.example/start'
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

const harness = openForTests(openConnectHarness)
let owner: Owner
let companyId: string
beforeEach(async () => {
  owner = new Owner(harness.origin)
  companyId = await harness.addCompany('Boulangerie du Plateau')
  await change({})
  Object.assign(harness.deps, { now: () => new Date('2026-11-22T12:00:00Z') })
})

const change = async (changes: Partial<OwnerPagesInput>) =>
  await changeOwnerPages(harness.deps.database, harness.instanceId, { ...EMPTY_OWNER_PAGES, ...changes }, { allowsLoopback: false })

async function link(options: LinkOptions = {}, source: SourceKey = 'quickbooks'): Promise<string> {
  const { instanceId } = harness
  return await issueLink(harness.deps, { instanceId, companyId, serviceId: toServiceId(source), issuedBy: 'dev@example.com' }, options)
}

const connect = async (address: string) => await connectQuickbooks(owner, address, '4620816365200000101')

describe('the consent page', () => {
  it('says until which day, in either language', async () => {
    const page = await owner.get(await link())
    expect(page.text).toContain('until November\u00a022,\u00a02027 or until you withdraw')
    expect((await owner.get('/connect/consent?lang=fr-CA')).text).toContain('jusqu’au 22\u00a0novembre\u00a02027 ou jusqu’au retrait')
  })

  it('shows the purpose of the link and its duration', async () => {
    await change({ purposes: PURPOSES, defaultPurpose: 'credit-line' })
    const { text } = await owner.get(await link({ purposeKey: 'one-time' }))
    expect([text.includes('To look once.'), text.includes('until November\u00a024,\u00a02026')]).toEqual([true, true])
  })

  it('shows the default purpose for a link without one', async () => {
    await change({ purposes: PURPOSES, defaultPurpose: 'credit-line' })
    expect((await owner.get(await link())).text).toContain('To review your line of credit.')
  })

  it('still shows a purpose that is no longer offered', async () => {
    await change({ purposes: PURPOSES })
    const address = await link({ purposeKey: 'one-time' })
    await change({})
    expect((await owner.get(address)).text).toContain('To look once.')
  })

  it('shows the public name and the contact address', async () => {
    await change({ publicName: 'Érable Prêts inc.', contact: 'vie-privee@erable.example' })
    const page = await owner.get(await link())
    expect([page.title, page.linkTo('vie-privee@erable.example')]).toEqual([
      'Érable Prêts inc. asks to read your data in QuickBooks Online',
      'mailto:vie-privee@erable.example',
    ])
  })

  it('says that statements are used until a day', async () => {
    expect((await owner.get(await link({}, 'bank-files'))).text).toContain('used until November\u00a022,\u00a02027')
  })

  it.each([
    ['<script>alert(1)</script>', '<script>alert'],
    ['"><img src=x onerror=alert(1)>', '<img src=x'],
    ['\u202egnp.exe', '\u202e'],
    ['</dd></dl><form action="https://evil.example">', '<form action="https://evil'],
  ])('shows hostile names and texts as text: %s', async (text, harm) => {
    const purposes = [{ key: 'x', texts: { en: text, 'fr-CA': text }, durationDays: 5 }]
    await change({ publicName: text, purposes })
    companyId = await harness.addCompany(text)
    const page = await owner.get(await link())
    expect([page.status, page.markup.includes(harm)]).toEqual([200, false])
  })

  it('stays small however long the names are', async () => {
    companyId = await harness.addCompany('n'.repeat(200))
    await change({ purposes: [{ key: 'x', texts: { en: 'w'.repeat(500), 'fr-CA': 'w' }, durationDays: 5 }] })
    expect((await owner.get(await link())).markup.length).toBeLessThan(8_000)
  })
})

describe('the colours of an instance', () => {
  it('are in a separate style sheet, which the page’s policy allows', async () => {
    await change({ accentLight: '#0f6b5c', accentDark: '#6fd9c3' })
    const page = await owner.get(await link())
    const path = /href="(\/connect\/colours\/[^"]+)"/.exec(page.markup)?.[1] ?? ''
    const sheet = await owner.ask(path)
    expect([sheet.headers.get('content-type'), sheet.headers.get('x-content-type-options')]).toEqual(['text/css; charset=utf-8', 'nosniff'])
    expect(await sheet.text()).toMatch(/light\) \{\s+:root \{\s+--accent: #0f6b5c;[\s\S]*dark\) \{\s+:root \{\s+--accent: #6fd9c3;/)
    expect(page.markup).not.toMatch(/style=|<style/)
  })

  it('of one theme leave the other unchanged', async () => {
    await change({ accentDark: '#6fd9c3' })
    const path = /href="(\/connect\/colours\/[^"]+)"/.exec((await owner.get(await link())).markup)?.[1] ?? ''
    expect(await (await owner.ask(path)).text()).not.toContain('light')
  })

  it.each(['red-none.css', '0f6b5c-6fd9c3', '0f6b5c-6fd9c3.css%0a', '..%2f..%2fstyle.css', '0f6b5c;}-none.css'])(
    'are empty at %s',
    async (file) => {
      expect((await owner.ask(`/connect/colours/${file}`)).status).toBe(404)
    },
  )
})

describe('the logo of an instance', () => {
  it('is on the page and is served with its type to anyone with a link', async () => {
    await changeLogo(harness.deps.database, harness.instanceId, PNG)
    const page = await owner.get(await link())
    const path = /<img src="(\/logos\/instances\/[^"]+)"/.exec(page.markup)?.[1] ?? ''
    const logo = await owner.ask(path)
    expect([logo.headers.get('content-type'), logo.headers.get('x-content-type-options')]).toEqual(['image/png', 'nosniff'])
    expect(Buffer.from(await logo.arrayBuffer())).toEqual(PNG)
  })

  it('is 404 for another instance, another hash or missing ids', async () => {
    await changeLogo(harness.deps.database, harness.instanceId, PNG)
    for (const path of [
      '5d0c7f0e-8a53-4a9a-a9c5-0b4a8f6b0d11/0123456789abcdef',
      `${harness.instanceId}/0123456789abcdef`,
      'x/y',
      `${harness.instanceId}/%00`,
    ]) {
      expect((await owner.ask(`/logos/instances/${path}`)).status).toBe(404)
    }
  })

  it('is replaced by initials when it is removed', async () => {
    await changeLogo(harness.deps.database, harness.instanceId, null)
    expect((await owner.get(await link())).markup).toContain('<img src="/logos/letters/%C3%89L-')
  })
})

describe('the language of the pages', () => {
  it('is initially that of the link, whatever the browser prefers', async () => {
    expect((await owner.get(await link({ language: 'fr-CA' }))).language).toBe('fr-CA')
  })

  it('is the one that the owner switched to, on every later page and link', async () => {
    await owner.get(await link({ language: 'fr-CA' }))
    await owner.get('/connect/consent?lang=en')
    expect((await owner.get('/connect/consent')).language).toBe('en')
    expect((await owner.get(await link({ language: 'fr-CA' }))).language).toBe('en')
  })

  it('is that of the instance if link and browser name none', async () => {
    await change({ defaultLanguage: 'fr-CA' })
    owner = new Owner(harness.origin, { language: 'de' })
    expect((await owner.get(await link())).language).toBe('fr-CA')
  })

  it('is the browser’s in preference to that of the instance', async () => {
    await change({ defaultLanguage: 'fr-CA' })
    expect((await owner.get(await link())).language).toBe('en')
  })
})

describe('the return address', () => {
  const serviceId = toServiceId('quickbooks')

  it('is offered at the end, with the result', async () => {
    await change({ returnAddresses: [BACK] })
    const page = await connect(await link({ returnUrl: `${BACK}?step=2` }))
    expect(page.linkTo('Back to Érable Lending')).toBe(`${BACK}?step=2&status=connected&companyId=${companyId}&serviceId=${serviceId}`)
  })

  it('is offered to an owner who declined', async () => {
    await change({ returnAddresses: [BACK] })
    const page = await owner.submit(await owner.get(await link({ returnUrl: BACK })), { choice: 'decline' })
    expect(page.linkTo('Back to Érable Lending')).toBe(`${BACK}?status=declined&companyId=${companyId}&serviceId=${serviceId}`)
  })

  it('is not offered once its address is no longer allowed', async () => {
    await change({ returnAddresses: [BACK] })
    const address = await link({ returnUrl: BACK })
    await change({})
    const page = await owner.submit(await owner.get(address), { choice: 'decline' })
    expect(page.markup).not.toContain('app.erable.example')
  })

  it('contains no secret of the link', async () => {
    await change({ returnAddresses: [BACK] })
    const address = await link({ returnUrl: BACK })
    const back = (await connect(address)).linkTo('Back to Érable Lending')
    expect(back).not.toContain(new URL(address).searchParams.get('token') ?? '')
  })
})

describe('the first opening of a link', () => {
  it('is recorded once', async () => {
    const opened = async () => (await harness.deps.database.query('select opened_at from links where company_id = $1', [companyId])).rows[0]
    const address = await link()
    expect(await opened()).toEqual({ opened_at: null })
    await owner.get(address)
    const first = await opened()
    await owner.get(address)
    expect([first, await opened()]).toEqual([{ opened_at: expect.any(Date) }, first])
  })
})

describe('from the link to the source’s own login', () => {
  it.each([
    ['quickbooks', []],
    ['plaid', ['bank']],
  ] as const)('takes five clicks at most, at %s', async (source, choices) => {
    let clicks = 1
    const click = <T>(shown: T): T => {
      clicks += 1
      return shown
    }
    let page = click(await owner.agree(await link({}, source)))
    if (choices.length > 0)
      page = click(await owner.get(/<a class="bank" href="([^"]*)"/.exec(page.markup)?.[1]?.replaceAll('&amp;', '&') ?? ''))
    const leaving = click(await owner.submit(page))
    expect(new URL(leaving.forwardsTo()).origin).not.toBe(harness.origin)
    expect(clicks).toBeLessThanOrEqual(5)
  })
})
