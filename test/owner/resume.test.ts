import { describe, expect, it } from 'vitest'
import { findConnection } from '../../src/store/connections/connections.ts'
import { issueLink } from '../../src/sync/links/link.ts'
import { Owner } from '../connect/kit/owner.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openOwnerPageHarness } from './harness.ts'

const syncHarness = openForTests(openOwnerPageHarness)
const harness = () => syncHarness.connectHarness
const newOwner = () => new Owner(harness().origin)

describe('a link opened again after the tab was closed', () => {
  it('before the permission shows the permission', async () => {
    const [owner, link] = [newOwner(), await harness().link('plaid')]
    await owner.get(link)
    expect((await owner.get(link)).address).toBe('/connect/consent')
  })

  it('continues after the permission, in another browser too', async () => {
    const [owner, link] = [newOwner(), await harness().link('form-source')]
    const left = await owner.agree(link)
    for (const browser of [owner, newOwner()]) {
      const page = await browser.get(link)
      expect([page.address, page.title]).toEqual(['/connect/source', left.title])
    }
  })

  it('asks again for a permission that was withdrawn', async () => {
    const [owner, link] = [newOwner(), await harness().link('form-source')]
    await owner.agree(link)
    await owner.submit(await owner.get('/connect/consent'), { choice: 'decline' })
    for (const browser of [owner, newOwner()]) expect((await browser.get(link)).address).toBe('/connect/consent')
  })

  it('returns to the choice of the bank, or to the bank once it is selected', async () => {
    const [owner, link] = [newOwner(), await harness().link('plaid')]
    const list = await owner.agree(link)
    expect((await owner.get(link)).address).toBe('/connect/institutions')
    const bank = /href="([^"]*institution=[^"]*)"/.exec(list.markup)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const chosen = await owner.get(bank)
    const again = await newOwner().get(link)
    expect([again.title, again.address]).toEqual([chosen.title, bank])
  })

  it('leads to the source again while the owner is away at the source', async () => {
    const [owner, link] = [newOwner(), await harness().link('quickbooks')]
    const left = await owner.agree(link)
    await owner.submit(left)
    const again = await owner.get(link)
    expect([again.address, again.title]).toEqual(['/connect/source', 'Sign in to QuickBooks Online'])
    expect((await owner.submit(again)).forwardsTo()).toMatch(/^http/)
  })

  it('returns to the choice between books, which still connects', async () => {
    const [owner, link] = [newOwner(), await harness().link('shared-login')]
    const leaving = await owner.submit(await owner.agree(link))
    const choice = await owner.get(leaving.forwardsTo())
    const again = await owner.get(link)
    expect([again.title, again.address]).toEqual([choice.title, choice.address])
    expect((await owner.submit(again, { entity: 'south' })).title).toBe('You are connected')
  })

  it('after the end shows the result', async () => {
    const [owner, link] = [newOwner(), await harness().link('form-source')]
    await owner.submit(await owner.agree(link), { address: 'https://ledger.example.com', password: 'secret ' })
    const again = await owner.get(link)
    expect([again.address.split('?')[0], again.text.includes('Grand livre')]).toEqual(['/connect/done', true])
  })
})

describe('renewing an access that has ended', () => {
  async function broken() {
    const { owner, companyId } = await (async () => {
      const companyId = await harness().addCompany('Café brisé')
      const first = newOwner()
      const done = await first.submit(await first.agree(await harness().link('form-source', companyId)), {
        address: 'https://one.example.com',
        note: 'Livres du café',
        password: 'secret ',
      })
      const owner = newOwner()
      await owner.get(done.linkTo('See, pause or withdraw'))
      return { owner, companyId }
    })()
    await harness().deps.database.query(`update connections set status = 8, fault = 'gone' where company_id = $1`, [companyId])
    const { rows } = await harness().deps.database.query<{ id: string }>('select id from connections where company_id = $1', [companyId])
    return { owner, companyId, connectionId: rows[0]?.id ?? '' }
  }

  it('is offered on the owner’s own page, names what is connected, and clears the fault', async () => {
    const { owner, connectionId } = await broken()
    const page = await owner.get('/connect/yours')
    const consent = await owner.submit(await owner.get(page.linkTo('Renew access')))
    expect(consent.text).toContain('Livres du café is connected already.')
    const done = await owner.submit(await owner.submit(consent, { choice: 'agree' }), {
      address: 'https://one.example.com',
      password: 'secret ',
    })
    const connection = await findConnection(harness().deps.database, harness().instanceId, connectionId)
    expect([done.title, connection?.fault, connection?.status]).toEqual(['You are connected', null, 9])
  })

  it('with other books than before says so and changes nothing', async () => {
    const { owner, connectionId } = await broken()
    const consent = await owner.submit(await owner.get(`/connect/yours/renew?connection=${connectionId}`))
    const page = await owner.submit(await owner.submit(consent, { choice: 'agree' }), {
      address: 'https://two.example.com',
      password: 'secret ',
    })
    expect([page.status, page.title]).toEqual([409, 'This is not the same one as before'])
    expect((await findConnection(harness().deps.database, harness().instanceId, connectionId))?.fault).toBe('gone')
  })

  it('lets a paused connection sync again, since the owner has agreed again', async () => {
    const { owner, companyId, connectionId } = await broken()
    await owner.submit(await owner.get(`/connect/yours/pause?connection=${connectionId}`))
    const again = newOwner()
    await again.submit(await again.agree(await harness().link('form-source', companyId)), {
      address: 'https://one.example.com',
      password: 'secret ',
    })
    expect((await findConnection(harness().deps.database, harness().instanceId, connectionId))?.status).toBe(9)
    expect((await owner.get('/connect/yours')).text).not.toContain('Paused by you')
  })

  it('of a bank behind a provider skips the choice of the bank', async () => {
    const { rows } = await harness().deps.database.query<{ id: string; name: string }>(
      `select id, name from institutions where connector_key = 'plaid' limit 1`,
    )
    const serviceId = '11111111-1111-4111-8111-111111111111'
    await harness().deps.database.query(
      `insert into child_services (instance_id, id, connector_key, institution_id, name) values ($1, $2, 'plaid', $3, $4)`,
      [harness().instanceId, serviceId, rows[0]?.id, rows[0]?.name],
    )
    const companyId = await harness().addCompany('Café de la banque')
    const owner = newOwner()
    const link = await issueLink(harness().deps, { instanceId: harness().instanceId, companyId, serviceId, issuedBy: 'dev@example.com' })
    const page = await owner.agree(link)
    expect([page.address, page.text.includes(rows[0]?.name ?? '?')]).toEqual(['/connect/source', true])
  })
})
