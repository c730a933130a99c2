import { beforeEach, describe, expect, it } from 'vitest'
import { deleteCompany } from '../../src/store/connections/companies.ts'
import { countFunnel, LINK_STEPS } from '../../src/store/connections/link-progress.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { timeOutAuthorizations } from '../../src/sync/authorize/authorization-timeout.ts'
import { copiedLinkOf, VALUES } from '../connect/kit/hand-off-harness.ts'
import { openConnectHarness, type SourceKey } from '../connect/kit/harness.ts'
import { Owner } from '../connect/kit/owner.ts'
import { decideAtIntuit } from '../connect/kit/quickbooks-owner.ts'
import { openForTests } from '../harness/for-tests.ts'

const BOOKS = '4620816365200000101'
const FRAMED = { 'sec-fetch-dest': 'iframe' }

const harness = openForTests(openConnectHarness)
let owner: Owner
let companyId: string
beforeEach(async () => {
  await harness.deps.database.query('delete from link_progress')
  owner = new Owner(harness.origin)
  companyId = await harness.addCompany('Boulangerie du Plateau')
})

const link = async (source: SourceKey = 'form-source') => await harness.link(source, companyId)

const read = async () => await countFunnel(harness.deps.database, harness.instanceId, { from: '2020-01-01', to: '2999-12-31' })

/** `source language: step count, …` of each row, as of one day, also where midnight has passed. */
async function counted(): Promise<string[]> {
  await harness.deps.database.query(`update link_progress set opened_at = '2026-01-05T12:00:00Z'`)
  return (await read()).map((row) => {
    const steps = LINK_STEPS.filter((step) => row[step] > 0).map((step) => `${step} ${row[step]}`)
    return `${row.source} ${row.language}${row.isFramed ? ' framed' : ''}: ${steps.join(', ')}`
  })
}

describe('a link counts once', () => {
  it('for each step, however often its pages are loaded and by how many browsers at once', async () => {
    const address = await link()
    await Promise.all(Array.from({ length: 8 }, () => new Owner(harness.origin).get(address)))
    expect(await counted()).toEqual(['form-source en: opened 1'])
    const step = await owner.agree(address)
    for (let turn = 0; turn < 3; turn += 1) await owner.get('/connect/source')
    await new Owner(harness.origin).get(address)
    expect(await counted()).toEqual(['form-source en: opened 1, agreed 1, chose 1'])
    expect((await owner.submit(step, VALUES)).title).toBe('You are connected')
    await owner.get('/connect/done')
    expect(await counted()).toEqual(['form-source en: opened 1, agreed 1, chose 1, connected 1'])
  })

  it('under the day, language and frame of its first opening, whatever comes later', async () => {
    const address = await link()
    const french = new Owner(harness.origin, { language: 'fr-CA' })
    await french.get(address, FRAMED)
    await harness.deps.database.query(`update link_progress set opened_at = '2026-01-05T23:59:59Z'`)
    await owner.submit(await owner.agree(address), VALUES)
    expect(await read()).toMatchObject([
      { day: '2026-01-05', source: 'form-source', language: 'fr-CA', isFramed: true, opened: 1, agreed: 1, connected: 1 },
    ])
  })

  it('by source, language and frame apart from the others', async () => {
    await owner.get(await link())
    await new Owner(harness.origin).get(await link('quickbooks'))
    await new Owner(harness.origin, { language: 'fr-CA' }).get(await link('quickbooks'))
    await new Owner(harness.origin).get(await link('quickbooks'), FRAMED)
    await new Owner(harness.origin).get(await link('quickbooks'))
    expect(await counted()).toEqual([
      'form-source en: opened 1',
      'quickbooks en: opened 2',
      'quickbooks en framed: opened 1',
      'quickbooks fr-CA: opened 1',
    ])
  })
})

