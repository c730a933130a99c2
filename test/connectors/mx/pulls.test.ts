import { describe, expect, test } from 'vitest'
import { GIANT_BANK } from '../../../simulators/mx/data/institutions.ts'
import type { Grant, SourceItem } from '../../../src/connectors/contract/contract.ts'
import { mxConnector } from '../../../src/connectors/mx/client.ts'
import { applyItems, documentsOf, sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { link, openHarness, run } from './harness.ts'

const DAY_MS = 86_400_000

describe('reading a member', () => {
  const harness = openForTests(() => openHarness({ giant: { accounts: 1_250, transactions: 2_500 } }))
  let companies = 0
  const connect = (institutionId?: string) =>
    link(harness, { companyId: `company-${companies++}`, ...(institutionId ? { institutionId } : {}) })
  const read = (grant: Grant, name: string, from: Parameters<typeof run>[2] = null) => run(sessionOf(harness, grant), name, from)
  const calls = (path: RegExp) => harness.simulator.calls.filter((call) => path.test(`${call.method} ${call.path}`)).length
  const ids = (items: readonly SourceItem[]) => items.map(({ origId }) => origId)

  /** What a reader holds after applying the items in order. */
  /** Guids of the member's transactions as MX lists them. */
  const listed = (grant: Grant) => harness.simulator.members().find(({ guid }) => guid === grant.reference)?.transactions ?? []

  test('accounts are a complete listing, including closed and hidden ones', async () => {
    const grant = await connect()
    const { items, listing } = await read(grant, 'accounts')
    const normalized = documentsOf(mxConnector, items)
    expect(listing).toBe('complete')
    expect(normalized.map(({ accountStatusSystem }) => accountStatusSystem).sort()).toEqual([
      ...Array(13).fill('ACTIVE'),
      'CLOSED',
      'INACTIVE',
    ])
  })

  test('an account that disappears is no longer listed', async () => {
    const grant = await connect()
    harness.simulator.removeAccount(grant.reference ?? '', 'van')
    expect((await read(grant, 'accounts')).items).toHaveLength(14)
  })

  test('accounts over more than one page are read completely', async () => {
    const { pages, items } = await read(await connect(GIANT_BANK), 'accounts')
    expect([pages.length, new Set(ids(items)).size]).toEqual([2, 1_250])
  })

  test('no page is larger than MX’s maximum: above 1,000 it would fall back to 25', async () => {
    await read(await connect(), 'transactions')
    const sizes = harness.simulator.calls.flatMap(({ query }) => query.get('records_per_page') ?? []).map(Number)
    expect(Math.max(...sizes)).toBe(1_000)
  })

  test('a list whose count changes between two pages is read again', async () => {
    const grant = await connect(GIANT_BANK)
    harness.simulator.fault('changing')
    await expect(read(grant, 'accounts')).rejects.toMatchObject({ kind: 'badData' })
    expect((await read(grant, 'accounts')).items).toHaveLength(1_250)
  })

  test('data from yesterday is aggregated again, and read as it is in the meantime', async () => {
    const grant = await connect()
    await read(grant, 'accounts')
    expect(calls(/POST .*aggregate/)).toBe(0)
    harness.moveTime(21 * 3_600_000)
    expect((await read(grant, 'accounts')).items).toHaveLength(15)
    await read(grant, 'accounts')
    expect(calls(/POST .*aggregate/)).toBe(1)
    harness.moveTime(60_000)
    await read(grant, 'accounts')
    expect(calls(/POST .*aggregate/)).toBe(1)
  })

  test('a missing currency is that of the bank’s country', async () => {
    const grant = await connect()
    const accounts = documentsOf(mxConnector, (await read(grant, 'accounts')).items)
    expect(new Set(accounts.map(({ currency }) => currency))).toEqual(new Set(['CAD', 'USD']))
    const movements = documentsOf(mxConnector, (await read(grant, 'transactions')).items, 'transactions')
    expect(new Set(movements.map(({ currency }) => currency))).toEqual(new Set(['CAD']))
  })

  test('a full account number is reduced to its last four characters', async () => {
    const accounts = documentsOf(mxConnector, (await read(await connect(), 'accounts')).items)
    expect(accounts.filter(({ accountNumber }) => !/^(••••\w{4})?$/.test(String(accountNumber)))).toEqual([])
  })

  test('money in is positive, and the totals are those of MX', async () => {
    const grant = await connect()
    const movements = documentsOf(mxConnector, (await read(grant, 'transactions')).items, 'transactions')
    const cents = listed(grant).reduce((sum, each) => sum + (each.isCredit ? each.cents : -each.cents), 0)
    expect(movements.reduce((sum, each) => sum + Math.round(Number(each.amount) * 100), 0)).toBe(cents)
    expect(movements.some(({ amount }) => Number(amount) < 0)).toBe(true)
  })

  test('the first run reads everything as a complete listing, later ones the last three weeks', async () => {
    const grant = await connect()
    const first = await read(grant, 'transactions')
    const again = await read(grant, 'transactions', first.resume)
    expect([first.listing, again.listing]).toEqual(['complete', 'changes'])
    expect(again.items.length).toBeLessThan(first.items.length / 2)
    expect(again.items.filter((item) => 'removed' in item)).toEqual([])
  })

  test('after thirty days everything is read again', async () => {
    const grant = await connect()
    const first = await read(grant, 'transactions')
    harness.moveTime(31 * DAY_MS)
    expect((await read(grant, 'transactions', first.resume)).listing).toBe('complete')
  })

  test('pending transactions that are booked are not duplicated, whether or not they keep their guid', async () => {
    const grant = await connect()
    let last = await read(grant, 'transactions')
    const held = applyItems(new Map(), last.items)
    const pending = new Set(
      listed(grant)
        .filter(({ isPending }) => isPending)
        .map(({ guid }) => guid),
    )
    expect(pending.size).toBeGreaterThan(0)
    let removed = 0
    for (let day = 0; day < 8; day++) {
      harness.moveTime(DAY_MS)
      last = await read(grant, 'transactions', last.resume)
      removed += last.items.filter((item) => 'removed' in item).length
      applyItems(held, last.items)
    }
    expect([...held.keys()].sort()).toEqual(
      listed(grant)
        .map(({ guid }) => guid)
        .sort(),
    )
    expect(removed).toBeGreaterThan(0)
  })

  test('a booked transaction that MX deleted is gone with the next complete listing', async () => {
    const grant = await connect()
    const [guid = ''] = harness.simulator.addTransactions(grant.reference ?? '', 'checking', [1_250])
    const first = await read(grant, 'transactions')
    expect(ids(first.items)).toContain(guid)
    harness.simulator.removeTransaction(grant.reference ?? '', guid)
    harness.moveTime(31 * DAY_MS)
    const whole = await read(grant, 'transactions', first.resume)
    expect([whole.listing, ids(whole.items).includes(guid)]).toEqual(['complete', false])
  })

  test('unknown enum values and shapes do not affect other records', async () => {
    const grant = await connect()
    const before = (await read(grant, 'accounts')).items.length
    harness.simulator.fault('schemaDrift')
    const accounts = documentsOf(mxConnector, (await read(grant, 'accounts')).items)
    expect(accounts.filter(({ origId }) => origId)).toHaveLength(before + 1)
    expect(accounts.find(({ origId }) => origId === 'drift-unknown-words')).toMatchObject({ typeSystem: 'Other', subTypeSystem: 'Unknown' })
  })

  test('the same login linked again is recognized by its accounts', async () => {
    const wires = async (grant: Grant) => (await read(grant, 'accounts')).items.flatMap((item) => ('wire' in item ? [item.wire] : []))
    const prints = async (grant: Grant) => (await wires(grant)).map((wire) => JSON.stringify(mxConnector.reidentify?.account(wire)))
    const [one, other] = [await connect(), await connect()]
    expect(await prints(one)).toEqual(await prints(other))
    expect(one.reference).not.toBe(other.reference)
  })
})
