import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { myobConnector } from '../../../src/connectors/myob/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, itemsOf, listPages, mapperOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { BAKERY, BUILDER, GIANT, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(myobConnector, 'accounts')
const mapItem = mapperOf(myobConnector)
const journals = pullNamed(myobConnector, 'journals')
const isPosting = Compile(myobConnector.entities.Transactions?.wire ?? {})
const LOGINS: Record<string, string> = { [BAKERY]: 'zoe', [BUILDER]: 'aroha', [GIANT]: 'load' }

async function open(businessId: string, options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  return { harness, session: sessionOf(harness, await connect(harness, { businessId, login: LOGINS[businessId] ?? '' })) }
}

async function listAccounts(session: Awaited<ReturnType<typeof open>>['session']) {
  return itemsOf(await listPages(session, accounts), accounts)
}

function idsOf(items: { origId: string | null }[]): Set<string | null> {
  return new Set(items.map(({ origId }) => origId))
}

describe('pulling accounts', () => {
  test.each([
    [BAKERY, 78, 4],
    [BUILDER, 50, 2],
  ])('all accounts of company file %s are listed, including inactive ones', async (businessId, count, inactive) => {
    const { session } = await open(businessId)
    const items = await listAccounts(session)
    expect([items.length, idsOf(items).size]).toEqual([count, count])
    expect(items.filter((item) => Object(item).wire.IsActive === false)).toHaveLength(inactive)
  })

  test('only the unknown enum value is reported', async () => {
    const { session } = await open(BAKERY)
    const unmapped = (await listAccounts(session)).flatMap((item) => mapItem(item).unmapped)
    expect(unmapped).toEqual(['typeSystem=DigitalAsset'])
  })

  test.each([
    [BAKERY, ['AUD', 'EUR', 'USD']],
    [BUILDER, ['AUD', 'NZD']],
  ])('the currencies of company file %s are those of its country and of its foreign accounts', async (businessId, currencies) => {
    const { session } = await open(businessId)
    expect([...new Set((await listAccounts(session)).map((item) => mapItem(item).currency))].sort()).toEqual(currencies)
  })

  test.each([999, 1000, 1001, 2500])('%i accounts are listed over all pages without a gap', async (count) => {
    const { session } = await open(GIANT, { giantAccounts: count })
    expect(idsOf(await listAccounts(session)).size).toBe(count)
  })

  test('a list that ends before its count is bad data, never a shorter list', async () => {
    const { harness, session } = await open(BAKERY)
    harness.simulator.fault('lostPage')
    expect((await failureOf(listPages(session, accounts))).kind).toBe('badData')
  })

  test('an account deleted during the listing hides no others', async () => {
    const { harness, session } = await open(GIANT, { giantAccounts: 2500 })
    const [first] = await listAccounts(session)
    const pages = await listPages(session, accounts, (page) => {
      if (page === 1) harness.simulator.removeAccount(GIANT, first?.origId ?? '')
    })
    expect([...idsOf(itemsOf(pages.slice(-3), accounts))]).toHaveLength(2499)
  })

  test('an edit and an addition at the source are in the next listing', async () => {
    const { harness, session } = await open(BAKERY)
    const [first] = await listAccounts(session)
    harness.simulator.editAccount(BAKERY, first?.origId ?? '', { Name: 'Renommé', IsActive: false })
    const added = harness.simulator.addAccount(BAKERY, { Name: 'Neu' })
    const items = await listAccounts(session)
    const find = (id: unknown) => Object(items.find(({ origId }) => origId === id)).wire
    expect([find(first?.origId).Name, find(first?.origId).IsActive, find(added.UID).Name]).toEqual(['Renommé', false, 'Neu'])
  })
})

describe('pulling journal transactions', () => {
  test('every posting is listed over all pages and balances; an unbalanced transaction is set aside', async () => {
    const { session } = await open(BAKERY)
    const pages = await listPages(session, journals)
    const items = itemsOf(pages, journals)
    const postings = items.filter((item) => 'wire' in item)
    expect(pages).toHaveLength(2)
    expect(idsOf(postings).size).toBe(96 * 14)
    expect(items.filter((item) => 'unreadable' in item)).toEqual([
      { entity: 'Transactions', origId: expect.stringMatching(/^5a1e0001-/), unreadable: expect.stringContaining('differ') },
    ])
    expect(postings.filter((item) => !isPosting.Check(Object(item).wire))).toEqual([])
  })

  test('a transaction deleted during the listing hides no others', async () => {
    const { harness, session } = await open(BAKERY)
    const all = idsOf(itemsOf(await listPages(session, journals), journals))
    const [first] = all
    const uid = String(first).split(':')[0] ?? ''
    const pages = await listPages(session, journals, (page) => {
      if (page === 1) harness.simulator.removeJournal(BAKERY, uid)
    })
    const found = idsOf(itemsOf(pages, journals))
    expect([...all].filter((id) => !String(id).startsWith(uid) && !found.has(id))).toEqual([])
  })
})

describe('faults of a pull', () => {
  test('a failure names the error, its code and the request id that MYOB’s support asks for', async () => {
    const { harness, session } = await open(BAKERY)
    harness.simulator.fault('unauthorized')
    expect((await failureOf(accounts.fetch(session, null))).message).toMatch(/401 .*OAuthTokenIsInvalid, code 31001, request \d+-sim/)
  })

  test('a cursor of another connector is bad data', async () => {
    const { session } = await open(BAKERY)
    expect((await failureOf(accounts.fetch(session, { position: 1 }))).kind).toBe('badData')
  })

  test('a company file of another token is not accessible with this one', async () => {
    const { session } = await open(BAKERY)
    expect((await failureOf(accounts.fetch({ ...session, entityId: BUILDER }, null))).kind).toBe('reconnect')
  })
})
