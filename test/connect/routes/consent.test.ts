import { beforeEach, describe, expect, it } from 'vitest'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { createCompany } from '../../../src/store/connections/companies.ts'
import { listConsentsOfCompany } from '../../../src/store/connections/consents.ts'
import { issueLink } from '../../../src/sync/links/link.ts'
import { issueOwnerAccess } from '../../../src/sync/owner/owner-access.ts'
import { addCompany, addInstance, ISSUER } from '../../harness/app/tenants.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { whileOpen } from '../../harness/while-open.ts'
import { copiedLinkOf, VALUES } from '../kit/hand-off-harness.ts'
import { openConnectHarness } from '../kit/harness.ts'
import { Owner } from '../kit/owner.ts'

const FRAMED = { 'sec-fetch-dest': 'iframe' }

const harness = openForTests(openConnectHarness)
let owner: Owner
beforeEach(() => {
  owner = new Owner(harness.origin)
})

describe('a used link, in a browser that has an owner page open,', () => {
  /** A link of the company, used in another browser. */
  async function usedLink(companyId: string): Promise<URL> {
    const { instanceId } = harness
    const link = await issueLink(harness.deps, { instanceId, companyId, serviceId: toServiceId('form-source'), issuedBy: ISSUER })
    await owner.submit(await owner.agree(link), VALUES)
    return new URL(link)
  }

  async function browserOf(instanceId: string, companyId: string): Promise<Owner> {
    const browser = new Owner(harness.origin)
    const page = await browser.get(await issueOwnerAccess(harness.deps, { instanceId, companyId, language: 'en' }))
    expect(page.address).toBe('/connect/yours')
    return browser
  }

  it('leads to that page only where it is of the same company of the same instance', async () => {
    const { database } = harness.deps
    const companyId = await harness.addCompany('Café du Coin')
    const link = await usedLink(companyId)
    const otherInstance = await addInstance(database, 'Another Lender')
    await createCompany(database, otherInstance, companyId, {
      name: 'Somebody else',
      country: 'CA',
      city: '',
      industry: '',
      fullAddress: '',
      companyContactNumber: '',
    })
    const places = [
      [harness.instanceId, companyId],
      [harness.instanceId, await harness.addCompany('Café du Nord')],
      [otherInstance, companyId],
      [otherInstance, await addCompany(database, otherInstance)],
    ] as const
    const shown: unknown[] = []
    for (const place of places) {
      const browser = await browserOf(...place)
      const page = await browser.get(link.href)
      shown.push([page.status, page.address.split('?')[0], browser.cookies.has('connect')])
    }
    const unknown = [404, link.href.split('?')[0], false]
    expect(shown).toEqual([[200, '/connect/yours', false], unknown, unknown, unknown])
  })

  it('is unknown with any part of it changed, to the company of that page too', async () => {
    const own = await harness.addCompany('Café du Coin')
    const browser = await browserOf(harness.instanceId, own)
    const link = await usedLink(await harness.addCompany('Café du Nord'))
    link.searchParams.set('accountId', own)
    const mine = await usedLink(own)
    mine.searchParams.set('serviceId', toServiceId('quickbooks'))
    const guessed = await usedLink(own)
    guessed.searchParams.set('token', 'A'.repeat(43))
    const pages = [await browser.get(link.href), await browser.get(mine.href), await browser.get(guessed.href)]
    expect(pages.map(({ title, text }) => [title, text.includes('Érable')])).toEqual(
      Array.from({ length: 3 }, () => ['This link cannot be opened', false]),
    )
  })
})

