import { beforeEach, describe, expect, it } from 'vitest'
import { readCredentials } from '../../src/sync/credentials/credentials.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openConnectHarness } from './kit/harness.ts'
import { type LoadedPage, Owner } from './kit/owner.ts'

const harness = openForTests(openConnectHarness)
let owner: Owner
beforeEach(() => {
  owner = new Owner(harness.origin)
  harness.widget.completions.length = 0
})

/** Leads to the page on which the provider's window opens. */
async function toWidget(companyId?: string): Promise<LoadedPage> {
  return await owner.submit(await owner.agree(await harness.link('widget-source', companyId)))
}

async function connections(companyId: string) {
  const { rows } = await harness.deps.database.query<{ id: string; entity_id: string | null; status: number }>(
    'select id, entity_id, status from connections where company_id = $1',
    [companyId],
  )
  return rows
}

describe('the page for widgets', () => {
  it('allows the provider’s origin and our own script and glue only, unlike every other page', async () => {
    const page = await toWidget()
    const { origin } = new URL(harness.widget.url)
    const policy = page.response.headers.get('content-security-policy') ?? ''
    expect(policy.split('; ').slice(0, 2)).toEqual([
      "default-src 'none'",
      expect.stringMatching(new RegExp(`^script-src 'self' ${origin} 'sha256-[A-Za-z0-9+/]{43}='$`)),
    ])
    expect(policy).not.toMatch(/script-src[^;]*(unsafe|\*)/)
    expect(policy).toContain(`frame-src ${origin}; base-uri 'none'; frame-ancestors 'none'`)
    const other = await owner.get('/connect/source')
    expect(other.response.headers.get('content-security-policy')).not.toContain('script-src')
  })

  it('explains without scripts that they are needed, and leads back', async () => {
    const page = await toWidget()
    expect(/<noscript>(.*?)<\/noscript>/s.exec(page.markup)?.[1]).toContain('requires JavaScript')
    expect((await owner.get(page.linkTo('Back'))).title).toBe('Choose your bank in Fenêtre bancaire')
  })

  it('is available in French too', async () => {
    owner = new Owner(harness.origin, { language: 'fr-CA' })
    const page = await toWidget()
    expect([page.language, page.title]).toEqual(['fr-CA', 'Votre institution, par l’entremise de Fenêtre bancaire'])
  })
})

describe('the result of a widget', () => {
  it('reaches the connector with its memo, and connects', async () => {
    const company = await harness.addCompany('Café à fenêtre')
    const done = await owner.submit(await toWidget(company), { handle: 'handle-3' })
    expect(done.address).toMatch(/^\/connect\/done/)
    const [connection] = await connections(company)
    expect(connection).toMatchObject({ entity_id: 'handle-3', status: 9 })
    expect(
      (await readCredentials(harness.deps.database, harness.deps, { instanceId: harness.instanceId, id: connection?.id ?? '' })).credentials
        .secret,
    ).toBe('handle-3')
    const [completion] = harness.widget.completions
    expect(Object.keys(completion?.query ?? {}).sort()).toEqual(['handle', 'state'])
    expect(completion?.memo).toEqual({ state: completion?.query.state })
  })

  it('connects once, however often it is sent', async () => {
    const company = await harness.addCompany('Café pressé')
    const page = await toWidget(company)
    const shown = await Promise.all(Array.from({ length: 10 }, () => owner.submit(page, { handle: 'handle-1' })))
    expect(await connections(company)).toMatchObject([{ entity_id: 'handle-1', status: 9 }])
    expect(harness.widget.completions).toHaveLength(1)
    expect(shown.filter(({ address }) => address.startsWith('/connect/done')).length).toBeGreaterThan(0)
  })

  it.each([
    ['too many fields', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`field${n}`, 'x']))],
    ['a value that is too long', { handle: 'x'.repeat(8_001) }],
    ['a name that is too long', { ['n'.repeat(65)]: 'x' }],
    ['more than a form may hold', { handle: 'handle-1', rest: 'x'.repeat(70_000) }],
  ])('with %s is refused, and the state stays valid', async (_what, typed) => {
    const page = await toWidget()
    expect((await owner.submit(page, typed)).status).toBe(400)
    expect(harness.widget.completions).toEqual([])
    expect((await owner.submit(page, { handle: 'handle-2' })).address).toMatch(/^\/connect\/done/)
  })

  it.each([
    ['from a page of another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['from another origin', {}, { origin: 'https://evil.example' }],
    ['with a form of somebody else', { form: 'forged' }, {}],
  ])('%s is refused', async (_what, typed, headers: Record<string, string>) => {
    const page = await toWidget()
    const refused = await owner.submit(page, { handle: 'handle-1', ...typed }, headers)
    expect([refused.status, harness.widget.completions]).toEqual([403, []])
  })

  it('is refused with the state of another browser', async () => {
    const page = await toWidget()
    const stranger = new Owner(harness.origin)
    const own = await stranger.submit(await stranger.agree(await harness.link('widget-source')))
    const refused = await stranger.submit(own, { handle: 'handle-1', state: page.hiddenFields().state ?? '' })
    expect([refused.status, harness.widget.completions]).toEqual([409, []])
  })

  it('that the connector refuses is explained in its words, and may be sent again', async () => {
    const refused = await owner.submit(await toWidget(), { handle: 'of the browser’s own making' })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('No bank was shared.')])
    expect((await owner.get(refused.linkTo('Try again'))).status).toBe(200)
  })
})
