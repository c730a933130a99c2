import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Grant, SourceError } from '../../../src/connectors/contract/contract.ts'
import type { MapContext } from '../../../src/connectors/contract/mapping.ts'
import { finicityConnector } from '../../../src/connectors/finicity/client.ts'
import { toBankTransaction } from '../../../src/connectors/finicity/map.ts'
import { applyItems, failureOf, sessionOf, withoutFullNumbers } from '../../harness/connector-calls.ts'
import { accountWithRole, type Harness, link, loginOf, openHarness, run } from './harness.ts'

const DAY_MS = 86_400_000

describe('reading accounts', () => {
  let harness: Harness
  let grant: Grant
  beforeEach(async () => {
    harness = await openHarness()
    grant = await link(harness)
  })
  afterEach(() => harness.close())

  const accounts = () => run(sessionOf(harness, grant), 'accounts')

  test('the group of student loans is set aside with the reason; its loans are accounts', async () => {
    const { items } = await accounts()
    const group = String(accountWithRole(harness, grant, 'studentGroup'))
    const [aside] = items.filter((item) => 'unreadable' in item)
    expect(aside).toMatchObject({ origId: group, unreadable: expect.stringContaining('sum of its loans') })
    const loans = ['studentA', 'studentB'].map((role) => String(accountWithRole(harness, grant, role)))
    expect(items.filter((item) => 'wire' in item && loans.includes(item.origId))).toHaveLength(2)
  })

  test('no record contains a full account number', async () => {
    const { items, pages } = await accounts()
    const whole = [...new TextDecoder().decode(pages[0]?.accounts).matchAll(/"number":"(\d+)"/g)].map((match) => match[1] ?? '')
    expect(whole.length).toBeGreaterThan(10)
    expect(whole.filter((number) => JSON.stringify(withoutFullNumbers(items)).includes(number))).toEqual([])
  })

  test('a removed account is no longer listed', async () => {
    const gone = accountWithRole(harness, grant, 'card')
    harness.simulator.removeAccount(gone)
    const { items, listing } = await accounts()
    expect(listing).toBe('complete')
    expect(items.map(({ origId }) => origId)).not.toContain(String(gone))
  })

  test.each([
    ['status103', 'reconnect'],
    ['status108', 'reconnect'],
    ['status109', 'reconnect'],
    ['status185', 'reconnect'],
    ['status187', 'reconnect'],
    ['status948', 'reconnect'],
    ['status977', 'rateLimited'],
    ['status102', 'unavailable'],
    ['status931', 'unavailable'],
    ['status936', 'unavailable'],
    ['status940', 'unavailable'],
    ['unread', 'unavailable'],
    ['customerGone', 'reconnect'],
    ['tokenExpired', 'reconnect'],
  ])('%s becomes %s', async (fault, kind) => {
    harness.simulator.fault(fault)
    const failure = await failureOf(accounts())
    expect(failure.kind).toBe(kind)
    expect(failure.isClientRefused).toBe(false)
  })

  test('an error code within an error has the same meaning', async () => {
    const kit = {
      ...harness.kit,
      http: async () => ({ status: 500, headers: {}, body: new TextEncoder().encode('{"code": 185, "message": "MFA"}') }),
    }
    expect((await failureOf(run({ ...sessionOf(harness, grant), kit }, 'accounts'))).kind).toBe('reconnect')
  })

  test('if the bank fails for one account only, data read before is delivered', async () => {
    harness.simulator.fault('oneFails')
    expect((await accounts()).items.length).toBeGreaterThan(10)
  })

  test('a login without accounts requires a reconnect, and is not an empty list', async () => {
    const login = harness.simulator.state.logins[String(loginOf(grant))]
    for (const { id } of login?.accounts ?? []) harness.simulator.removeAccount(id)
    expect((await failureOf(accounts())).kind).toBe('reconnect')
  })

  test('schema drift sets aside only the unreadable record', async () => {
    harness.simulator.fault('schemaDrift')
    const { items } = await accounts()
    expect(items.map(({ origId }) => origId)).toEqual(expect.arrayContaining(['700001', '700002', '700003']))
  })

  test('a refreshed token works after the old one has expired', async () => {
    harness.moveTime(3 * 3_600_000)
    expect((await failureOf(accounts())).kind).toBe('reconnect')
    const credentials = await finicityConnector.refreshCredentials?.(harness.kit, grant.credentials)
    if (!credentials) throw new Error('no credentials')
    expect((await run({ ...sessionOf(harness, grant), credentials }, 'accounts')).items.length).toBeGreaterThan(10)
  })
})

