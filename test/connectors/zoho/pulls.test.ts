import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import type { Session } from '../../../src/connectors/contract/contract.ts'
import { mapRecord } from '../../../src/connectors/toolkit/test-mapping.ts'
import { zohoConnector } from '../../../src/connectors/zoho/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { answersOf, failureOf, fetchPages, idsOf, itemsOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { GIANT, type Harness, MAKER, openHarness, SHOP } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(zohoConnector, 'accounts')

async function open(organizationId: string, options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  const grant = await connect(harness, { login: organizationId === GIANT ? 'load' : 'mei' }, organizationId)
  return { harness, session: sessionOf(harness, grant) }
}

function idsAtSource(harness: Harness, organizationId: string): string[] {
  return harness.simulator.listAccounts(organizationId).map(({ account_id }) => String(account_id))
}

describe('pulling accounts', () => {
  test.each([
    [SHOP, 81],
    [MAKER, 44],
  ])('all accounts of organization %s are listed, including inactive ones', async (organizationId, count) => {
    const { session } = await open(organizationId)
    const items = itemsOf(answersOf(await fetchPages(session, accounts)), accounts)
    expect(items).toHaveLength(count)
    expect(items.filter((item) => 'wire' in item && Object(item.wire).is_active === false).length).toBeGreaterThan(0)
  })

  test('an account has the currency of its organization, a bank account its own', async () => {
    const { session } = await open(SHOP)
    const currencies = await currenciesOf(session)
    expect(Object.fromEntries(currencies)['Wise – US dollars']).toBe('USD')
    expect(Object.fromEntries(currencies)['Wise – Mexican pesos']).toBe('MXN')
    expect(currencies.filter(([, currency]) => currency === 'CAD')).toHaveLength(79)
  })

  test('a token without access to bank accounts leaves their currencies unknown, which is counted, and changes nothing else', async () => {
    const { session } = await open(SHOP)
    const http: Session['kit']['http'] = async (call) => {
      const answer = await session.kit.http(call)
      const body = new TextEncoder().encode('{"code":57,"message":"You are not authorized to perform this operation"}')
      return call.url.includes('/bankaccounts') ? { ...answer, status: 401, body } : answer
    }
    const unmapped: string[] = []
    const currencies = await currenciesOf({ ...session, kit: { ...session.kit, http } }, unmapped)
    expect(currencies.filter(([, currency]) => currency === '')).toHaveLength(10)
    expect(currencies.filter(([, currency]) => currency === 'CAD')).toHaveLength(71)
    expect(unmapped.filter((word) => word.startsWith('currency: not told: '))).toHaveLength(10)
  })

  test('every account matches the wire schema and has a UTC version', async () => {
    const { session } = await open(SHOP)
    const isWire = Compile(zohoConnector.entities.Accounts.wire)
    const items = itemsOf(answersOf(await fetchPages(session, accounts)), accounts)
    const faulty = items.filter((item) => !('wire' in item) || !isWire.Check(item.wire) || !/^2026-.*Z$/.test(item.version ?? ''))
    expect(faulty).toEqual([])
  })

  test('a large chart is listed over all pages without a gap', async () => {
    const { harness, session } = await open(GIANT, { giantAccounts: 901 })
    const pages = await fetchPages(session, accounts)
    expect(pages.map(({ listing, answers }) => [listing, Object.keys(answers).length])).toEqual([
      ...Array(5).fill(['complete', 3]),
      ...Array(5).fill(['complete', 0]),
    ])
    expect(idsOf(itemsOf(answersOf(pages), accounts)).sort()).toEqual(idsAtSource(harness, GIANT).sort())
  })

  test('20,000 accounts are listed despite the limit per minute, which does not apply to load tests', async () => {
    const { session } = await open(GIANT, { callsPerMinute: 100 })
    expect(new Set(idsOf(itemsOf(answersOf(await fetchPages(session, accounts)), accounts))).size).toBe(20_000)
  })

  test.each([0, 199, 200, 201, 400])('%i accounts end where Zoho says so', async (count) => {
    const { session } = await open(GIANT, { giantAccounts: count })
    expect(new Set(idsOf(itemsOf(answersOf(await fetchPages(session, accounts)), accounts))).size).toBe(count)
  })

  test('an account deleted during the listing hides no others', async () => {
    const { harness, session } = await open(GIANT, { giantAccounts: 901 })
    const [gone] = idsAtSource(harness, GIANT)
    const pages = await fetchPages(session, accounts, null, (page) => {
      if (page === 2) harness.simulator.removeAccount(GIANT, gone ?? '')
    })
    const found = new Set(idsOf(itemsOf(answersOf(pages), accounts)))
    expect(idsAtSource(harness, GIANT).filter((id) => !found.has(id))).toEqual([])
  })

  test('an edit at the source is in the next listing, as a newer version', async () => {
    const { harness, session } = await open(SHOP)
    const id = idsAtSource(harness, SHOP)[4] ?? ''
    const find = async () => itemsOf(answersOf(await fetchPages(session, accounts)), accounts).find(({ origId }) => origId === id)
    const before = Object(await find())
    harness.simulator.editAccount(SHOP, id, { account_name: 'Renommé', is_active: false })
    const after = Object(await find())
    expect(after.wire).toMatchObject({ account_name: 'Renommé', is_active: false })
    expect(after.version > before.version).toBe(true)
  })

  test('no account is requested individually, since that answer would contain customer names', async () => {
    const { harness, session } = await open(SHOP)
    await fetchPages(session, accounts)
    expect(harness.simulator.listRequests().filter(({ path }) => /chartofaccounts\/./.test(path))).toEqual([])
  })
})