describe('a link that was used', () => {
  it('opens its result for a day in the browser that used it, and then looks unknown there too', async () => {
    const companyId = await harness.addCompany('Café du Coin')
    const link = await harness.link('form-source', companyId)
    await owner.submit(await owner.agree(link), VALUES)
    const seen = [await owner.get(link), await new Owner(harness.origin).get(link)]
    await harness.deps.database.query(`update links set completed_at = now() - interval '25 hours' where company_id = $1`, [companyId])
    seen.push(await owner.get(link))
    expect(seen.map(({ status, title }) => [status, title])).toEqual([
      [200, 'This link has already been used'],
      [404, 'This link cannot be opened'],
      [404, 'This link cannot be opened'],
    ])
  })
})

describe('opening a link', () => {
  it.each(['serviceId', 'instanceId', 'accountId', 'token'])(
    'with another %s, or without it, opens none and names nobody',
    async (name) => {
      for (const value of ['5d0c7f0e-8a53-4a9a-a9c5-0b4a8f6b0d11', null]) {
        const link = new URL(await harness.link('form-source'))
        if (value === null) link.searchParams.delete(name)
        else link.searchParams.set(name, value)
        const page = await owner.get(link.href)
        expect([page.status, page.text.includes('Érable'), owner.cookies.size]).toEqual([404, false, 0])
      }
    },
  )

  it('takes its ids in any letter case', async () => {
    const link = new URL(await harness.link('form-source'))
    for (const name of ['serviceId', 'instanceId', 'accountId'])
      link.searchParams.set(name, link.searchParams.get(name)?.toUpperCase() ?? '')
    expect((await owner.get(link.href)).address).toBe('/connect/consent')
  })

  it('of another link leaves the cookies as they were when it cannot be opened', async () => {
    await owner.get(await harness.link('form-source'))
    const before = owner.cookies.get('connect')?.value
    const response = await owner.ask(`/connect?token=${'A'.repeat(43)}`)
    expect([response.status, response.headers.getSetCookie(), owner.cookies.get('connect')?.value]).toEqual([404, [], before])
    expect((await owner.get('/connect/consent')).status).toBe(200)
  })

  it('at top level forgets the page around a frame; in a frame it does not, and without one nothing is written', async () => {
    const link = await harness.link('form-source')
    const setBy = async (headers: Record<string, string>) => {
      const cookies = (await owner.ask(link, { headers })).headers.getSetCookie()
      return cookies.filter((each) => each.startsWith('return='))
    }
    expect(await setBy({})).toEqual([])
    owner.cookies.set('return', { value: 'window', attributes: '' })
    expect(await setBy(FRAMED)).toEqual([])
    expect(await setBy({})).toEqual([expect.stringMatching(/^return=; Max-Age=0;/)])
  })

  it('again in a browser in which it was opened asks for the consent that was given in another', async () => {
    const link = await harness.link('form-source')
    await owner.get(link)
    await new Owner(harness.origin).agree(link)
    expect((await owner.get(link)).address).toBe('/connect/consent')
  })

  it('puts it before the other links of this browser, each once', async () => {
    const links = [await harness.link('form-source'), await harness.link('quickbooks')]
    const tokens = links.map((link) => new URL(link).searchParams.get('token') ?? '')
    const seen: (string | undefined)[] = []
    for (const at of [0, 1, 1, 0]) {
      await owner.get(links[at] ?? '')
      seen.push(owner.cookies.get('connect')?.value)
    }
    expect(seen).toEqual([tokens[0], `${tokens[1]}.${tokens[0]}`, `${tokens[1]}.${tokens[0]}`, `${tokens[0]}.${tokens[1]}`])
  })
})

