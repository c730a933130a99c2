import { beforeAll, describe, expect, it } from 'vitest'
import { changeOwnerPages } from '../../src/sync/branding/owner-pages.ts'
import { openConnectHarness } from '../connect/kit/harness.ts'
import { type LoadedPage, Owner } from '../connect/kit/owner.ts'
import { EMPTY_OWNER_PAGES } from '../harness/app/owner-pages.ts'
import { openForTests } from '../harness/for-tests.ts'

const harness = openForTests(openConnectHarness)
const newOwner = () => new Owner(harness.origin)
const FRAME = 'https://app.maple.example'

describe('the way back of an owner who has declined', () => {
  beforeAll(async () => {
    const pages = { ...EMPTY_OWNER_PAGES, frameOrigins: [FRAME, harness.origin.replace('http:', 'https:')] }
    await changeOwnerPages(harness.deps.database, harness.instanceId, pages, { allowsLoopback: true })
  })
  const declined = async (returnsTo: string, headers: Record<string, string> = {}): Promise<LoadedPage> => {
    const owner = newOwner()
    const consent = await owner.get(await harness.link('form-source'), headers)
    owner.cookies.set('return', { value: encodeURIComponent(returnsTo), attributes: '' })
    return await owner.submit(consent, { choice: 'decline' }, headers)
  }

  it.each([
    ['the page with the frame', `${FRAME}/books?step=2`, `href="${FRAME}/books?step=2"`],
    ['the window that the frame has opened', 'window', 'data-close'],
  ])('is %s', async (_what, returnsTo, markup) => {
    const page = await declined(returnsTo)
    expect([page.markup.includes(markup), page.text.includes('You can close this window.')]).toEqual([true, returnsTo === 'window'])
  })

  it.each([`${FRAME}.evil.example/`, 'https://evil.example/', 'javascript:alert(1)', 'windows', ''])(
    'is none that is no page of a frame: %j',
    async (returnsTo) => {
      const { markup, status } = await declined(returnsTo)
      expect([status, markup.includes('Back to'), markup.includes('data-close')]).toEqual([200, false, false])
    },
  )
})

describe('a deployment that is paused', () => {
  it('asks owners to come again in a minute, and writes no error; what is the same for all is there still', async () => {
    const owner = newOwner()
    const link = await harness.link('form-source')
    const paused = { find: async () => ({ reason: 'restore' }), current: () => null }
    Object.assign(harness.deps, { pause: paused })
    try {
      const answers = [await owner.ask(link), await owner.ask('/connect/consent'), await owner.ask('/connect/accessibility')]
      expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
        [503, '60'],
        [503, '60'],
        [200, null],
      ])
      expect(harness.faults).toEqual([])
    } finally {
      Object.assign(harness.deps, { pause: undefined })
    }
    expect((await owner.get(link)).status).toBe(200)
  })
})

describe('the list of banks', () => {
  it('leads to each by its id, shows where it is on the web, and names in full what is cut', async () => {
    const owner = newOwner()
    await owner.agree(await harness.link('plaid'))
    const name = 'Caisse populaire de la rive très longue du fleuve Saint-Laurent et des environs du Bas-Richelieu occidental'
    const list = await owner.get('/connect/institutions?countries=all')
    const banks = [...list.markup.matchAll(/<a class="bank" href="\/connect\/source\?institution=([^"&]+)"/g)].map(([, id]) => id)
    expect([banks.length, new Set(banks).size]).toEqual([12, 12])
    const { rows } = await harness.deps.database.query<{ before: string }>('select name as before from institutions where id = $1', [
      banks[0],
    ])
    await harness.deps.database.query(`update institutions set name = $2, url = 'https://www.caisse.example/fr' where id = $1`, [
      banks[0],
      name,
    ])
    const found = await owner.get(`/connect/institutions?countries=all&search=${encodeURIComponent(rows[0]?.before ?? '')}`)
    const [, shown = ''] = new RegExp(`institution=${banks[0]}"(.*?)</a>`).exec(found.markup) ?? []
    expect([shown.includes(` title="${name}"`), /<span class="site">([^<]*)</.exec(shown)?.[1]]).toEqual([true, 'caisse.example'])
    expect(list.markup.match(/ title="/g) ?? []).toEqual([])
  })

  it('has a way to the pages before and after, where there are any', async () => {
    const owner = newOwner()
    await owner.agree(await harness.link('plaid'))
    const waysOf = async (page: number) => {
      const { markup } = await owner.get(`/connect/institutions?countries=all&page=${page}`)
      return ['prev', 'next'].map((way) => new RegExp(`href="([^"]*)" rel="${way}"`).exec(markup)?.[1]?.replaceAll('&amp;', '&'))
    }
    const pageOf = (page: number) => `/connect/institutions?countries=all${page > 1 ? `&page=${page}` : ''}`
    expect([await waysOf(1), await waysOf(2), await waysOf(5)]).toEqual([
      [undefined, pageOf(2)],
      [pageOf(1), pageOf(3)],
      [pageOf(4), undefined],
    ])
  })
})
