import { beforeEach, describe, expect, it } from 'vitest'
import { findConnection } from '../../src/store/connections/connections.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openConnectHarness, type SourceKey } from './kit/harness.ts'
import { type LoadedPage, Owner } from './kit/owner.ts'
import { connectQuickbooks, decideAtIntuit } from './kit/quickbooks-owner.ts'

const COMPANY = '4620816365200000101'
const OTHER_COMPANY = '4620816365200000202'

const harness = openForTests(openConnectHarness)
let owner: Owner
beforeEach(() => {
  owner = new Owner(harness.origin)
})

const agree = async (source: SourceKey, companyId?: string) => await owner.agree(await harness.link(source, companyId))

const connectTo = async (realmId: string, companyId?: string) =>
  await connectQuickbooks(owner, await harness.link('quickbooks', companyId), realmId)

describe('a link', () => {
  it('opens the permission page at an address without secrets', async () => {
    const page = await owner.get(await harness.link('quickbooks'))
    expect([page.status, page.address]).toEqual([200, '/connect/consent'])
  })

  it('names the requester, the business, the data to be read and the right to withdraw', async () => {
    const { text, title } = await owner.get(await harness.link('quickbooks'))
    expect(title).toBe('Érable Lending asks to read your data in QuickBooks Online')
    for (const words of [
      'Boulangerie du Plateau',
      'Chart of accounts',
      'Journal entries',
      'once a day',
      'We only read',
      'withdraw',
      'Sandbox',
    ])
      expect(text).toContain(words)
  })

  it.each(['serviceId', 'instanceId', 'accountId', 'token'])('with another %s looks like a nonexistent one', async (name) => {
    const [own, foreign] = [new URL(await harness.link('quickbooks')), new URL(await harness.link('plaid'))]
    const value = name === 'instanceId' ? '5d0c7f0e-8a53-4a9a-a9c5-0b4a8f6b0d11' : (foreign.searchParams.get(name) ?? '')
    own.searchParams.set(name, value)
    const page = await owner.get(own.href)
    expect([page.status, page.title, owner.cookies.size]).toEqual([404, 'This link cannot be opened', 0])
  })

  it.each(['serviceId', 'instanceId', 'accountId', 'token'])('without its %s looks like a nonexistent one', async (name) => {
    const address = new URL(await harness.link('quickbooks'))
    address.searchParams.delete(name)
    expect((await owner.get(address.href)).title).toBe('This link cannot be opened')
  })

  it('that has expired names nobody', async () => {
    const address = await harness.link('quickbooks')
    await harness.deps.database.query(`update links set expires_at = clock_timestamp() - interval '1 second' where completed_at is null`)
    const page = await owner.get(address)
    expect(page.status).toBe(404)
    expect(page.text).not.toContain('Érable')
  })

  it('to a source without keys reports that it is disabled', async () => {
    harness.setEnabled('form-source', false)
    const page = await owner.get(await harness.link('form-source'))
    harness.setEnabled('form-source', true)
    expect([page.status, page.title]).toEqual([503, 'Grand livre cannot be connected at the moment'])
  })
})

describe('QuickBooks', () => {
  it('is connected in three clicks', async () => {
    const page = await connectTo(COMPANY)
    expect(page.title).toBe('You are connected')
  })

  it('reports at the end which company was connected', async () => {
    const page = await connectTo(COMPANY)
    const id = new URLSearchParams(page.address.split('?')[1]).get('connections') ?? ''
    const connection = await findConnection(harness.deps.database, harness.instanceId, id)
    expect(page.text).toContain(connection?.entityName)
  })

  it('declined by the owner leaves nothing connected and a way back', async () => {
    const leaving = await owner.submit(await agree('quickbooks'))
    const page = await owner.get(await decideAtIntuit(leaving, COMPANY, 'cancel'))
    expect(page.title).toBe('You declined')
    const again = await owner.get(page.linkTo('Try again'))
    expect(again.title).toBe('Sign in to QuickBooks Online')
  })

  it('authorized for another company than before changes nothing and names both', async () => {
    const companyId = await harness.addCompany('Café Laurier')
    const first = await connectTo(COMPANY, companyId)
    expect(first.title).toBe('You are connected')
    const page = await connectTo(OTHER_COMPANY, companyId)
    expect([page.status, page.title]).toEqual([409, 'This is not the same one as before'])
    const { rows } = await harness.deps.database.query<{ name: string }>(
      'select entity_name as name from connections where company_id = $1 and entity_id is not null',
      [companyId],
    )
    expect(rows).toHaveLength(1)
    expect(page.text).toContain(`Connected until now: ${rows[0]?.name}`)
  })

  it('is announced as a renewal if it is already connected', async () => {
    const companyId = await harness.addCompany('Café Laurier')
    await connectTo(COMPANY, companyId)
    const page = await owner.get(await harness.link('quickbooks', companyId))
    expect(page.text).toContain('is connected already')
  })

  it('that does not answer is named as the cause, and the link stays valid', async () => {
    const leaving = await owner.submit(await agree('quickbooks'))
    harness.quickbooks.fault('tokenUnavailable')
    const page = await owner.get(await decideAtIntuit(leaving, COMPANY))
    expect([page.status, page.title]).toEqual([502, 'QuickBooks Online is not responding'])
    const again = await owner.submit(await owner.get(page.linkTo('Try again')))
    const done = await owner.get(await decideAtIntuit(again, COMPANY))
    expect(done.title).toBe('You are connected')
  })
})

