import { describe, expect, it } from 'vitest'
import { openForTests } from '../../harness/for-tests.ts'
import { openConnectHarness } from '../kit/harness.ts'
import { type LoadedPage, Owner } from '../kit/owner.ts'

const LIST = '/connect/institutions'
const [SUGGESTIONS, MISSING, NOTED, STATEMENTS] = ['suggestions', 'missing', 'noted', 'statements'].map((path) => `${LIST}/${path}`)

const harness = openForTests(openConnectHarness)
const database = () => harness.deps.database

async function atBanks(country?: string): Promise<{ owner: Owner; page: LoadedPage; companyId: string }> {
  const owner = new Owner(harness.origin)
  const companyId = await harness.addCompany('Café du Coin', country)
  return { owner, companyId, page: await owner.agree(await harness.link('plaid', companyId)) }
}
const banksIn = ({ markup }: LoadedPage) => (markup.match(/<a class="bank" /g) ?? []).length
const countBanks = async (country?: string) => {
  const { rows } = await database().query<{ count: number }>(
    'select count(*)::int as count from institutions where $1::text is null or $1 = any(countries)',
    [country ?? null],
  )
  return rows[0]?.count ?? 0
}
const post = async (owner: Owner, path: string, fields: Record<string, string>) =>
  await owner.ask(path, { method: 'POST', body: new URLSearchParams(fields), headers: { 'sec-fetch-site': 'same-origin' } })

describe('the list of banks', () => {
  it('has twelve on a page, of the country of the business unless all are asked for', async () => {
    const { owner, page } = await atBanks('CA')
    const [ofCountry, all] = [await countBanks('CA'), await countBanks()]
    const lastOf = (count: number) => Math.ceil(count / 12)
    const sizes = async (query: string, count: number) => [
      banksIn(await owner.get(`${LIST}?page=1${query}`)),
      banksIn(await owner.get(`${LIST}?page=${lastOf(count)}${query}`)),
    ]
    const wanted = (count: number) => [Math.min(12, count), count - 12 * (lastOf(count) - 1)]
    expect(banksIn(page)).toBe(Math.min(12, ofCountry))
    expect([await sizes('', ofCountry), await sizes('&countries=all', all)]).toEqual([wanted(ofCountry), wanted(all)])
    const { owner: ofNoCountry } = await atBanks('')
    expect(banksIn(await ofNoCountry.get(`${LIST}?page=${lastOf(all)}`))).toBe(wanted(all)[1])
  })

  it.each(['0', '-3', 'x', '', '1.9'])('begins with its first page for the page %j', async (page) => {
    const { owner, page: first } = await atBanks()
    const shown = await owner.get(`${LIST}?page=${page}`)
    expect([banksIn(shown), shown.linkTo('Next') === first.linkTo('Next')]).toEqual([banksIn(first), true])
  })

  it('ends with its last page, however many there are, and has that for each page after it', async () => {
    const { owner } = await atBanks('CA')
    const change = async (statement: string) => {
      await database().query(statement)
      await database().query('update directories set version = version + 1')
    }
    await change(
      `insert into institutions (connector_key, id, name, search_text, countries, routing_numbers, seen_at)
       select d.connector_key, 'many-' || n, 'Bank ' || n, 'manybanks ' || n, '{CA}', '{}', now() from directories d, generate_series(1, 6013) n`,
    )
    const shown = async (page: string) => {
      const { markup } = await owner.get(`${LIST}?search=manybanks&page=${page}`)
      const leadsOn = markup.includes('rel="next"')
      return [/<span>(\d+ \/ \d+)<\/span>/.exec(markup)?.[1], markup.match(/<a class="bank" /g)?.length, leadsOn]
    }
    const last = ['502 / 502', 1, false]
    expect([await shown('501'), await shown('502'), await shown('503'), await shown('9'.repeat(400))]).toEqual([
      ['501 / 502', 12, true],
      last,
      last,
      last,
    ])
    await change(`delete from institutions where id like 'many-%'`)
  })

  it('looks for a hundred characters at most, without spaces around them', async () => {
    const { owner } = await atBanks()
    const shown = async (search: string) =>
      /name="search"[^>]* value="([^"]*)"/.exec((await owner.get(`${LIST}?search=${encodeURIComponent(search)}`)).markup)?.[1]
    expect([await shown('  caisse '), await shown('a'.repeat(101)), await shown('a\0b')]).toEqual(['caisse', 'a'.repeat(100), 'ab'])
  })

  it('suggests eight while the owner types, as an answer that nobody keeps', async () => {
    const { owner } = await atBanks()
    const answer = await owner.ask(`${SUGGESTIONS}?countries=all`)
    expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('x-content-type-options')]).toEqual([
      200,
      'no-store',
      'nosniff',
    ])
    expect(JSON.stringify(await answer.json()).match(/institution=/g)).toHaveLength(8)
  })
})

