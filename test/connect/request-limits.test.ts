import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openConnectHarness } from './kit/harness.ts'
import { type LoadedPage, Owner } from './kit/owner.ts'

/** More than the limit of twenty per link. */
const CHANGES = 25
const CLIENTS = 4
const TEN_MINUTES_MS = 600_000

const harness = openForTests(() => openConnectHarness({ limits: { changes: CHANGES, unknownLinks: CLIENTS } }))

afterEach(() => {
  harness.deps.now = () => new Date()
})

/** An owner at the form of a source, with the maximum number of forms sent. */
async function exhaust(language: string): Promise<{ owner: Owner; form: LoadedPage }> {
  const owner = new Owner(harness.origin, { language })
  const form = await owner.agree(await harness.link('form-source'))
  for (let sent = 1; sent < CHANGES; sent += 1) {
    if ((await owner.submit(form, { address: '', password: '' })).status !== 422) throw new Error('refused too early')
  }
  return { owner, form }
}

const VALUES = { address: 'https://books.example.com', password: 'secret ' }

describe('too many forms sent with one link', () => {
  it.each([
    ['en-CA', 'Too many attempts', 'Continue'],
    ['fr-CA', 'Trop de demandes en peu de temps', 'Continuer'],
  ])('are refused with a helpful page (%s), and change nothing', async (language, title, button) => {
    const { owner, form } = await exhaust(language)
    const before = await harness.countRows()
    const refused = await owner.submit(form, VALUES)
    expect([refused.status, refused.title, refused.linkTo(button), await harness.countRows()]).toEqual([
      429,
      title,
      '/connect/source',
      before,
    ])
    const seconds = Number(refused.response.headers.get('retry-after'))
    expect(seconds > 0 && seconds <= 600).toBe(true)
  })

  it('are accepted again ten minutes later', async () => {
    const { owner, form } = await exhaust('en-CA')
    expect((await owner.submit(form, VALUES)).status).toBe(429)
    const later = Date.now() + TEN_MINUTES_MS
    harness.deps.now = () => new Date(later)
    expect((await owner.submit(form, VALUES)).title).toBe('You are connected')
  })

  it('do not affect the owner’s other links and all pages', async () => {
    const { owner, form } = await exhaust('en-CA')
    const other = await owner.agree(await harness.link('form-source'))
    expect((await owner.submit(form, VALUES)).status).toBe(429)
    expect((await owner.get(form.address)).status).toBe(200)
    expect((await owner.submit(other, VALUES)).title).toBe('You are connected')
  })

  it('are counted together with those of the person it was handed on to', async () => {
    const owner = new Owner(harness.origin)
    const step = await owner.agree(await harness.link('form-source'))
    const handed = await owner.submit(await owner.get(step.linkTo('my accountant')), { choice: 'copy' })
    const helper = new Owner(harness.origin)
    const form = await helper.submit(await helper.get(addressIn(handed)), { choice: 'go' })
    for (let sent = 3; sent < CHANGES; sent += 1) await helper.submit(form, { address: '', password: '' })
    expect([(await helper.submit(form, VALUES)).status, (await owner.submit(step, VALUES)).status]).toEqual([429, 429])
  })
})

describe('the owner’s own page', () => {
  async function renewing(): Promise<{ owner: Owner; page: LoadedPage; companyId: string }> {
    const [owner, companyId] = [new Owner(harness.origin), await harness.addCompany('Café du Coin')]
    const done = await owner.submit(await owner.agree(await harness.link('form-source', companyId)), VALUES)
    await owner.get(done.linkTo('See, pause or withdraw'))
    const { rows } = await harness.deps.database.query<{ id: string }>('select id from connections where company_id = $1', [companyId])
    return { owner, page: await owner.get(`/connect/yours/renew?connection=${rows[0]?.id}`), companyId }
  }

  it('creates one link to renew an access, however often it is requested', async () => {
    const { owner, page, companyId } = await renewing()
    const shown = await Promise.all([owner.submit(page), owner.submit(page), owner.submit(page)])
    const { rows } = await harness.deps.database.query('select id from links where company_id = $1', [companyId])
    expect([rows.length, new Set(shown.map(({ address }) => address)).size]).toEqual([2, 1])
    expect(shown[0]?.address).toMatch(/^\/connect\/consent\?link=/)
  })

  it('limits forms too', async () => {
    const { owner, page } = await renewing()
    const statuses: number[] = []
    const headers = { 'sec-fetch-site': 'same-origin' }
    for (let sent = 0; sent <= CHANGES; sent += 1) {
      const body = new URLSearchParams(page.hiddenFields())
      statuses.push((await owner.ask(page.formAction(), { method: 'POST', body, headers })).status)
    }
    expect(statuses).toEqual([...Array(CHANGES).fill(303), 429])
  })
})

describe('a network that guesses links', () => {
  it('is told to wait, while holders of a link continue', async () => {
    const start = Date.now() + 2 * TEN_MINUTES_MS
    harness.deps.now = () => new Date(start)
    const statuses: number[] = []
    for (let tried = 0; tried <= CLIENTS; tried += 1) {
      const page = await new Owner(harness.origin).get(`/connect?token=${randomBytes(32).toString('base64url')}`)
      statuses.push(page.status)
    }
    expect(statuses).toEqual([404, 404, 404, 404, 429])
    const owner = new Owner(harness.origin)
    expect((await owner.submit(await owner.agree(await harness.link('form-source')), VALUES)).title).toBe('You are connected')
  })
})

describe('what one link can create', () => {
  const FULL = 'This link has reached its limit'

  it('is limited to twenty missing banks, which are kept', async () => {
    const owner = new Owner(harness.origin)
    await owner.agree(await harness.link('plaid'))
    const page = await owner.get('/connect/institutions/missing')
    for (let named = 1; named <= 20; named += 1) await owner.submit(page, { name: `Caisse ${named}`, country: 'CA' })
    const { requests } = await harness.countRows()
    const refused = await owner.submit(page, { name: 'Caisse 21', country: 'CA' })
    const again = await owner.submit(page, { name: 'Caisse 20', country: 'CA' })
    expect([refused.status, refused.title, again.title]).toEqual([409, FULL, 'Thank you for your request'])
    expect((await harness.countRows()).requests).toBe(requests)
  })

  it('is limited to twenty forwarded links, the last of which stays valid', async () => {
    const secret = randomBytes(32)
    harness.deps.mail = { sealer: harness.deps.sealer, hashToken: (token) => createHmac('sha256', secret).update(token).digest() }
    const owner = new Owner(harness.origin)
    const step = await owner.agree(await harness.link('form-source'))
    const form = await owner.get(step.linkTo('my accountant'))
    const handOn = async () => await owner.submit(form, { choice: 'copy', once: randomUUID() })
    let last = await handOn()
    for (let handed = 2; handed <= 20; handed += 1) last = await handOn()
    const refused = await handOn()
    expect([refused.status, refused.title]).toEqual([409, FULL])
    expect((await new Owner(harness.origin).get(addressIn(last))).status).toBe(200)
  })
})

function addressIn(page: LoadedPage): string {
  return /https?:\S+token=[\w-]+/.exec(/<textarea[^>]*>([^<]*)</.exec(page.markup)?.[1]?.replaceAll('&amp;', '&') ?? '')?.[0] ?? ''
}