describe('the terms', () => {
  const consentsOf = async (companyId: string) => await listConsentsOfCompany(harness.deps.database, harness.instanceId, companyId)

  it('that have changed since they were read are shown again, and nothing is agreed to', async () => {
    const companyId = await harness.addCompany('Café du Coin')
    const consent = await owner.get(await harness.link('form-source', companyId))
    expect([consent.status, consent.markup.includes('role="status"')]).toEqual([200, false])
    const again = await owner.submit(consent, { choice: 'agree', terms: 'a'.repeat(64) })
    expect([again.status, again.markup.includes('role="status"'), await consentsOf(companyId)]).toEqual([409, true, []])
    expect((await owner.get('/connect/source')).address).toBe('/connect/consent')
    await owner.submit(again, { choice: 'agree' })
    expect(await consentsOf(companyId)).toHaveLength(1)
  })

  it.each([
    ['as they were read', {}, ['declined']],
    ['in another wording', { terms: 'a'.repeat(64) }, []],
    ['that are not named', { terms: '' }, []],
  ])('that are declined %s are in the ledger only as they were read', async (_how, typed, ended) => {
    const companyId = await harness.addCompany('Café du Coin')
    const page = await owner.submit(await owner.get(await harness.link('form-source', companyId)), { choice: 'decline', ...typed })
    expect([page.title, (await consentsOf(companyId)).map(({ endedHow }) => endedHow)]).toEqual(['You declined', ended])
  })

  it.each([
    ['fr-CA', 'fr-CA'],
    ['en', 'en'],
    ['de', 'en'],
    ['', 'en'],
  ])('read in the language %j are agreed to in %s', async (language, stored) => {
    const companyId = await harness.addCompany('Café du Coin')
    await owner.submit(await owner.get(await harness.link('form-source', companyId)), { choice: 'agree', language })
    expect((await consentsOf(companyId)).map((consent) => consent.language)).toEqual([stored])
  })

  it('name what the link renews, except for files, which are added', async () => {
    const [books, files] = [await harness.addCompany('Café du Coin'), await harness.addCompany('Café du Nord')]
    await owner.submit(await owner.agree(await harness.link('form-source', books)), { ...VALUES, note: 'Livres du café' })
    await harness.deps.database.query(
      `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, entity_id, entity_name, refresh_hours, update_scheduled_at)
       select instance_id, gen_random_uuid(), $2, $3, 'bank-files', 'Banking', email, 19, 'files', 'Files', 24, now() from connections where company_id = $1`,
      [books, files, toServiceId('bank-files')],
    )
    const texts = [await owner.get(await harness.link('form-source', books)), await owner.get(await harness.link('bank-files', files))]
    expect(texts.map(({ text }) => text.includes('is connected already'))).toEqual([true, false])
    expect(texts[0]?.text).toContain('Livres du café is connected already')
  })

  it('cannot be declined once the link has led to a connection in the meantime', async () => {
    const companyId = await harness.addCompany('Café du Coin')
    const consent = await owner.get(await harness.link('form-source', companyId))
    const meanwhile = {
      id: companyId,
      first: ['select 1 from links where company_id = $1 for update'],
      later: ['update links set completed_at = clock_timestamp() where company_id = $1'],
    }
    const declined = await whileOpen(harness.deps.database, meanwhile, () => owner.submit(consent, { choice: 'decline' }))
    expect([declined.address.split('?')[0], await consentsOf(companyId)]).toEqual(['/connect/done', []])
  })
})

it('a helper is asked for no consent: neither its page nor its form reaches them', async () => {
  const companyId = await harness.addCompany('Café du Coin')
  const step = await owner.agree(await harness.link('form-source', companyId))
  const copied = await owner.submit(await owner.get(step.linkTo('my accountant')), { choice: 'copy' })
  const helper = new Owner(harness.origin)
  const page = await helper.get(copiedLinkOf(copied))
  expect([page.address, (await helper.get('/connect/consent')).address]).toEqual(['/connect/helping', '/connect/helping'])
  const body = new URLSearchParams({ ...page.hiddenFields(), choice: 'decline' })
  const sent = await helper.ask('/connect/consent', { method: 'POST', body })
  const { rows } = await harness.deps.database.query('select 1 from consents where company_id = $1 and ended_at is null', [companyId])
  expect([sent.status, sent.headers.get('location'), rows.length]).toEqual([303, '/connect/helping', 1])
})