describe('an owner', () => {
  it('who declines, before or after agreeing, is counted as declined', async () => {
    await owner.submit(await owner.get(await link()), { choice: 'decline' })
    const other = new Owner(harness.origin)
    await other.agree(await link('quickbooks'))
    await other.submit(await other.get('/connect/consent'), { choice: 'decline' })
    expect(await counted()).toEqual(['form-source en: opened 1, declined 1', 'quickbooks en: opened 1, agreed 1, chose 1, declined 1'])
  })

  it('who declines at the source is counted as declined, and as connected after another try', async () => {
    const away = await owner.submit(await owner.agree(await link('quickbooks')))
    const page = await owner.get(await decideAtIntuit(away, BOOKS, 'cancel'))
    expect(await counted()).toEqual(['quickbooks en: opened 1, agreed 1, chose 1, declined 1'])
    const leaving = await owner.submit(await owner.get(page.linkTo('Try again')))
    await owner.get(await decideAtIntuit(leaving, BOOKS))
    expect(await counted()).toEqual(['quickbooks en: opened 1, agreed 1, chose 1, declined 1, connected 1'])
  })

  it('whose source does not answer is counted as failed: at its return, and for a form', async () => {
    const leaving = await owner.submit(await owner.agree(await link('quickbooks')))
    harness.quickbooks.fault('tokenUnavailable')
    await owner.get(await decideAtIntuit(leaving, BOOKS))
    const other = new Owner(harness.origin)
    const form = await other.agree(await link())
    await other.submit(form, { ...VALUES, password: 'wrong' })
    expect(await counted()).toEqual(['form-source en: opened 1, agreed 1, chose 1', 'quickbooks en: opened 1, agreed 1, chose 1, failed 1'])
    await other.submit(form, { ...VALUES, address: 'down' })
    expect((await counted())[0]).toBe('form-source en: opened 1, agreed 1, chose 1, failed 1')
  })

  it('who does not come back from the source is counted as left', async () => {
    await owner.submit(await owner.agree(await link('quickbooks')))
    await harness.deps.database.query('update authorizations set expires_at = clock_timestamp()')
    await timeOutAuthorizations(harness.deps.database, harness.deps.sources)
    expect(await counted()).toEqual(['quickbooks en: opened 1, agreed 1, chose 1, left 1'])
  })

  it('of an aggregator has not chosen before a bank is chosen', async () => {
    const banks = await owner.agree(await link('plaid'))
    expect(await counted()).toEqual(['plaid en: opened 1, agreed 1'])
    const found = await owner.get(`${banks.address}?search=caisse`)
    await owner.get(found.linkTo('aisse'))
    expect(await counted()).toEqual(['plaid en: opened 1, agreed 1, chose 1'])
  })

  it('whose accountant signs in is counted once, as the owner', async () => {
    const step = await owner.agree(await link())
    const address = copiedLinkOf(await owner.submit(await owner.get(step.linkTo('my accountant')), { choice: 'copy' }))
    const helper = new Owner(harness.origin, { language: 'fr-CA' })
    await helper.submit(await helper.submit(await helper.get(address), { choice: 'go' }), VALUES)
    expect(await counted()).toEqual(['form-source en: opened 1, agreed 1, chose 1, connected 1'])
  })
})

describe('what is counted', () => {
  it('holds nothing of a person: the link, its source, and how it was opened', async () => {
    await owner.get(await link())
    const { rows } = await harness.deps.database.query<Record<string, unknown>>('select * from link_progress')
    expect(Object.keys(rows[0] ?? {}).toSorted()).toEqual([
      'instance_id',
      'is_framed',
      'language',
      'link_id',
      'opened_at',
      'source',
      'steps',
    ])
  })

  it('is gone with its company', async () => {
    await owner.get(await link())
    const { database } = harness.deps
    expect(await inTransaction(database, (db) => deleteCompany(db, harness.instanceId, companyId))).toBe('deleted')
    expect(await counted()).toEqual([])
  })

  it('leaves a refused link uncounted', async () => {
    const address = new URL(await link())
    address.searchParams.delete('serviceId')
    await owner.get(address.href)
    expect(await counted()).toEqual([])
  })
})