describe('reading transactions', () => {
  let harness: Harness
  let grant: Grant
  let card: number
  beforeEach(async () => {
    harness = await openHarness({ giantAccounts: 25 })
    grant = await link(harness)
    card = accountWithRole(harness, grant, 'card')
  })
  afterEach(() => harness.close())

  const session = async () => {
    const credentials = (await finicityConnector.refreshCredentials?.(harness.kit, grant.credentials)) ?? grant.credentials
    return { ...sessionOf(harness, grant), credentials }
  }
  const context: MapContext = { fetchedAt: new Date(0), unmapped: () => {} }
  const amountOf = (wire: unknown) => toBankTransaction.fields.amount?.(wire, context)

  test('a second run reads only what may have changed, and changes nothing', async () => {
    const first = await run(await session(), 'transactions')
    const held = applyItems(new Map(), first.items)
    const calls = harness.exchanges.length
    const again = await run(await session(), 'transactions', first.resume)
    expect(again.items.length).toBeLessThan(first.items.length / 3)
    expect(again.items.filter((item) => 'removed' in item && held.has(item.origId))).toEqual([])
    expect(applyItems(new Map(held), again.items)).toEqual(held)
    const asked = new URL(harness.exchanges[calls + 2]?.request.url ?? 'http://x').searchParams.get('fromDate')
    expect(Number(asked)).toBeGreaterThan(Date.UTC(2026, 10, 1) / 1000)
  })

  test('a transaction that is pending and booked later counts once, whether it keeps its number or gets another', async () => {
    const kept = harness.simulator.enter(card, -1_234, 'pending')
    const dropped = harness.simulator.enter(card, -5_678, 'pending')
    const first = await run(await session(), 'transactions')
    const held = applyItems(new Map(), first.items)
    expect(held.has(String(kept)) && held.has(String(dropped))).toBe(true)
    harness.simulator.setEntry(kept, 'active')
    harness.simulator.removeEntry(dropped)
    const booked = harness.simulator.enter(card, -5_678)
    applyItems(held, (await run(await session(), 'transactions', first.resume)).items)
    expect([kept, dropped, booked].map((id) => held.has(String(id)))).toEqual([true, false, true])
  })

  test('after a week every earlier pending transaction is booked or gone, and none is duplicated', async () => {
    const first = await run(await session(), 'transactions')
    const held = applyItems(new Map(), first.items)
    harness.moveTime(7 * DAY_MS)
    applyItems(held, (await run(await session(), 'transactions', first.resume)).items)
    const renewed = applyItems(new Map(), (await run(await session(), 'transactions')).items)
    expect([...held.keys()].sort()).toEqual([...renewed.keys()].sort())
  })

  test('a shadow transaction is removed', async () => {
    const id = harness.simulator.enter(card, -900)
    const first = await run(await session(), 'transactions')
    const held = applyItems(new Map(), first.items)
    expect(held.has(String(id))).toBe(true)
    harness.simulator.setEntry(id, 'shadow')
    applyItems(held, (await run(await session(), 'transactions', first.resume)).items)
    expect(held.has(String(id))).toBe(false)
  })

  test.each(['card', 'line', 'retirement', 'checking', 'van'])(
    'money out of %s is negative, whichever sign the account uses',
    async (role) => {
      const id = harness.simulator.enter(accountWithRole(harness, grant, role), -4_200)
      const held = applyItems(new Map(), (await run(await session(), 'transactions')).items)
      expect(amountOf(held.get(String(id)))).toBe('-42')
    },
  )

  test('many accounts are read ten per page, each with all of its transactions', async () => {
    const giant = await link(harness, { username: 'giant', institutionId: '102107' })
    const { pages, items } = await run(sessionOf(harness, giant), 'transactions')
    expect(pages).toHaveLength(3)
    const perAccount = Map.groupBy(
      items.flatMap((item) => ('wire' in item ? [item.wire as { transaction: { accountId: number } }] : [])),
      ({ transaction }) => transaction.accountId,
    )
    expect(perAccount.size).toBe(25)
    expect(Math.min(...[...perAccount.values()].map((rows) => rows.length))).toBeGreaterThan(80)
  })

  test('a list that does not advance fails instead of ending', async () => {
    harness.simulator.fault('lostPage')
    expect((await failureOf(run(await session(), 'transactions'))).kind).toBe('badData')
  })

  test('an account removed between the listing and its own request is skipped', async () => {
    harness.simulator.fault('accountGone')
    expect((await run(await session(), 'transactions')).items.length).toBeGreaterThan(100)
  })

  test('a customer that no longer exists requires a reconnect', async () => {
    const login = await session()
    harness.simulator.fault('customerGone')
    await expect(run(login, 'transactions')).rejects.toBeInstanceOf(SourceError)
  })
})
