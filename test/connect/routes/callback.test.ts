import { beforeEach, describe, expect, it } from 'vitest'
import { openForTests } from '../../harness/for-tests.ts'
import { openConnectHarness } from '../kit/harness.ts'
import { type LoadedPage, Owner } from '../kit/owner.ts'
import { decideAtIntuit } from '../kit/quickbooks-owner.ts'

const COMPANY = '4620816365200000101'

const harness = openForTests(openConnectHarness)
let owner: Owner
beforeEach(() => {
  owner = new Owner(harness.origin)
  harness.widget.completions.length = 0
})

describe('a return from a source', () => {
  it.each(['', '?code=y', '?state=', '?state=a&state=b', `?state=${'a'.repeat(5_000)}`])(
    'with no state that could be one is refused like one that is unknown: %s',
    async (query) => {
      await owner.get(await harness.link('quickbooks'))
      const page = await owner.get(`/connect/callback${query}`)
      expect([page.status, page.title, harness.faults]).toEqual([409, 'This sign-in cannot be used', []])
    },
  )

  it('that is refused shows the page of the link that is open, to start over', async () => {
    const step = await owner.agree(await harness.link('quickbooks'))
    const page = await owner.get('/connect/callback?state=unknown')
    expect(page.linkTo('Start over')).toBe(step.address)
  })

  it('finds the link that it belongs to, whichever was opened last', async () => {
    const leaving = await owner.submit(await owner.agree(await harness.link('quickbooks')))
    await owner.get(await harness.link('form-source'))
    const done = await owner.get(await decideAtIntuit(leaving, COMPANY))
    expect([done.title, done.text.includes('QuickBooks Online'), done.address.includes('link=')]).toEqual(['You are connected', true, true])
  })

  it('with a choice of books keeps the reference of its link', async () => {
    const leaving = await owner.submit(await owner.agree(await harness.link('shared-login')))
    await owner.get(await harness.link('form-source'))
    const choice = await owner.get(leaving.forwardsTo())
    expect([choice.title, choice.address]).toEqual([
      'Choose a company file',
      expect.stringMatching(/^\/connect\/books\?link=[\w-]{10}&choice=/),
    ])
  })
})

describe('the result of a widget', () => {
  const toWidget = async (): Promise<LoadedPage> => await owner.submit(await owner.agree(await harness.link('widget-source')))
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_value, at) => [`field${at}`, 'x']))
  const posted = async (page: LoadedPage, typed: Record<string, string>, query = '') => {
    const body = new URLSearchParams({ ...page.hiddenFields(), ...typed })
    const headers = { 'sec-fetch-site': 'same-origin' }
    return await owner.ask(`${page.formAction()}${query}`, { method: 'POST', body, headers })
  }
  const queryOf = () => harness.widget.completions.map(({ query: { state: _state, ...query } }) => query)

  it('has up to twenty fields beside the state, of 64 and 8,000 characters', async () => {
    const most = { handle: 'handle-1', ['n'.repeat(64)]: 'v'.repeat(8_000), ...fields(18) }
    expect((await posted(await toWidget(), most)).status).toBe(303)
    expect(queryOf()).toEqual([most])
  })

  it.each([
    ['one field more', { handle: 'handle-1', ...fields(20) }],
    ['a longer name', { handle: 'handle-1', ['n'.repeat(65)]: 'x' }],
    ['a longer value', { handle: 'v'.repeat(8_001) }],
  ])('with %s is refused', async (_what, typed) => {
    expect([(await posted(await toWidget(), typed)).status, queryOf()]).toEqual([400, []])
  })

  it('has nothing of what is ours, and a field of the form counts before one of the address', async () => {
    const page = await toWidget()
    const ours = { link: 'x', lang: 'en', form: page.hiddenFields().form ?? '' }
    await posted(page, { handle: 'handle-2', ...ours }, '?handle=handle-3&more=4&lang=fr-CA&list=1&list=2')
    expect(queryOf()).toEqual([{ handle: 'handle-2', more: '4' }])
  })

  it('leads to the end once it is connected', async () => {
    const answer = await posted(await toWidget(), { handle: 'handle-4' })
    const { rows } = await harness.deps.database.query<{ id: string }>(`select id from connections where entity_id = 'handle-4'`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/connect/done?connections=${rows[0]?.id}`])
  })
})
