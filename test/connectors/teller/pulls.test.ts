import { describe, expect, test } from 'vitest'
import type { Grant } from '../../../src/connectors/contract/contract.ts'
import { tellerConnector } from '../../../src/connectors/teller/client.ts'
import { teller } from '../../../src/connectors/teller/index.ts'
import { type FetchedPage, normalize, resumeOf, runPull } from '../../conformance/run.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { type Harness, link, openHarness } from './harness.ts'

const DAY_MS = 86_400_000
const source = { description: teller, connector: tellerConnector }
const newHarness = closedAfterEach(openHarness)

async function open(institutionId?: string): Promise<{ harness: Harness; grant: Grant }> {
  const harness = await newHarness({ institutionCount: 5, giant: { accounts: 45, perDay: 12 } })
  return { harness, grant: await link(harness, institutionId === undefined ? {} : { institutionId }) }
}

const run = (harness: Harness, grant: Grant, name: string, from: FetchedPage[] = []) => {
  return runPull(sessionOf(harness, grant), pullNamed(tellerConnector, name), resumeOf(from))
}

function transactionsOf(pages: readonly FetchedPage[]): Map<string, Record<string, unknown>> {
  return new Map([...normalize(source, pages).delivered.values()].map(({ origId, doc }) => [origId, doc]))
}

describe('accounts', () => {
  test('closed ones are listed, and their balances are not requested', async () => {
    const { harness, grant } = await open()
    const { delivered } = normalize(source, await run(harness, grant, 'accounts'))
    expect(delivered.size).toBe(10)
    const closed = harness.simulator.enrollments()[0]?.accounts.find(({ status }) => status === 'closed')
    expect(harness.simulator.listRequests().some(({ path }) => path === `/accounts/${closed?.id}/balances`)).toBe(false)
  })

  test('one that is closed between the listing and its balances is delivered without them', async () => {
    const { harness, grant } = await open()
    harness.simulator.fault('accountClosed')
    const { delivered, setAside } = normalize(source, await run(harness, grant, 'accounts'))
    expect([delivered.size, setAside]).toEqual([10, []])
  })

  test('full numbers are requested only if the listing has no last digits, and are stored only in the raw answer', async () => {
    const { harness, grant } = await open()
    const pages = await run(harness, grant, 'accounts')
    expect(harness.simulator.listRequests().filter(({ path }) => path.endsWith('/details'))).toHaveLength(1)
    const { delivered } = normalize(source, pages)
    const numbers = harness.simulator.enrollments()[0]?.accounts.map(({ number }) => number) ?? []
    const shown = JSON.stringify([...delivered.values()])
    expect(numbers.filter((number) => shown.includes(number))).toEqual([])
  })

  test('many are read in pages, and one that disappears between them shifts no other', async () => {
    const { harness, grant } = await open('giant_holdings_bank')
    const pull = pullNamed(tellerConnector, 'accounts')
    const first = await pull.fetch(sessionOf(harness, grant), null)
    harness.simulator.state.enrollments[0]?.accounts.sort((a, b) => (a.id < b.id ? -1 : 1)).shift()
    const others = await runPull(sessionOf(harness, grant), pull, first.next)
    const ids = [first, ...others.map(({ page }) => page)].flatMap(({ answers }) => [...pull.read(answers)].map(({ origId }) => origId))
    expect([new Set(ids).size, ids.length]).toEqual([45, 45])
  })
})

describe('transactions', () => {
  test('a pending transaction that is booked under another id does not stay beside it', async () => {
    const { harness, grant } = await open()
    const before = await run(harness, grant, 'transactions')
    const pending = [...transactionsOf(before)].filter(([, doc]) => doc.isPending).map(([id]) => id)
    expect(pending.length).toBeGreaterThan(0)
    harness.moveTime(3 * DAY_MS)
    const after = await run(harness, grant, 'transactions', before)
    const known = transactionsOf([...before, ...after])
    expect(pending.filter((id) => known.has(id))).toEqual([])
    expect(pending.filter((id) => !known.has(id.replace(/p$/, '')))).toEqual([])
    const fresh = transactionsOf(await run(harness, grant, 'transactions'))
    expect([...known.keys()].sort()).toEqual([...fresh.keys()].sort())
  })

  test('one that the bank removes is removed', async () => {
    const { harness, grant } = await open()
    const before = await run(harness, grant, 'transactions')
    const [victim = ''] = [...transactionsOf(before)].filter(([, doc]) => !doc.isPending).map(([id]) => id)
    harness.simulator.removeMovement(victim)
    const after = await run(harness, grant, 'transactions', before)
    expect([transactionsOf(before).has(victim), transactionsOf([...before, ...after]).has(victim)]).toEqual([true, false])
  })

  test('a second run requests the last days only', async () => {
    const { harness, grant } = await open()
    const before = await run(harness, grant, 'transactions')
    const asked = harness.simulator.listRequests().length
    const after = await run(harness, grant, 'transactions', before)
    const since = harness.simulator
      .listRequests()
      .slice(asked)
      .flatMap(({ query }) => new URLSearchParams(query).get('start_date') ?? [])
    expect(new Set(since.filter((day) => day > '1970-01-01'))).toEqual(new Set(['2026-11-06']))
    expect(normalize(source, after).delivered.size).toBeLessThan(normalize(source, before).delivered.size)
  })

  test('a long history is read page by page to its first day', async () => {
    const { harness, grant } = await open('giant_holdings_bank')
    const pages = await run(harness, grant, 'transactions')
    expect(normalize(source, pages).delivered.size).toBe(3 * 12 * 101)
  })

  test('an account closed in the meantime stops nothing and removes nothing', async () => {
    const { harness, grant } = await open()
    const before = await run(harness, grant, 'transactions')
    harness.simulator.fault('accountClosed')
    const after = await run(harness, grant, 'transactions', before)
    const third = await run(harness, grant, 'transactions', after)
    expect(normalize(source, [...after, ...third]).removed).toBe(0)
  })
})

describe('a failure', () => {
  test.each([
    ['throttle', 'rateLimited', false],
    ['outage', 'unavailable', false],
    ['badGateway', 'unavailable', false],
    ['revoked', 'reconnect', false],
    ['loginRequired', 'reconnect', false],
    ['forbidden', 'reconnect', false],
    ['html', 'badData', false],
    ['truncated', 'badData', false],
    ['empty', 'badData', false],
    ['missingCertificate', 'unavailable', true],
  ])('%s is reported as %s', async (fault, kind, isClientRefused) => {
    const { harness, grant } = await open()
    harness.simulator.fault(fault)
    const failure = await failureOf(pullNamed(tellerConnector, 'accounts').fetch(sessionOf(harness, grant), null))
    expect([failure.kind, failure.isClientRefused]).toEqual([kind, isClientRefused])
  })
})
