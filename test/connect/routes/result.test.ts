import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { createCompany } from '../../../src/store/connections/companies.ts'
import { addInstance } from '../../harness/app/tenants.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { copiedLinkOf, VALUES } from '../kit/hand-off-harness.ts'
import { openConnectHarness } from '../kit/harness.ts'
import { type LoadedPage, Owner } from '../kit/owner.ts'

const harness = openForTests(openConnectHarness)
const database = () => harness.deps.database

interface Done {
  owner: Owner
  companyId: string
  connectionId: string
  form: LoadedPage
  page: LoadedPage
}

/** An owner who has just connected books. */
async function connected(note = 'Livres du café'): Promise<Done> {
  const companyId = await harness.addCompany('Café du Coin')
  const owner = new Owner(harness.origin)
  const form = await owner.agree(await harness.link('form-source', companyId))
  const page = await owner.submit(form, { ...VALUES, note })
  return { owner, companyId, form, page, connectionId: new URLSearchParams(page.address.split('?')[1]).get('connections') ?? '' }
}

/** A copy of a connection, of another service or instance. */
async function copyOf(connectionId: string, changed: { instanceId?: string; connector?: string }): Promise<string> {
  const id = randomUUID()
  const { instanceId = harness.instanceId, connector = 'form-source' } = changed
  await database().query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, entity_id, entity_name, refresh_hours, update_scheduled_at)
     select $2, $3, company_id, $4, $5, category, email, status, entity_id, 'Copied books', refresh_hours, update_scheduled_at
     from connections where id = $1`,
    [connectionId, instanceId, id, toServiceId(connector), connector],
  )
  return id
}

const statusOf = async (owner: Owner, path: string) => {
  const answer = await owner.ask(path)
  return [answer.status, answer.headers.get('location')?.split('?')[0] ?? null]
}

describe('the result of a link', () => {
  it('has connections of its own company at its own source only, whatever the address names', async () => {
    const { owner, companyId, connectionId } = await connected()
    const other = await connected('Livres d’ailleurs')
    const otherInstance = await addInstance(database(), 'Another Lender')
    await createCompany(database(), otherInstance, companyId, {
      ...{ name: 'Somebody else', country: 'CA', city: '', industry: '', fullAddress: '', companyContactNumber: '' },
    })
    const foreign = [
      other.connectionId,
      await copyOf(connectionId, { instanceId: otherInstance }),
      await copyOf(connectionId, { connector: 'widget-source' }),
    ]
    const shown = async (ids: string[]) => {
      const query = `connections=${ids.join('.')}`
      const { connections } = (await (await owner.ask(`/connect/done/progress?${query}`)).json()) as { connections: { id: string }[] }
      const { text } = await owner.get(`/connect/done?${query}`)
      return [connections.map(({ id }) => id), text.includes('Livres du café'), text.includes('Copied books') || text.includes('ailleurs')]
    }
    expect(await shown([connectionId, ...foreign])).toEqual([[connectionId], true, false])
    expect(await shown(foreign)).toEqual([[], false, false])
    expect(await shown([`${connectionId}x`, 'nonsense', ''])).toEqual([[], false, false])
  })

  it('has twenty connections at most', async () => {
    const { owner, connectionId } = await connected()
    const others = (count: number) => Array.from({ length: count }, () => randomUUID())
    const isShown = async (ids: string[]) => (await owner.get(`/connect/done?connections=${ids.join('.')}`)).text.includes('Livres du café')
    expect([await isShown([...others(19), connectionId]), await isShown([...others(20), connectionId])]).toEqual([true, false])
  })

  it('says that the link was used already where it names none, or is looked at again', async () => {
    const { owner, page } = await connected()
    const titles = [page, await owner.get('/connect/done'), await owner.get(`${page.address}&again=yes`)].map(({ title }) => title)
    expect(titles).toEqual(['You are connected', 'This link has already been used', 'This link has already been used'])
  })

  it('leads to the page of the owner by a path, on whichever host it is looked at', async () => {
    const { owner, page } = await connected()
    const [, path = ''] = /href="(\/connect\/yours[^"]*)"/.exec(page.markup) ?? []
    expect(path).toMatch(/^\/connect\/yours\?.*[\w-]{43}/)
    expect((await owner.get(path)).text).toContain('Livres du café')
  })

  it('is not there before the link is used, where none is open, or a day later', async () => {
    const stranger = new Owner(harness.origin)
    expect(await statusOf(stranger, '/connect/done')).toEqual([400, null])
    await stranger.agree(await harness.link('form-source'))
    expect(await statusOf(stranger, '/connect/done')).toEqual([303, '/connect/source'])
    expect(await statusOf(stranger, '/connect/done/progress')).toEqual([409, null])
    const { owner, companyId } = await connected()
    await database().query(`update links set completed_at = now() - interval '25 hours' where company_id = $1`, [companyId])
    expect(await statusOf(owner, '/connect/done')).toEqual([410, null])
    expect(await statusOf(owner, '/connect/done/progress')).toEqual([409, null])
  })

  it('tells a helper only that it is done', async () => {
    const owner = new Owner(harness.origin)
    const companyId = await harness.addCompany('Café du Coin')
    const step = await owner.agree(await harness.link('form-source', companyId))
    const address = copiedLinkOf(await owner.submit(await owner.get(step.linkTo('my accountant')), { choice: 'copy' }))
    const helper = new Owner(harness.origin)
    const form = await helper.submit(await helper.get(address), { choice: 'go' })
    const done = await helper.submit(form, { ...VALUES, note: 'Livres du café' })
    expect([done.title, done.text.includes('Livres du café'), done.markup.includes('/connect/yours')]).toEqual([
      'Thank you, it is connected',
      false,
      false,
    ])
    expect(await statusOf(helper, done.address.replace('/done', '/done/progress'))).toEqual([409, null])
    const body = new URLSearchParams({ form: form.hiddenFields().form ?? '', email: 'helper@example.com' })
    for (const path of ['/connect/another', '/connect/reminders'])
      expect((await helper.ask(path, { method: 'POST', body })).status, path).toBe(404)
  })

  it('is followed by another bank only where the owner chooses a bank', async () => {
    const { owner, form } = await connected()
    const body = new URLSearchParams(form.hiddenFields())
    expect((await owner.ask('/connect/another', { method: 'POST', body })).status).toBe(404)
  })
})

describe('the progress of the first read', () => {
  it.each([
    [19, true, 'ready'],
    [15, false, 'ready'],
    [26, false, 'ended'],
    [27, false, 'paused'],
    [8, false, 'renewal'],
    [6, false, 'waiting'],
    [9, false, 'waiting'],
    [25, false, 'waiting'],
    [2, false, 'reading'],
    [12, false, 'reading'],
    [11, false, 'retrying'],
    [23, false, 'retrying'],
  ])('with the status %i, of a bank: %s, is %s', async (status, isBank, state) => {
    const { owner, connectionId } = await connected()
    await database().query(`update connections set status = $2, category = $3 where id = $1`, [
      connectionId,
      status,
      isBank ? 'Banking' : 'Accounting',
    ])
    const answer = await owner.ask(`/connect/done/progress?connections=${connectionId}`)
    expect([answer.headers.get('cache-control'), answer.headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff'])
    expect(await answer.json()).toMatchObject({
      isMoving: state === 'waiting' || state === 'reading',
      connections: [{ id: connectionId, state }],
    })
  })
})

describe('the page of a problem', () => {
  it.each([
    ['kind=declined', 'Please open your link again', 400],
    ['kind=link', 'This link cannot be opened', 404],
    ['kind=nowhere', 'Page not found', 404],
    ['kind=strange', 'Page not found', 404],
    ['', 'Page not found', 404],
  ])('without a link, for “%s”, is “%s”', async (query, title, status) => {
    const page = await new Owner(harness.origin).get(`/connect/problem?${query}`)
    expect([page.title, page.status]).toEqual([title, status])
  })

  it('with a link is its own, with the reference that it was given, if that is one', async () => {
    const owner = new Owner(harness.origin)
    await owner.agree(await harness.link('form-source'))
    const shown = async (reference: string) => {
      const { title, markup } = await owner.get(`/connect/problem?kind=state&reference=${encodeURIComponent(reference)}`)
      return [title, /<code>([^<]*)</.exec(markup)?.[1] === reference]
    }
    const title = 'This sign-in cannot be used'
    expect(await shown('a_B-9')).toEqual([title, true])
    expect(await shown('a'.repeat(64))).toEqual([title, true])
    for (const reference of ['a'.repeat(65), 'a b', 'a!', '']) expect(await shown(reference)).toEqual([title, false])
  })
})

describe('the confirmation that an address is kept', () => {
  it.each([
    ['/connect/done?connections=a.b&link=c-d_e', true],
    ['/connect/done', true],
    ['/connect/done#x', false],
    ['/connect/done/progress', false],
    ['//evil.example/connect/done', false],
    ['https://evil.example/connect/done', false],
    ['/connect/done?connections="><script>', false],
    ['', false],
  ])('leads back to a result page and nowhere else: %s', async (back, isTaken) => {
    const { owner } = await connected()
    const page = await owner.get(`/connect/reminders?back=${encodeURIComponent(back)}`)
    expect([page.status, page.linkTo('Back')]).toEqual([200, isTaken ? back : '/connect/done'])
  })

  it('is not shown before a link is used, or where none is open', async () => {
    const owner = new Owner(harness.origin)
    expect((await owner.ask('/connect/reminders')).status).toBe(400)
    await owner.agree(await harness.link('form-source'))
    expect((await owner.ask('/connect/reminders')).status).toBe(400)
  })
})