describe('the pages of banks', () => {
  it('are not there before the owner has agreed, nor for a source without banks', async () => {
    const [early, elsewhere] = [new Owner(harness.origin), new Owner(harness.origin)]
    const consent = await early.get(await harness.link('plaid'))
    const form = await elsewhere.agree(await harness.link('form-source'))
    const seen: unknown[] = []
    for (const [owner, page] of [
      [early, consent],
      [elsewhere, form],
    ] as const) {
      const pages = [await owner.ask(LIST), await owner.ask(`${MISSING}`), await post(owner, `${MISSING}`, page.hiddenFields())]
      const suggestions = await owner.ask(`${SUGGESTIONS}`)
      seen.push([...pages.map(({ status, headers }) => [status, headers.get('location')]), [suggestions.status, await suggestions.json()]])
    }
    const turnedAway = (to: string) => [...Array.from({ length: 3 }, () => [303, to]), [409, {}]]
    expect(seen).toEqual([turnedAway('/connect/consent'), turnedAway('/connect/source')])
    expect((await harness.countRows()).requests).toBe('0')
  })
})

describe('a missing bank', () => {
  const stored = async (companyId: string) => {
    const { rows } = await database().query(
      'select r.name, r.country, r.url from institution_requests r join links l on l.id = r.link_id where l.company_id = $1',
      [companyId],
    )
    return rows
  }

  it.each([
    [
      { name: ' Caisse\0 des Îles ', country: 'US', website: ' https://caisse.example ' },
      { name: 'Caisse des Îles', country: 'US', url: 'https://caisse.example' },
    ],
    [
      { name: 'n'.repeat(201), country: 'CA', website: 'w'.repeat(201) },
      { name: 'n'.repeat(200), country: 'CA', url: 'w'.repeat(200) },
    ],
    [
      { name: 'Caisse', country: 'CAN', website: '' },
      { name: 'Caisse', country: '', url: '' },
    ],
    [
      { name: 'Caisse', country: 'ca', website: '' },
      { name: 'Caisse', country: '', url: '' },
    ],
  ])('is noted as it was typed, as far as it is one: %j', async (typed, noted) => {
    const { owner, companyId } = await atBanks()
    const page = await owner.submit(await owner.get(`${MISSING}`), typed)
    expect([page.address.split('?')[0], await stored(companyId)]).toEqual([NOTED, [noted]])
  })

  it('has the country of the business, until the owner says otherwise', async () => {
    const { owner } = await atBanks('US')
    expect((await owner.get(`${MISSING}`)).markup).toMatch(/<option value="US" selected/)
    const { owner: other } = await atBanks('CA')
    expect((await other.get(`${MISSING}`)).markup).toMatch(/<option value="CA" selected/)
  })

  it('without a name is asked for again, with what was typed', async () => {
    const { owner, companyId } = await atBanks()
    const again = await owner.submit(await owner.get(`${MISSING}`), { name: ' ', country: 'US', website: 'caisse.example' })
    expect([again.status, again.markup.includes('value="caisse.example"'), await stored(companyId)]).toEqual([422, true, []])
  })
})

it('files instead of a bank are a link of this browser beside the other, opened first, each once', async () => {
  const { owner } = await atBanks()
  const [bankLink = ''] = owner.cookies.get('connect')?.value.split('.') ?? []
  const page = await owner.get(`${MISSING}`)
  const first = await post(owner, `${STATEMENTS}`, page.hiddenFields())
  const seen = [owner.cookies.get('connect')?.value.split('.')]
  const consent = await owner.get(first.headers.get('location') ?? '')
  await owner.submit(consent, { choice: 'agree' })
  await post(owner, `${STATEMENTS}`, page.hiddenFields())
  seen.push(owner.cookies.get('connect')?.value.split('.'))
  const filesLink = seen[0]?.[0]
  expect([bankLink.endsWith('~'), seen]).toEqual([
    true,
    [
      [filesLink, bankLink],
      [`${filesLink}~`, bankLink],
    ],
  ])
  expect(first.headers.get('location')).toMatch(/^\/connect\/consent\?link=/)
})