describe('the callback from a source', () => {
  it('works once: a second time shows the result of the first', async () => {
    const leaving = await owner.submit(await agree('quickbooks'))
    const back = await decideAtIntuit(leaving, COMPANY)
    await owner.get(back)
    const again = await owner.get(back)
    expect([again.title, again.address.split('?')[0]]).toEqual(['This link has already been used', '/connect/done'])
  })

  it('sent twenty times at once makes one connection', async () => {
    const companyId = await harness.addCompany('Vingt')
    const leaving = await owner.submit(await agree('quickbooks', companyId))
    const back = await decideAtIntuit(leaving, COMPANY)
    await Promise.all(Array.from({ length: 20 }, () => owner.ask(back)))
    const { rows } = await harness.deps.database.query('select 1 from connections where company_id = $1', [companyId])
    expect(rows).toHaveLength(1)
  })

  it('with a state of another browser is refused', async () => {
    const leaving = await owner.submit(await agree('quickbooks'))
    const back = await decideAtIntuit(leaving, COMPANY)
    const stranger = new Owner(harness.origin)
    await stranger.get(await harness.link('quickbooks'))
    expect((await stranger.get(back)).title).toBe('This sign-in cannot be used')
    expect((await owner.get(back)).title).toBe('You are connected')
  })

  it('with an expired state is refused, and nothing is connected', async () => {
    const companyId = await harness.addCompany('Trop tard')
    const leaving = await owner.submit(await agree('quickbooks', companyId))
    const back = await decideAtIntuit(leaving, COMPANY)
    await harness.deps.database.query(`update authorizations set expires_at = clock_timestamp() - interval '1 second'`)
    expect((await owner.get(back)).title).toBe('This sign-in cannot be used')
    const { rows } = await harness.deps.database.query('select 1 from connections where company_id = $1 and entity_id is not null', [
      companyId,
    ])
    expect(rows).toEqual([])
  })

  it('without cookies asks for the link', async () => {
    const page = await owner.get('/connect/callback?state=x&code=y')
    expect([page.status, page.title]).toEqual([400, 'Please open your link again'])
  })

  it('requested by HEAD consumes nothing', async () => {
    const leaving = await owner.submit(await agree('quickbooks'))
    const back = await decideAtIntuit(leaving, COMPANY)
    await owner.ask(back, { method: 'HEAD' })
    expect((await owner.get(back)).title).toBe('You are connected')
  })
})

describe('Plaid', () => {
  it('lets the owner find the bank by part of its name', async () => {
    const { rows } = await harness.deps.database.query<{ name: string }>(
      `select name from institutions where 'CA' = any(countries) limit 1`,
    )
    const name = rows[0]?.name ?? ''
    await agree('plaid')
    const page = await owner.get(`/connect/institutions?search=${encodeURIComponent(name.slice(1, 8).toUpperCase())}`)
    expect(page.linkTo(name)).toContain('/connect/source?institution=')
  })

  it('lists the banks of the business’s country first, the others on request', async () => {
    const count = async (page: LoadedPage) =>
      (page.markup.match(/<li><a href="\/connect\/source/g) ?? []).length + Number(/1 \/ (\d+)/.exec(page.text)?.[1] ?? 1) * 100
    const own = await agree('plaid')
    const all = await owner.get(own.linkTo('all countries'))
    expect(await count(all)).toBeGreaterThan(await count(own))
  })

  it('receives the selected bank', async () => {
    const banks = await agree('plaid')
    const choice = /href="(\/connect\/source\?institution=[^"]*)"/.exec(banks.markup)?.[1] ?? ''
    const step = await owner.get(choice)
    expect(step.title).toMatch(/^Connect (?!Plaid)/)
    expect((await owner.submit(step)).forwardsTo()).toContain('/hosted/')
  })

  it('can be opened without selecting one', async () => {
    const banks = await agree('plaid')
    const step = await owner.get(banks.linkTo('Continue and choose in Plaid'))
    expect(step.title).toBe('Choose your bank in Plaid')
  })

  it('returns to the list for a bank that is not in it', async () => {
    await agree('plaid')
    expect((await owner.get('/connect/source?institution=ins_unknown')).title).toBe('Choose your bank')
  })

  it('records a missing bank once, however often it is sent', async () => {
    const banks = await agree('plaid')
    const form = await owner.get(banks.linkTo('My bank is not listed'))
    const before = Number((await harness.countRows()).requests)
    const typed = { name: 'Caisse <b>X</b>', country: 'CA', website: '' }
    await owner.submit(form, typed)
    const page = await owner.submit(form, typed)
    expect(page.text).toContain('Caisse <b>X</b> was passed on to Érable Lending')
    expect(Number((await harness.countRows()).requests)).toBe(before + 1)
  })

  it('asks for the name of a missing bank beside its field', async () => {
    const banks = await agree('plaid')
    const page = await owner.submit(await owner.get(banks.linkTo('My bank is not listed')), { name: ' ' })
    expect([page.status, page.markup]).toEqual([422, expect.stringContaining('aria-describedby="error-name"')])
  })
})
