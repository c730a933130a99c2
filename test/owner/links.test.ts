import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Owner, type Shown } from '../connect/kit/owner.ts'
import { type OwnersHouse, openOwnersHouse } from './house.ts'

let house: OwnersHouse
beforeAll(async () => {
  house = await openOwnersHouse()
})
afterAll(async () => await house.close())

const stage = () => house.stage
const database = () => house.stage.deps.database
const typed = { address: 'https://ledger.example.com', password: 'secret ' }

/** The page without the one thing that differs by nature, and what it tells the browser. */
function comparable(page: Shown): unknown {
  const reference = /<code>([^<]+)<\/code>/.exec(page.markup)?.[1] ?? '?'
  const headers = [...page.response.headers].filter(([name]) => name !== 'date')
  return { status: page.status, body: page.markup.replaceAll(reference, '<reference>'), headers }
}

describe('links that do not open', () => {
  it('expired, revoked, used, foreign, cut and guessed ones all show the same bytes but for the reference code', async () => {
    const guessed = new URL(await stage().link('quickbooks'))
    guessed.searchParams.set('token', 'A'.repeat(43))
    const cut = new URL(await stage().link('quickbooks'))
    cut.searchParams.set('token', (cut.searchParams.get('token') ?? '').slice(0, 30))
    const foreign = new URL(await stage().link('quickbooks'))
    foreign.searchParams.set('accountId', await stage().addCompany('Somebody else'))
    const [expired, revoked] = [await stage().link('quickbooks'), await stage().link('quickbooks')]
    const used = await stage().link('form-source')
    const first = new Owner(stage().origin)
    await first.submit(await first.agree(used), typed)
    await database().query(`update links set language = 'fr-CA'`)
    const hashOf = (link: string) => stage().deps.hashToken(new URL(link).searchParams.get('token') ?? '')
    await database().query(`update links set expires_at = now() - interval '1 minute' where token_hash = $1`, [hashOf(expired)])
    await database().query('update links set revoked_at = now() where token_hash = $1', [hashOf(revoked)])
    const shown: unknown[] = []
    for (const link of [guessed.href, cut.href, foreign.href, expired, revoked, used]) {
      shown.push(comparable(await new Owner(stage().origin).get(link)))
    }
    expect(shown[0]).toMatchObject({ status: 404 })
    for (const each of shown) expect(each).toEqual(shown[0])
  })

  it('name nobody, and say what to do', async () => {
    const used = await stage().link('form-source')
    const first = new Owner(stage().origin)
    await first.submit(await first.agree(used), typed)
    const page = await new Owner(stage().origin).get(used)
    for (const word of ['Érable', 'Boulangerie', 'Grand livre']) expect(page.markup).not.toContain(word)
    expect(page.text).toContain('ask the sender for a new link')
  })

  it('show a reference code that is also in the log', async () => {
    const told: Record<string, unknown>[] = []
    const { log } = stage().deps
    const { info } = log
    log.info = (fields) => told.push(fields)
    const page = await new Owner(stage().origin).get('/connect?token=x')
    log.info = info
    const reference = /<code>([^<]+)<\/code>/.exec(page.markup)?.[1]
    expect(told).toContainEqual(expect.objectContaining({ requestId: reference, problem: 'link' }))
  })
})

describe('clicking twice, two tabs and the back button', () => {
  async function connectionsOf(companyId: string): Promise<number> {
    const { rows } = await database().query('select 1 from connections where company_id = $1', [companyId])
    return rows.length
  }

  it('at the permission: one connection begins, and every tab goes on', async () => {
    const companyId = await stage().addCompany('Café pressé')
    const link = await stage().link('form-source', companyId)
    const owner = new Owner(stage().origin)
    const tabs = [await owner.get(link), await owner.get(link)]
    const shown = await Promise.all([...tabs, ...tabs].map((tab) => owner.submit(tab, { choice: 'agree' })))
    expect([...new Set(shown.map(({ address }) => address)), await connectionsOf(companyId)]).toEqual(['/connect/source', 1])
    expect((await owner.get('/connect/consent')).status, 'the back button').toBe(200)
  })

  it('at a form: one connection is made, and every tab sees it', async () => {
    const companyId = await stage().addCompany('Café pressé')
    const owner = new Owner(stage().origin)
    const tab = await owner.agree(await stage().link('form-source', companyId))
    const shown = await Promise.all([tab, tab, tab].map((one) => owner.submit(one, typed)))
    expect([shown.map(({ status }) => status), await connectionsOf(companyId)]).toEqual([[200, 200, 200], 1])
    const back = await owner.submit(tab, typed)
    expect([back.status, back.address.split('?')[0], await connectionsOf(companyId)]).toEqual([200, '/connect/done', 1])
  })

  it('at files: one connection is made, and every tab sees it', async () => {
    const companyId = await stage().addCompany('Café pressé')
    const owner = new Owner(stage().origin)
    const done = await house.upload(owner, companyId)
    const again = await owner.get('/connect/source')
    expect([again.address.split('?')[0], await connectionsOf(companyId)]).toEqual([done.address.split('?')[0], 1])
  })

  it('at leaving for the source: each tab may come back, one of them connects', async () => {
    const companyId = await stage().addCompany('Café pressé')
    const owner = new Owner(stage().origin)
    const tab = await owner.agree(await stage().link('shared-login', companyId))
    const leaving = await Promise.all([tab, tab].map((one) => owner.submit(one)))
    const choices: Shown[] = []
    for (const one of leaving) choices.push(await owner.get(one.forwardsTo()))
    expect(choices.map(({ title }) => title)).toEqual(['Which books are these?', 'Which books are these?'])
    const shown = await Promise.all(choices.map((choice) => owner.submit(choice, { entity: 'north' })))
    expect([shown.map(({ status }) => status), await connectionsOf(companyId)]).toEqual([[200, 200], 1])
    expect((await owner.submit(choices[0] ?? tab, { entity: 'south' })).address, 'the back button').toMatch(/^\/connect\/done/)
  })
})
