import { describe, expect, test } from 'vitest'
import type { Grant } from '../../../src/connectors/contract/contract.ts'
import { stripeConnector } from '../../../src/connectors/stripe/client.ts'
import { stripe } from '../../../src/connectors/stripe/index.ts'
import { type FetchedPage, normalize, resumeOf, runPull } from '../../conformance/run.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { type Harness, link, openHarness } from './harness.ts'

const DAY_MS = 86_400_000
const source = { description: stripe, connector: stripeConnector }
const newHarness = closedAfterEach(openHarness)

async function open(options: Parameters<typeof link>[1] = {}): Promise<{ harness: Harness; grant: Grant }> {
  const harness = await newHarness()
  return { harness, grant: await link(harness, options) }
}

const run = (harness: Harness, grant: Grant, name: string, from: FetchedPage[] = []) => {
  return runPull(sessionOf(harness, grant), pullNamed(stripeConnector, name), resumeOf(from))
}
const keepFresh = (harness: Harness, grant: Grant) =>
  stripeConnector.subscribe?.(sessionOf(harness, grant), 'http://127.0.0.1:1/hooks/stripe')

function documentsOf(pages: readonly FetchedPage[]): Map<string, Record<string, unknown>> {
  return new Map([...normalize(source, pages).delivered.values()].map(({ origId, doc }) => [origId, doc]))
}

describe('accounts', () => {
  test('inactive ones are delivered beside active ones', async () => {
    const { harness, grant } = await open()
    harness.simulator.editAccount(harness.simulator.accounts()[0]?.id ?? '', { status: 'inactive' })
    const statuses = [...documentsOf(await run(harness, grant, 'accounts')).values()].map((doc) => doc.accountStatusSystem)
    expect([statuses.length, statuses.filter((status) => status === 'INACTIVE').length]).toEqual([11, 1])
  })

  test('with the last active one on an early page do not require a reconnect', async () => {
    const { harness, grant } = await open({ bank: 'Giant Holdings Bank' })
    // Newest first.
    for (const { id } of harness.simulator.accounts().slice(0, -1)) harness.simulator.editAccount(id, { status: 'inactive' })
    expect(documentsOf(await run(harness, grant, 'accounts')).size).toBe(150)
  })
})

describe('transactions', () => {
  test('a pending one becomes posted under its id, and a voided one is removed', async () => {
    const { harness, grant } = await open()
    await keepFresh(harness, grant)
    const before = await run(harness, grant, 'transactions')
    const pending = [...documentsOf(before)].filter(([, doc]) => doc.isPending).map(([id]) => id)
    expect(pending.length).toBeGreaterThan(3)
    harness.moveTime(20 * DAY_MS)
    const after = await run(harness, grant, 'transactions', before)
    const known = documentsOf([...before, ...after])
    expect(pending.filter((id) => known.get(id)?.isPending)).toEqual([])
    expect([...known.keys()].sort()).toEqual([...documentsOf(await run(harness, grant, 'transactions')).keys()].sort())
    const shown = after.flatMap(({ page }) => [...pullNamed(stripeConnector, 'transactions').read(page.answers)])
    expect(shown.filter((item) => 'removed' in item).length).toBeGreaterThan(0)
  })

  test('a second run requests only changes since the last seen refresh, and nothing if there was none', async () => {
    const { harness, grant } = await open()
    await keepFresh(harness, grant)
    const before = await run(harness, grant, 'transactions')
    const calls = () => harness.simulator.listRequests().filter(({ path }) => path.endsWith('/transactions'))
    const first = calls().length
    const second = await run(harness, grant, 'transactions', before)
    expect(calls().length).toBe(first)
    harness.moveTime(DAY_MS)
    const third = await run(harness, grant, 'transactions', second)
    expect(
      calls()
        .slice(first)
        .every(({ query }) => query.includes('transaction_refresh%5Bafter%5D=')),
    ).toBe(true)
    expect(documentsOf(third).size).toBeLessThan(documentsOf(before).size / 2)
  })

  test('a list that loses its position in the middle starts over and misses nothing', async () => {
    const { harness, grant } = await open({ bank: 'Giant Holdings Bank' })
    const whole = documentsOf(await run(harness, grant, 'transactions'))
    const { answers: _first, next } = await pullNamed(stripeConnector, 'transactions').fetch(sessionOf(harness, grant), null)
    harness.simulator.fault('placeGone')
    const rest = await runPull(sessionOf(harness, grant), pullNamed(stripeConnector, 'transactions'), next)
    expect(documentsOf(rest).size).toBe(whole.size)
  })
})

describe('refreshing', () => {
  test('subscribes each account once, and requests a balance only if the last one is old', async () => {
    const { harness, grant } = await open()
    const posts = () =>
      harness.simulator
        .listRequests()
        .filter(({ method, path }) => method === 'POST' && /\/(subscribe|refresh)$/.test(path))
        .map(({ path }) => path.replace(/.*\//, ''))
    await keepFresh(harness, grant)
    expect(posts()).toEqual(Array.from({ length: 11 }, () => 'subscribe'))
    await keepFresh(harness, grant)
    expect(posts()).toHaveLength(11)
    harness.moveTime(DAY_MS)
    await keepFresh(harness, grant)
    expect(posts().slice(11)).toEqual(Array.from({ length: 11 }, () => 'refresh'))
    await keepFresh(harness, grant)
    expect(posts()).toHaveLength(22)
  })

  test('continues past an account that became inactive', async () => {
    const { harness, grant } = await open()
    harness.simulator.fault('accountInactive')
    await keepFresh(harness, grant)
    expect(harness.simulator.accounts().filter(({ subscriptions }) => subscriptions.length > 0)).toHaveLength(10)
  })
})
