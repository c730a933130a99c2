import { describe, expect, it } from 'vitest'
import { type LoadedPage, Owner } from '../connect/kit/owner.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openOwnerPageHarness } from './harness.ts'

const harness = openForTests(openOwnerPageHarness)

interface News {
  isMoving: boolean
  connections: { state: string; stateText: string; counts: string; times: { label: string; at: string }[] }[]
}

async function newsOf(owner: Owner, page: LoadedPage): Promise<News> {
  return (await (await owner.ask(page.address.replace('/connect/done', '/connect/done/progress'))).json()) as News
}

describe('the last page', () => {
  it('reports the progress of the first sync to its script, with times and counts, in the owner’s language', async () => {
    const owner = new Owner(harness.connectHarness.origin, { language: 'fr-CA' })
    const page = await harness.upload(owner, await harness.connectHarness.addCompany('Café Laurier'))
    expect(await newsOf(owner, page)).toMatchObject({
      isMoving: true,
      connections: [{ state: 'waiting', times: [{ label: 'Connecté à' }] }],
    })
    await harness.work()
    const news = await newsOf(owner, page)
    expect(news).toMatchObject({
      isMoving: false,
      connections: [{ state: 'ready', stateText: 'Prêt', counts: '3\u00a0comptes · 7\u00a0opérations' }],
    })
    expect(news.connections[0]?.times.map(({ label }) => label)).toEqual(['Connecté à', 'Prêt à'])
  })

  it('counts what the running sync has read so far', async () => {
    const owner = new Owner(harness.connectHarness.origin)
    const page = await harness.upload(owner, await harness.connectHarness.addCompany('Café Laurier'))
    const { database } = harness.connectHarness.deps
    const id = new URLSearchParams(page.address.split('?')[1]).get('connections')
    await database.query('update connections set status = 2 where id = $1', [id])
    await database.query(
      `insert into sync_runs (instance_id, id, connection_id, reason, state, fence, counts) values ($1, gen_random_uuid(), $2, 'first', 'running', 1, '{"records":1240}')`,
      [harness.connectHarness.instanceId, id],
    )
    const [connection] = (await newsOf(owner, page)).connections
    expect([connection?.state, connection?.counts]).toEqual(['reading', '1,240\u00a0records read so far'])
    expect(connection?.times.map(({ label }) => label)).toEqual(['Connected at', 'Updating since'])
  })

  it('works without a script: a link requests the status again', async () => {
    const owner = new Owner(harness.connectHarness.origin)
    const page = await harness.upload(owner, await harness.connectHarness.addCompany('Café Laurier'))
    await harness.work()
    expect((await owner.get(page.linkTo('Refresh status'))).text).toContain('Ready')
    expect(page.markup).not.toContain('http-equiv="refresh"')
  })

  it('reveals nothing to another browser', async () => {
    const owner = new Owner(harness.connectHarness.origin)
    const page = await harness.upload(owner, await harness.connectHarness.addCompany('Café Laurier'))
    const answer = await new Owner(harness.connectHarness.origin).ask(page.address.replace('/connect/done', '/connect/done/progress'))
    expect([answer.status, await answer.text()]).toEqual([409, '{}'])
  })
})

