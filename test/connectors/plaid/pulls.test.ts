import { Check } from 'typebox/value'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Grant, Session } from '../../../src/connectors/contract/contract.ts'
import { plaidConnector } from '../../../src/connectors/plaid/client.ts'
import { applyItems, sessionOf } from '../../harness/connector-calls.ts'
import { type Harness, link, openHarness, run } from './harness.ts'

const DAY_MS = 86_400_000

describe('pulling the data of an item', () => {
  let harness: Harness
  let grant: Grant
  let session: Session
  beforeEach(async () => {
    harness = await openHarness()
    grant = await link(harness)
    session = sessionOf(harness, grant)
  })
  afterEach(() => harness.close())

  const itemId = () => grant.reference ?? ''
  const accountOf = (role: string) => harness.simulator.items()[0]?.accounts.find((account) => account.role === role)?.accountId ?? ''

  test('accounts are a complete listing of seven records that match their schema', async () => {
    const { items, listing } = await run(session, 'accounts')
    expect(listing).toBe('complete')
    expect(items).toHaveLength(7)
    expect(items.filter((item) => !('wire' in item) || !Check(plaidConnector.entities.Accounts.wire, item.wire))).toEqual([])
  })

  test('card, mortgage and student loan carry their liabilities', async () => {
    const held = applyItems(new Map(), (await run(session, 'accounts')).items)
    expect(held.get(accountOf('card'))).toHaveProperty('credit.minimum_payment_amount', 35)
    expect(held.get(accountOf('mortgage'))).toHaveProperty('mortgage.origination_principal_amount', 438_000)
    expect(held.get(accountOf('student'))).toHaveProperty('student.interest_rate_percentage', 4.25)
    expect(held.get(accountOf('business'))).not.toHaveProperty('mortgage')
  })

  test('no record contains the full number of a loan', async () => {
    const { items } = await run(session, 'accounts')
    expect(JSON.stringify(items)).not.toMatch(/account_number|payment_reference_number|883120\d{4}|41009\d{4}/)
  })

  test('a second run of unchanged accounts delivers the same records', async () => {
    const first = await run(session, 'accounts')
    const second = await run(session, 'accounts')
    expect(second.items).toEqual(first.items)
  })

  test('a closed account is no longer listed, and a changed balance is updated', async () => {
    harness.simulator.removeAccount(itemId(), accountOf('savings'))
    harness.simulator.editAccount(itemId(), accountOf('checking'), { currentCents: -120_05 })
    const held = applyItems(new Map(), (await run(session, 'accounts')).items)
    expect(held.size).toBe(6)
    expect(held.get(accountOf('checking'))).toHaveProperty('account.balances.current', -120.05)
  })

  test.each(['noLiabilities', 'liabilitiesNotSupported', 'consentRequired'])(
    '%s: the accounts are delivered without liabilities',
    async (fault) => {
      harness.simulator.fault(fault)
      const { items } = await run(session, 'accounts')
      expect(items).toHaveLength(7)
      expect(items.some((item) => 'wire' in item && JSON.stringify(item.wire).includes('"credit":{'))).toBe(false)
    },
  )

  test('a bank that does not offer liabilities delivers its accounts', async () => {
    const plain = await link(harness, { institutionId: 'ins_900003' })
    expect((await run(sessionOf(harness, plain), 'accounts')).items).toHaveLength(7)
  })

  test('the first run delivers 24 months in pages, valid records and both states', async () => {
    const { items, pages } = await run(session, 'transactions')
    const held = applyItems(new Map(), items)
    expect(pages.length).toBeGreaterThan(2)
    expect(held.size).toBeGreaterThan(1_000)
    expect([...held.values()].filter((wire) => !Check(plaidConnector.entities.Transactions?.wire ?? {}, wire))).toEqual([])
    expect(new Set([...held.values()].map((wire) => JSON.stringify(wire).includes('"pending":true'))).size).toBe(2)
  })

  test('an immediate second run delivers nothing', async () => {
    const first = await run(session, 'transactions')
    expect((await run(session, 'transactions', first.resume)).items).toEqual([])
  })

  test('additions, changes and removals are delivered by the next run', async () => {
    const first = await run(session, 'transactions')
    const known = first.items.filter((item) => 'wire' in item).map((item) => item.origId ?? '')
    const [added] = harness.simulator.addTransactions(itemId(), accountOf('checking'), [12_50])
    harness.simulator.editTransaction(itemId(), known[0] ?? '', { name: 'CORRECTED' })
    harness.simulator.removeTransaction(itemId(), known[1] ?? '')
    const second = await run(session, 'transactions', first.resume)
    expect(second.items.map((item) => [item.origId, 'removed' in item])).toEqual([
      [added, false],
      [known[0], false],
      [known[1], true],
    ])
  })

  test('a booked transaction replaces its pending one', async () => {
    const first = await run(session, 'transactions')
    const held = applyItems(new Map(), first.items)
    const pending = [...held].filter(([, wire]) => isPending(wire)).map(([id]) => id)
    harness.simulator.moveClock(3 * DAY_MS)
    applyItems(held, (await run(session, 'transactions', first.resume)).items)
    expect(pending.length).toBeGreaterThan(0)
    expect(pending.filter((id) => held.has(id))).toEqual([])
    expect(toIds(held)).toEqual(openIds(harness))
  })

  test('a booked transaction removes its pending one even if the source does not list it as removed', async () => {
    const answer = {
      added: [{ transaction_id: 'booked', pending_transaction_id: 'pending' }],
      modified: [],
      removed: [],
      next_cursor: 'c',
      has_more: false,
    }
    const pull = plaidConnector.pulls.find((each) => each.name === 'transactions')
    const items = [...(pull?.read({ changes: new TextEncoder().encode(JSON.stringify(answer)) }) ?? [])]
    expect(items).toContainEqual({ entity: 'Transactions', origId: 'pending', removed: true })
  })

  test('a mutation between two pages restarts the run, which ends with the source’s current data', async () => {
    harness.simulator.fault('mutation')
    const { items } = await run(session, 'transactions')
    expect(toIds(applyItems(new Map(), items))).toEqual(openIds(harness))
  })

  test('a record that an abandoned page delivered and the source then removed does not stay', async () => {
    let once = 0
    const { items } = await run(session, 'transactions', null, () => {
      if (once++ === 0) harness.simulator.removeTransaction(itemId(), harness.simulator.items()[0]?.transactions[0]?.id ?? '')
    })
    expect(toIds(applyItems(new Map(), items))).toEqual(openIds(harness))
  })

  test('data that changes repeatedly is settled by the next pages', async () => {
    harness.simulator.fault('mutation', 6)
    const { items } = await run(session, 'transactions')
    expect(toIds(applyItems(new Map(), items))).toEqual(openIds(harness))
  })

  test('before the first fetch from the bank the page is empty and the next run starts over', async () => {
    harness.simulator.fault('transactionsNotReady')
    const first = await run(session, 'transactions')
    expect([first.items, first.resume]).toEqual([[], null])
  })

  test('unknown enum values and shapes affect one record at most', async () => {
    harness.simulator.fault('schemaDrift')
    const { items } = await run(session, 'accounts')
    const spoilt = items.filter((item) => !('wire' in item) || !Check(plaidConnector.entities.Accounts.wire, item.wire))
    expect([items.length, spoilt.map((item) => item.origId)]).toEqual([10, ['drift-wrong-types']])
  })

  test('a transaction with wrong types is passed on to be set aside', async () => {
    const first = await run(session, 'transactions')
    harness.simulator.addTransactions(itemId(), accountOf('checking'), [100])
    harness.simulator.fault('schemaDrift')
    const { items } = await run(session, 'transactions', first.resume)
    const wire = plaidConnector.entities.Transactions?.wire ?? {}
    expect(items.filter((item) => 'wire' in item && !Check(wire, item.wire)).map((item) => item.origId)).toEqual(['drift-wrong-types'])
  })
})

function isPending(wire: unknown): boolean {
  return typeof wire === 'object' && wire !== null && 'pending' in wire && wire.pending === true
}

function toIds(held: Map<string, unknown>): string[] {
  return [...held.keys()].sort()
}

/** Ids of the transactions that the source itself has now. */
function openIds(harness: Harness): string[] {
  const open = harness.simulator.items().flatMap((item) => item.transactions.filter((entry) => entry.removedAt === null))
  return open.map((entry) => entry.id).sort()
}
