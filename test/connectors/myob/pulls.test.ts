import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { myobConnector } from '../../../src/connectors/myob/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, itemsOf, listPages, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { BAKERY, BUILDER, GIANT, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(myobConnector, 'accounts')
const journals = pullNamed(myobConnector, 'journals')
const isAccount = Compile(myobConnector.entities.Accounts.wire)
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
  ])('all accounts of company file %s are listed, inactive ones too', async (businessId, count, inactive) => {
    const { session } = await open(businessId)
    const items = await listAccounts(session)
    expect([items.length, idsOf(items).size]).toEqual([count, count])
    expect(items.filter((item) => Object(item).wire.IsActive === false)).toHaveLength(inactive)
  })

  test('every account satisfies the wire schema', async () => {
    const { session } = await open(BAKERY)
    expect((await listAccounts(session)).filter((item) => !('wire' in item) || !isAccount.Check(item.wire))).toEqual([])
  })

  test('a second pull of the same books is identical', async () => {
    const { session } = await open(BAKERY)
    expect(await listAccounts(session)).toEqual(await listAccounts(session))
  })

  test('only the word that no mapping knows is reported', async () => {
    const { session } = await open(BAKERY)
    const unmapped: string[] = []
    const context = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => unmapped.push(`${field}=${word}`) }
    for (const item of await listAccounts(session)) {
      for (const get of Object.values(myobConnector.entities.Accounts.map.fields)) get(Object(item).wire, context)
    }
    expect(unmapped).toEqual(['typeSystem=DigitalAsset'])
  })

  test.each([
    [BAKERY, ['AUD', 'EUR', 'USD']],
    [BUILDER, ['AUD', 'NZD']],
  ])('the currencies of company file %s are those of its country and of its foreign accounts', async (businessId, currencies) => {
    const { session } = await open(businessId)
    const context = { fetchedAt: new Date(0), unmapped: () => {} }
    const { currency } = myobConnector.entities.Accounts.map.fields
    expect([...new Set((await listAccounts(session)).map((item) => currency?.(Object(item).wire, context)))].sort()).toEqual(currencies)
  })

  test.each([999, 1000, 1001, 2500])('%i accounts are listed over all their pages without a gap', async (count) => {
    const { session } = await open(GIANT, { giantAccounts: count })
    expect(idsOf(await listAccounts(session)).size).toBe(count)
  })

  test('a page that comes twice instead of the next one loses nothing', async () => {
    const { harness, session } = await open(GIANT, { giantAccounts: 2500 })
    harness.simulator.fault('repeatPage')
    expect(idsOf(await listAccounts(session)).size).toBe(2500)
  })

  test('a source that repeats itself without end is bad data', async () => {
    const { harness, session } = await open(GIANT, { giantAccounts: 2500 })
    harness.simulator.fault('repeatPage', 100)
    expect((await failureOf(listPages(session, accounts))).kind).toBe('badData')
  })

  test('a list that ends before its count is bad data, never a shorter list', async () => {
    const { harness, session } = await open(BAKERY)
    harness.simulator.fault('lostPage')
    expect((await failureOf(listPages(session, accounts))).kind).toBe('badData')
  })

  test('accounts that come twice in a page are all still there', async () => {
    const { harness, session } = await open(BUILDER)
    harness.simulator.fault('duplicateIds')
    const items = await listAccounts(session)
    expect([items.length, idsOf(items).size]).toEqual([53, 50])
  })

  test('accounts that come twice across pages hide none of the others', async () => {
    const { harness, session } = await open(GIANT, { giantAccounts: 2500 })
    harness.simulator.fault('duplicateIds', 2)
    expect(idsOf(await listAccounts(session)).size).toBe(2500)
  })

  test('an account that is deleted while the listing runs does not hide its neighbours', async () => {
    const { harness, session } = await open(GIANT, { giantAccounts: 2500 })
    const [first] = await listAccounts(session)
    const pages = await listPages(session, accounts, (page) => {
      if (page === 1) harness.simulator.removeAccount(GIANT, first?.origId ?? '')
    })
    expect([...idsOf(itemsOf(pages.slice(-3), accounts))]).toHaveLength(2499)
  })

  test('a drifted page keeps every record that can be kept', async () => {
    const { harness, session } = await open(BUILDER)
    harness.simulator.fault('schemaDrift')
    const items = (await listAccounts(session)).slice(0, 5)
    expect(items.map((item) => ('wire' in item ? isAccount.Check(item.wire) : 'unreadable'))).toEqual([
      true,
      false,
      true,
      true,
      'unreadable',
    ])
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
  test('every posting is listed over all pages and balances; the transaction that does not is set aside', async () => {
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

  test('a second pull of the same books is identical', async () => {
    const { session } = await open(BUILDER)
    const list = async () => itemsOf(await listPages(session, journals), journals)
    expect(await list()).toEqual(await list())
  })

  test('a transaction that is deleted while the listing runs does not hide its neighbours', async () => {
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
  test('a throttled call waits a second, an hour when the day is over, and as long as it is told', async () => {
    const { harness, session } = await open(BAKERY)
    const waits: (number | null)[] = []
    for (const fault of ['throttle', 'throttledBefore', 'dayIsOver', 'retryAfter']) {
      harness.simulator.fault(fault)
      waits.push((await failureOf(accounts.fetch(session, null))).retryAfterMs)
    }
    expect(waits).toEqual([1000, 1000, 3_600_000, 12_000])
  })

  test('the limit of calls a second is met by rateLimited and passes with the second', async () => {
    const { harness, session } = await open(BAKERY, { callsPerSecond: 3 })
    await accounts.fetch(session, null)
    expect((await failureOf(accounts.fetch(session, null))).kind).toBe('rateLimited')
    harness.moveTime(1000)
    expect((await accounts.fetch(session, null)).next).toBeNull()
  })

  test('a failure names the error, its code and the request id that MYOB’s support asks for', async () => {
    const { harness, session } = await open(BAKERY)
    harness.simulator.fault('unauthorized')
    expect((await failureOf(accounts.fetch(session, null))).message).toMatch(/401 .*OAuthTokenIsInvalid, code 31001, request \d+-sim/)
  })

  test('a cursor of another connector is bad data', async () => {
    const { session } = await open(BAKERY)
    expect((await failureOf(accounts.fetch(session, { position: 1 }))).kind).toBe('badData')
  })

  test('a company file that another token opens is closed to this one', async () => {
    const { session } = await open(BAKERY)
    expect((await failureOf(accounts.fetch({ ...session, entityId: BUILDER }, null))).kind).toBe('reconnect')
  })
})
