import { describe, expect, it } from 'vitest'
import type { SourceItem } from '../../../src/connectors/contract/contract.ts'
import { applyItems, failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { completeLink, refresh, startLink } from '../../harness/redirect.ts'
import { everyAccount } from './browser.ts'
import { type BankKey, type Harness, link, run, trackedHarnesses, walk } from './harness.ts'

const ALL: BankKey[] = ['fdx-caisse-du-confluent', 'fdx-ohio-valley', 'akoya', 'flinks-outbound']
const DAY_MS = 86_400_000

const open = trackedHarnesses()

/** Pending transactions among the records that a reader has. */
function pendingIn(held: ReadonlyMap<string, unknown>): string[] {
  return [...held].filter(([, wire]) => /"status":"PENDING"/.test(JSON.stringify(wire))).map(([origId]) => origId)
}

function removedIn(items: readonly SourceItem[]): string[] {
  return items.flatMap((item) => ('removed' in item ? [item.origId] : []))
}

function fieldsOf(harness: Harness, items: readonly SourceItem[], ...names: string[]): unknown[] {
  const { fields } = harness.connector.entities.Accounts.map
  const context = { fetchedAt: new Date('2026-11-20T08:00:00Z'), unmapped: () => {} }
  return items.flatMap((item) => ('wire' in item ? [names.map((name) => fields[name]?.(item.wire, context))] : []))
}

describe('accounts', () => {
  it('are the same for every bank, whatever its version, wrapping, paging and format of rates', async () => {
    const seen = await Promise.all(
      (['fdx-caisse-du-confluent', 'fdx-ohio-valley'] as const).map(async (key) => {
        const harness = await open(key)
        const { items } = await run(harness, sessionOf(harness, await link(harness)), 'accounts')
        const names = [
          'accountStatusSystem',
          'interestRate',
          'actualBalance',
          'principalBalance',
          'totalCreditLine',
          'amountDue',
          'maturityDate',
        ]
        return fieldsOf(harness, items, ...names)
      }),
    )
    expect(seen[0]).toEqual(seen[1])
    expect(seen[0]).toHaveLength(16)
  })

  it('of an aggregator combine its two lists', async () => {
    const harness = await open('akoya')
    const { items } = await run(harness, sessionOf(harness, await link(harness)), 'accounts')
    const [[accountName, actualBalance, providerName] = []] = fieldsOf(
      harness,
      items,
      'accountName',
      'actualBalance',
      'providerName',
    ) as string[][]
    expect([accountName, actualBalance, providerName]).toEqual(['Operations', '18452.33', 'Mikomo Bank'])
  })

  it.each(ALL)('in the hundreds are read page by page: %s', async (key) => {
    const harness = await open(key, { giantAccounts: 130 })
    const { items, pages, listings } = await run(harness, sessionOf(harness, await link(harness, 'giant')), 'accounts')
    expect([new Set(items.map(({ origId }) => origId)).size, pages > 1, listings.every((each) => each === 'complete')]).toEqual([
      130,
      true,
      true,
    ])
  })

  it('are not treated as deleted if the bank says that it returns only a part', async () => {
    const harness = await open('fdx-caisse-du-confluent', { giantAccounts: 130 })
    const session = sessionOf(harness, await link(harness, 'giant'))
    harness.simulator.fault('partial')
    expect((await run(harness, session, 'accounts')).listings).toEqual(['changes', 'changes'])
  })

  it('without details are taken from the list', async () => {
    const harness = await open('fdx-ohio-valley')
    const session = sessionOf(harness, await link(harness))
    harness.simulator.fault('accountClosed')
    const { items } = await run(harness, session, 'accounts')
    expect(fieldsOf(harness, items, 'actualBalance').slice(0, 2)).toEqual([[null], ['50000.5']])
  })
})

describe('requests', () => {
  it('have an id each, and declare that no person is waiting', async () => {
    const harness = await open('fdx-caisse-du-confluent')
    await run(harness, sessionOf(harness, await link(harness)), 'accounts')
    const { requests } = harness.simulator
    const ids = requests.map(({ headers }) => String(headers['x-fapi-interaction-id']))
    expect(new Set(ids).size).toBe(requests.length)
    expect(ids.every((id) => /^[0-9a-f-]{36}$/.test(id))).toBe(true)
    expect(new Set(requests.map(({ headers }) => headers['fdx-api-actor-type']))).toEqual(new Set(['BATCH']))
  })

  it.each([
    ['rateLimit', 'rateLimited'],
    ['unavailable', 'unavailable'],
    ['subsystem', 'unavailable'],
    ['maintenance', 'unavailable'],
    ['customerUnknown', 'reconnect'],
    ['unauthorized', 'reconnect'],
    ['schemaDrift', 'badData'],
    ['truncated', 'badData'],
    ['reset', 'unavailable'],
    ['huge', 'unavailable'],
  ])('that end in %s are %s', async (fault, kind) => {
    const harness = await open('fdx-ohio-valley')
    const session = sessionOf(harness, await link(harness))
    harness.simulator.fault(fault)
    expect((await failureOf(run(harness, session, 'accounts'))).kind).toBe(kind)
  })

  it('that take too long are aborted', async () => {
    const harness = await open('fdx-ohio-valley', { timeoutMs: 400 })
    const session = sessionOf(harness, await link(harness))
    harness.simulator.fault('slow')
    expect((await failureOf(run(harness, session, 'accounts'))).kind).toBe('unavailable')
  })
})

describe('transactions', () => {
  it.each(ALL)('that were pending are booked once, whatever their ids: %s', async (key) => {
    const harness = await open(key)
    const grant = await link(harness)
    const first = await run(harness, sessionOf(harness, grant), 'transactions')
    const held = applyItems(new Map(), first.items)
    const pending = pendingIn(held)
    expect(pending.length).toBeGreaterThan(5)
    harness.moveTime(5 * DAY_MS)
    const session = sessionOf(harness, { ...grant, credentials: await refresh(harness, grant.credentials) })
    const second = await run(harness, session, 'transactions', first.resume)
    expect(removedIn(second.items).sort()).toEqual(pending.sort())
    applyItems(held, second.items)
    const whole = await run(harness, session, 'transactions')
    const idsOf = (items: readonly SourceItem[]) => items.map(({ origId }) => origId).sort()
    expect([...held.keys()].sort()).toEqual(idsOf(whole.items))
  })

  it('are booked once, even while the bank still lists the pending ones beside them', async () => {
    const harness = await open('fdx-caisse-du-confluent')
    const grant = await link(harness)
    const first = await run(harness, sessionOf(harness, grant), 'transactions')
    const held = applyItems(new Map(), first.items)
    const pending = pendingIn(held)
    harness.moveTime(2 * DAY_MS)
    harness.simulator.fault('pendingLingers', 1_000)
    const session = sessionOf(harness, { ...grant, credentials: await refresh(harness, grant.credentials) })
    applyItems(held, (await run(harness, session, 'transactions', first.resume)).items)
    expect(pending.filter((each) => held.has(each))).toEqual([])
  })

  it('that were pending and dropped are removed, booked ones stay', async () => {
    const harness = await open('fdx-ohio-valley')
    const session = sessionOf(harness, await link(harness))
    const first = await run(harness, session, 'transactions')
    const held = applyItems(new Map(), first.items)
    const [gone = ''] = pendingIn(held)
    harness.simulator.removeTransaction('business', gone.split('/')[1] ?? '')
    const second = await run(harness, session, 'transactions', first.resume)
    expect(removedIn(second.items)).toEqual([gone])
    const third = await run(harness, session, 'transactions', second.resume)
    expect(removedIn(third.items)).toEqual([])
  })

  it('are only requested since the last run, with an overlap; a new account is read from its start', async () => {
    const harness = await open('fdx-caisse-du-confluent')
    const { url, memo } = await startLink(harness)
    const [few] = await completeLink(harness, memo, await walk(harness, url, 'business', (page) => everyAccount(page).slice(0, 1)))
    if (!few) throw new Error('no grant')
    const first = await run(harness, sessionOf(harness, few), 'transactions')
    const all = await link(harness)
    const before = harness.simulator.requests.length
    await run(harness, sessionOf(harness, all), 'transactions', first.resume)
    const days = harness.simulator.requests
      .slice(before)
      .filter(({ path }) => path.endsWith('/transactions'))
      .map(({ query }) => (Date.parse(query.endTime ?? '') - Date.parse(query.startTime ?? '')) / DAY_MS)
    expect([days[0], new Set(days.slice(1))]).toEqual([31, new Set([731])])
  })

  it.each(['accountUnknown', 'accountClosed', 'accountLocked', 'noData', 'nothingThere'])(
    'of the other accounts are read if one answers %s, and nothing of that one is removed',
    async (fault) => {
      const harness = await open('fdx-caisse-du-confluent')
      const session = sessionOf(harness, await link(harness))
      const first = await run(harness, session, 'transactions')
      if (fault !== 'nothingThere') harness.simulator.fault(fault)
      const second = await run(harness, session, 'transactions', first.resume)
      expect(removedIn(second.items)).toEqual([])
      const third = await run(harness, session, 'transactions', second.resume)
      expect(removedIn(third.items)).toEqual([])
      const whole = applyItems(new Map(), first.items)
      expect(new Set([...second.items, ...third.items].map(({ origId }) => origId ?? '')).isSubsetOf(new Set(whole.keys()))).toBe(true)
    },
  )

  it('that do not exist are an empty list, not an outage', async () => {
    const harness = await open('fdx-caisse-du-confluent')
    const session = sessionOf(harness, await link(harness))
    harness.simulator.fault('nothingThere', 1_000)
    expect((await run(harness, session, 'transactions')).items).toEqual([])
  })
})
