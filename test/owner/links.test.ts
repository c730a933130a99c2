import { describe, expect, it } from 'vitest'
import { type LoadedPage, Owner } from '../connect/kit/owner.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openOwnerPageHarness } from './harness.ts'

const syncHarness = openForTests(openOwnerPageHarness)
const harness = () => syncHarness.connectHarness
const database = () => syncHarness.connectHarness.deps.database
const typed = { address: 'https://ledger.example.com', password: 'secret ' }

/** The page and its headers without the request id, which always differs. */
function comparable(page: LoadedPage): unknown {
  const reference = /<code>([^<]+)<\/code>/.exec(page.markup)?.[1] ?? '?'
  const headers = [...page.response.headers].filter(([name]) => name !== 'date')
  return { status: page.status, body: page.markup.replaceAll(reference, '<reference>'), headers }
}

describe('links that cannot be opened', () => {
  it('expired, revoked, used, foreign, truncated and guessed ones all show the same bytes except for the reference code', async () => {
    const guessed = new URL(await harness().link('quickbooks'))
    guessed.searchParams.set('token', 'A'.repeat(43))
    const cut = new URL(await harness().link('quickbooks'))
    cut.searchParams.set('token', (cut.searchParams.get('token') ?? '').slice(0, 30))
    const foreign = new URL(await harness().link('quickbooks'))
    foreign.searchParams.set('accountId', await harness().addCompany('Somebody else'))
    const [expired, revoked] = [await harness().link('quickbooks'), await harness().link('quickbooks')]
    const used = await harness().link('form-source')
    const first = new Owner(harness().origin)
    await first.submit(await first.agree(used), typed)
    await database().query(`update links set language = 'fr-CA'`)
    const hashOf = (link: string) => harness().deps.hashToken(new URL(link).searchParams.get('token') ?? '')
    await database().query(`update links set expires_at = now() - interval '1 minute' where token_hash = $1`, [hashOf(expired)])
    await database().query('update links set revoked_at = now() where token_hash = $1', [hashOf(revoked)])
    const shown: unknown[] = []
    for (const link of [guessed.href, cut.href, foreign.href, expired, revoked, used]) {
      shown.push(comparable(await new Owner(harness().origin).get(link)))
    }
    expect(shown[0]).toMatchObject({ status: 404 })
    for (const each of shown) expect(each).toEqual(shown[0])
  })

  it('name nobody, and say what to do', async () => {
    const used = await harness().link('form-source')
    const first = new Owner(harness().origin)
    await first.submit(await first.agree(used), typed)
    const page = await new Owner(harness().origin).get(used)
    for (const word of ['Érable', 'Boulangerie', 'Grand livre']) expect(page.markup).not.toContain(word)
    expect(page.text).toContain('ask the sender for a new link')
  })

  it('show a reference code that is also in the log', async () => {
    const told: Record<string, unknown>[] = []
    const { log } = harness().deps
    const { info } = log
    log.info = (fields) => told.push(fields)
    const page = await new Owner(harness().origin).get('/connect?token=x')
    log.info = info
    const reference = /<code>([^<]+)<\/code>/.exec(page.markup)?.[1]
    expect(told).toContainEqual(expect.objectContaining({ requestId: reference, problem: 'link' }))
  })
})

describe('double clicks, two tabs and the back button', () => {
  async function connectionsOf(companyId: string): Promise<number> {
    const { rows } = await database().query('select 1 from connections where company_id = $1', [companyId])
    return rows.length
  }

  it('on the consent page: one connection begins, and every tab continues', async () => {
    const companyId = await harness().addCompany('Café pressé')
    const link = await harness().link('form-source', companyId)
    const owner = new Owner(harness().origin)
    const tabs = [await owner.get(link), await owner.get(link)]
    const shown = await Promise.all([...tabs, ...tabs].map((tab) => owner.submit(tab, { choice: 'agree' })))
    expect([...new Set(shown.map(({ address }) => address)), await connectionsOf(companyId)]).toEqual(['/connect/source', 1])
    expect((await owner.get('/connect/consent')).status, 'the back button').toBe(200)
  })

  it('at a form: one connection is made, and every tab shows it', async () => {
    const companyId = await harness().addCompany('Café pressé')
    const owner = new Owner(harness().origin)
    const tab = await owner.agree(await harness().link('form-source', companyId))
    const shown = await Promise.all([tab, tab, tab].map((one) => owner.submit(one, typed)))
    expect([shown.map(({ status }) => status), await connectionsOf(companyId)]).toEqual([[200, 200, 200], 1])
    const back = await owner.submit(tab, typed)
    expect([back.status, back.address.split('?')[0], await connectionsOf(companyId)]).toEqual([200, '/connect/done', 1])
  })

  it('at files: one connection is made, and every tab shows it', async () => {
    const companyId = await harness().addCompany('Café pressé')
    const owner = new Owner(harness().origin)
    const done = await syncHarness.upload(owner, companyId)
    const again = await owner.get('/connect/source')
    expect([again.address.split('?')[0], await connectionsOf(companyId)]).toEqual([done.address.split('?')[0], 1])
  })

  it('on leaving for the source: each tab may return, one of them connects', async () => {
    const companyId = await harness().addCompany('Café pressé')
    const owner = new Owner(harness().origin)
    const tab = await owner.agree(await harness().link('shared-login', companyId))
    const leaving = await Promise.all([tab, tab].map((one) => owner.submit(one)))
    const choices: LoadedPage[] = []
    for (const one of leaving) choices.push(await owner.get(one.forwardsTo()))
    expect(choices.map(({ title }) => title)).toEqual(['Choose a company file', 'Choose a company file'])
    const shown = await Promise.all(choices.map((choice) => owner.submit(choice, { entity: 'north' })))
    expect([shown.map(({ status }) => status), await connectionsOf(companyId)]).toEqual([[200, 200], 1])
    expect((await owner.submit(choices[0] ?? tab, { entity: 'south' })).address, 'the back button').toMatch(/^\/connect\/done/)
  })
})