describe('faults of a pull', () => {
  test('a token that is refused again after its refresh requires a reconnect, for accounts and for journals', async () => {
    for (const pull of [accounts, pullNamed(zohoConnector, 'journals')]) {
      const { harness, session } = await open(MAKER)
      harness.simulator.fault('invalidToken', 2)
      expect((await failureOf(pull.fetch(session, null))).kind).toBe('reconnect')
    }
  })

  test('data that the user’s role cannot open requires a reconnect, for accounts', async () => {
    const { harness, session } = await open(SHOP)
    harness.simulator.fault('unauthorized')
    const failure = await failureOf(accounts.fetch(session, null))
    expect([failure.kind, failure.message]).toEqual(['reconnect', 'Zoho answered 401 to the list of accounts (code 57)'])
  })

  test.each([
    ['throttle', 60_000, 'code 44, limit: minute'],
    ['throttleDay', 12 * 3_600_000, 'code 45, limit: day'],
    ['throttleConcurrent', 5000, 'code 1070, limit: concurrent'],
  ])('%s waits as long as its limit and names it', async (fault, waitMs, words) => {
    const { harness, session } = await open(SHOP)
    harness.simulator.fault(fault)
    const failure = await failureOf(accounts.fetch(session, null))
    expect([failure.retryAfterMs, failure.message.includes(words)]).toEqual([waitMs, true])
  })

  test('an organization that the user has left requires a reconnect', async () => {
    const { session } = await open(SHOP)
    expect((await failureOf(accounts.fetch({ ...session, entityId: '1' }, null))).kind).toBe('reconnect')
  })

  test('a cursor of another shape is bad data, not a listing from the start', async () => {
    const { session } = await open(SHOP)
    expect((await failureOf(accounts.fetch(session, { position: 5 }))).kind).toBe('badData')
  })
})

async function currenciesOf(session: Session, unmapped: string[] = []): Promise<[name: string, currency: string][]> {
  const items = itemsOf(answersOf(await fetchPages(session, accounts)), accounts)
  const records = items.flatMap((item) =>
    'wire' in item ? [mapRecord(zohoConnector.entities.Accounts.map, item.wire, new Date(0), unmapped)] : [],
  )
  return records.map(({ name, currency }) => [String(name), String(currency)])
}
