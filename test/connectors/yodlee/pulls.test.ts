import { describe, expect, test } from 'vitest'
import { GIANT_BANK } from '../../../simulators/yodlee/data/institutions.ts'
import type { Grant, SourceItem } from '../../../src/connectors/contract/contract.ts'
import { yodleeConnector } from '../../../src/connectors/yodlee/client.ts'
import { applyItems, documentsOf, sessionOf, withoutFullNumbers } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { idOf, link, openHarness, run } from './harness.ts'

const DAY_MS = 86_400_000

describe('reading a provider account', () => {
  const harness = openForTests(openHarness)
  let companies = 0
  const connect = (institutionId?: number, companyId = `company-${companies++}`) =>
    link(harness, { companyId, ...(institutionId === undefined ? {} : { institutionId: String(institutionId) }) })
  const ids = (items: readonly SourceItem[]) => items.map(({ origId }) => origId)
  const listed = (grant: Grant) => harness.simulator.providerAccounts().find(({ id }) => id === idOf(grant))?.transactions ?? []

  /** Reads with a current token. */
  async function read(grant: Grant, name: string, from: Parameters<typeof run>[2] = null) {
    const credentials = (await yodleeConnector.refreshCredentials?.(harness.kit, grant.credentials)) ?? grant.credentials
    return await run({ ...sessionOf(harness, grant), credentials }, name, from)
  }

  /** What a reader holds after applying the items in order. */
  test('accounts of every container are a complete listing, including closed ones', async () => {
    const { items, listing } = await read(await connect(), 'accounts')
    const accounts = documentsOf(yodleeConnector, items)
    expect(listing).toBe('complete')
    expect(new Set(accounts.map(({ typeSystem }) => typeSystem))).toEqual(
      new Set(['Cash', 'CreditCards', 'Loans', 'Investments', 'Insurance', 'Other']),
    )
    expect(accounts.map(({ accountStatusSystem }) => accountStatusSystem).sort()).toEqual([
      ...Array(15).fill('ACTIVE'),
      'CLOSED',
      'TO_BE_CLOSED',
    ])
  })

  test('an account that disappears is no longer listed', async () => {
    const grant = await connect()
    harness.simulator.removeAccount(idOf(grant), 'art')
    expect((await read(grant, 'accounts')).items).toHaveLength(16)
  })

  test('a full account number is reduced to its last four characters', async () => {
    const accounts = documentsOf(yodleeConnector, (await read(await connect(), 'accounts')).items)
    expect(accounts.filter(({ accountNumber }) => !/^(••••\w{4})?$/.test(String(accountNumber)))).toEqual([])
  })

  test('a full number in the answer is in no record', async () => {
    const items = accountsOf(
      JSON.stringify({
        account: [
          { id: 1, CONTAINER: 'bank', fullAccountNumber: '1234567890', fullAccountNumberList: { unmaskedAccountNumber: '1234567890' } },
        ],
      }),
    )
    expect(items).toMatchObject([{ origId: '1', numbers: ['1234567890'] }])
    expect(JSON.stringify(withoutFullNumbers(items))).not.toContain('1234567890')
  })

  test('a login without accounts, for which Yodlee omits the list, is an empty listing', () => {
    expect(accountsOf('{}')).toEqual([])
  })

  test('transactions are requested by account, so that other banks of the company are excluded', async () => {
    const companyId = `company-${companies++}`
    const [one, other] = [await connect(undefined, companyId), await connect(16_442, companyId)]
    const { items } = await read(one, 'transactions')
    expect(ids(items).sort()).toEqual(
      listed(one)
        .map(({ container, id }) => `${container}/${id}`)
        .sort(),
    )
    expect(listed(other).length).toBeGreaterThan(0)
  })

  test('money in is positive, and the totals are those of Yodlee', async () => {
    const grant = await connect()
    const movements = documentsOf(yodleeConnector, (await read(grant, 'transactions')).items, 'transactions')
    const cents = listed(grant).reduce((sum, each) => sum + (each.isCredit ? each.cents : -each.cents), 0)
    expect(movements.reduce((sum, each) => sum + Math.round(Number(each.amount) * 100), 0)).toBe(cents)
    expect(movements.some(({ amount }) => Number(amount) < 0)).toBe(true)
  })

  test('many accounts with many transactions are read in groups and pages, to the last one', async () => {
    const grant = await connect(GIANT_BANK)
    const { items, pages } = await read(grant, 'transactions')
    expect(new Set(ids(items)).size).toBe(2_500)
    expect(pages.length).toBeGreaterThan(12)
  })

  test('the first run goes two years back, later ones three weeks, and after thirty days everything is read again', async () => {
    const grant = await connect()
    const since = () =>
      harness.simulator.calls
        .filter(({ path }) => path === '/transactions')
        .at(-1)
        ?.query.get('fromDate')
    const dayBack = (days: number) => new Date(harness.kit.now().getTime() - days * DAY_MS).toISOString().slice(0, 10)
    const first = await read(grant, 'transactions')
    expect(since()).toBe(dayBack(730))
    const second = await read(grant, 'transactions', first.resume)
    expect(since()).toBe(dayBack(21))
    harness.moveTime(31 * DAY_MS)
    await read(grant, 'transactions', second.resume)
    expect(since()).toBe(dayBack(730 + 31))
  })

  test('pending transactions that are booked under another id are not duplicated', async () => {
    const grant = await connect()
    let last = await read(grant, 'transactions')
    const held = applyItems(new Map(), last.items)
    expect(listed(grant).some(({ status }) => status === 'PENDING')).toBe(true)
    let removed = 0
    for (let day = 0; day < 6; day++) {
      harness.moveTime(DAY_MS)
      last = await read(grant, 'transactions', last.resume)
      removed += last.items.filter((item) => 'removed' in item).length
      applyItems(held, last.items)
    }
    expect([...held.keys()].sort()).toEqual(
      listed(grant)
        .map(({ container, id }) => `${container}/${id}`)
        .sort(),
    )
    expect(removed).toBeGreaterThan(3)
  })

  test('a transaction that Yodlee deleted is removed, as is one that failed at the bank', async () => {
    const grant = await connect()
    const [deleted = 0, failed = 0] = harness.simulator.addTransactions(idOf(grant), 'checking', [1_250, 990])
    const first = await read(grant, 'transactions')
    expect(ids(first.items)).toEqual(expect.arrayContaining([`bank/${deleted}`, `bank/${failed}`]))
    harness.simulator.removeTransaction(idOf(grant), deleted)
    harness.simulator.editTransaction(idOf(grant), failed, { status: 'FAILED' })
    const { items } = await read(grant, 'transactions', first.resume)
    expect(ids(items.filter((item) => 'removed' in item)).sort()).toEqual([`bank/${deleted}`, `bank/${failed}`].sort())
  })

  test('the cursor of another provider account is not used', async () => {
    const [one, other] = [await connect(), await connect()]
    const first = await read(one, 'transactions')
    const renewed = await read(other, 'transactions', first.resume)
    expect([renewed.items.length, renewed.items.filter((item) => 'removed' in item)]).toEqual([listed(other).length, []])
  })

  test('unknown enum values and shapes do not affect other records', async () => {
    const grant = await connect()
    harness.simulator.fault('schemaDrift')
    const accounts = documentsOf(yodleeConnector, (await read(grant, 'accounts')).items)
    expect(accounts).toHaveLength(18)
    expect(accounts.find(({ origId }) => origId === '900001')).toMatchObject({
      typeSystem: 'Cash',
      subTypeSystem: 'OtherCash',
      accountStatusSystem: 'ACTIVE',
    })
  })

  test('the same login linked again is recognized by its accounts', async () => {
    const wires = async (grant: Grant) => (await read(grant, 'accounts')).items.flatMap((item) => ('wire' in item ? [item.wire] : []))
    const prints = async (grant: Grant) => (await wires(grant)).map((wire) => JSON.stringify(yodleeConnector.reidentify?.account(wire)))
    const [one, other] = [await connect(), await connect()]
    expect(await prints(one)).toEqual(await prints(other))
    expect(idOf(one)).not.toBe(idOf(other))
  })

  test('an expired token is replaced, and the login at the bank is checked with it', async () => {
    const grant = await connect()
    harness.moveTime(31 * 60_000)
    await expect(run(sessionOf(harness, grant), 'accounts')).rejects.toMatchObject({ kind: 'reconnect' })
    expect((await read(grant, 'accounts')).items).toHaveLength(17)
    harness.simulator.fail(idOf(grant), 'CONSENT_REVOKED')
    await expect(yodleeConnector.refreshCredentials?.(harness.kit, grant.credentials)).rejects.toMatchObject({
      kind: 'reconnect',
      isClientRefused: false,
    })
  })
})

function accountsOf(json: string): SourceItem[] {
  const pull = yodleeConnector.pulls.find(({ name }) => name === 'accounts')
  return pull ? [...pull.read({ accounts: new TextEncoder().encode(json) })] : []
}