describe('connecting another bank', () => {
  /** Completes a link without Plaid's own pages. */
  async function finish(owner: Owner, companyId: string): Promise<LoadedPage> {
    const link = await harness.connectHarness.link('plaid', companyId)
    await owner.agree(link)
    const hash = harness.connectHarness.deps.hashToken(new URL(link).searchParams.get('token') ?? '')
    const { database } = harness.connectHarness.deps
    await database.query('update links set completed_at = now() where token_hash = $1', [hash])
    await database.query(`update consents set connection_id = gen_random_uuid() where company_id = $1`, [companyId])
    return await owner.get('/connect/done')
  }

  it('leads back to the choice of banks with a new link, under the same permission', async () => {
    const companyId = await harness.connectHarness.addCompany('Café des banques')
    const owner = new Owner(harness.connectHarness.origin)
    const done = await finish(owner, companyId)
    const page = await owner.submit(done)
    expect([page.title, page.address.split('?')[0]]).toEqual(['Choose your bank', '/connect/institutions'])
    const { rows } = await harness.connectHarness.deps.database.query<{ n: number; texts: number; issuers: number }>(
      `select (select count(*)::int from links where company_id = $1) as n, (select count(distinct text_hash)::int from consents where company_id = $1) as texts,
         (select count(distinct issued_by)::int from links where company_id = $1) as issuers`,
      [companyId],
    )
    expect(rows[0]).toEqual({ n: 2, texts: 1, issuers: 1 })
  })

  it('requested many times creates one link', async () => {
    const companyId = await harness.connectHarness.addCompany('Café pressé')
    const owner = new Owner(harness.connectHarness.origin)
    const done = await finish(owner, companyId)
    await Promise.all(Array.from({ length: 8 }, () => owner.submit(done)))
    const { rows } = await harness.connectHarness.deps.database.query(
      `select (select count(*)::int from links where company_id = $1) as links, (select count(*)::int from consents where company_id = $1) as consents`,
      [companyId],
    )
    expect(rows[0]).toEqual({ links: 2, consents: 2 })
  })

  it('works if the used link has expired in the meantime, and the next one, too', async () => {
    const companyId = await harness.connectHarness.addCompany('Café du soir')
    const owner = new Owner(harness.connectHarness.origin)
    const done = await finish(owner, companyId)
    const titles: string[] = []
    for (let click = 0; click < 2; click += 1) {
      await harness.connectHarness.deps.database.query(`update links set expires_at = now() - interval '1 minute' where company_id = $1`, [
        companyId,
      ])
      titles.push((await owner.submit(done)).title)
    }
    expect(titles).toEqual(['Choose your bank', 'Choose your bank'])
  })

  it('continues under a permission that is still valid for one of several banks', async () => {
    const companyId = await harness.connectHarness.addCompany('Café partagé')
    const owner = new Owner(harness.connectHarness.origin)
    const done = await finish(owner, companyId)
    await harness.connectHarness.deps.database.query(
      `insert into consents (instance_id, id, company_id, service_id, link_id, connection_id, purpose_key, purpose_version, text_hash, language,
         duration_days, given_at, expires_at, ended_at, ended_how)
       select instance_id, 'ffffffff-ffff-4fff-8fff-ffffffffffff', company_id, service_id, link_id, gen_random_uuid(), purpose_key,
         purpose_version, text_hash, language, duration_days, given_at, expires_at, given_at, 'withdrawn' from consents where company_id = $1`,
      [companyId],
    )
    expect((await owner.submit(done)).title).toBe('Choose your bank')
  })

  it('asks again for a permission that was withdrawn in the meantime', async () => {
    const companyId = await harness.connectHarness.addCompany('Café repenti')
    const owner = new Owner(harness.connectHarness.origin)
    const done = await finish(owner, companyId)
    await harness.connectHarness.deps.database.query(
      `update consents set ended_at = clock_timestamp(), ended_how = 'withdrawn' where company_id = $1`,
      [companyId],
    )
    expect((await owner.submit(done)).address.split('?')[0]).toBe('/connect/consent')
    const { rows } = await harness.connectHarness.deps.database.query('select 1 from consents where company_id = $1 and ended_at is null', [
      companyId,
    ])
    expect(rows).toEqual([])
  })

  it('is not possible a day later', async () => {
    const companyId = await harness.connectHarness.addCompany('Café tardif')
    const owner = new Owner(harness.connectHarness.origin)
    const done = await finish(owner, companyId)
    await harness.connectHarness.deps.database.query(`update links set completed_at = now() - interval '25 hours' where company_id = $1`, [
      companyId,
    ])
    expect((await owner.submit(done)).status).toBe(410)
  })
})
