import { describe, expect, test } from 'vitest'
import { simplefinConnector } from '../../../src/connectors/simplefin/client.ts'
import { simplefin } from '../../../src/connectors/simplefin/index.ts'
import { normalize, resumeOf } from '../../conformance/run.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { sessionOf } from '../../harness/connector-calls.ts'
import { docsOf, pagesOf, readPull } from '../core-bank/reading.ts'
import { connect, type Harness, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const BANK = { description: simplefin, connector: simplefinConnector }
const DAY_MS = 86_400_000
const CHEQUING = 'caisse-du-lac.example/ACT-1'

async function connected(user = 'cafe') {
  const harness = await newHarness()
  return { harness, session: sessionOf(harness, await connect(harness, user)) }
}

function chequing(harness: Harness) {
  const account = harness.simulator.state.users.cafe?.[0]
  if (!account) throw new Error('no account')
  return account
}

describe('accounts', () => {
  test('with equal ids at two banks are two; amounts owed are positive', async () => {
    const { session } = await connected()
    const docs = docsOf(await readPull(BANK, session, 'accounts'))
    expect(
      Object.entries(docs).map(([id, { subTypeSystem, actualBalance, currency }]) => [id, subTypeSystem, actualBalance, currency]),
    ).toEqual([
      ['caisse-du-lac.example/ACT-1', 'Checking', 18402.55, 'CAD'],
      ['caisse-du-lac.example/ACT-2', 'BusinessCard', 2310.45, 'CAD'],
      ['caisse-du-lac.example/ACT-3', 'LineOfCredit', 12000, 'CAD'],
      ['caisse-du-lac.example/ACT-4', 'Mortgage', 248000.1, 'CAD'],
      ['caisse-du-lac.example/ACT-5', 'Cd', 10000, 'CAD'],
      ['caisse-du-lac.example/ACT-6', 'RegisteredPlan', 4200, 'CAD'],
      ['firstharbor.example/ACT-1', 'Checking', -35.19, 'USD'],
      ['firstharbor.example/ACT-9', 'Unknown', -410, 'USD'],
      ['firstharbor.example/ACT-10', 'Unknown', 80, 'USD'],
      ['boreal-air.example/ACT-20', 'RewardPoints', 48210, ''],
    ])
  })

  test('of a bank that does not answer are missing, and no listing is called complete', async () => {
    const { harness, session } = await connected()
    harness.simulator.fault('bankDown')
    const [page] = await pagesOf(BANK, session, 'accounts')
    expect(page?.page.listing).toBe('changes')
    expect(page && normalize(BANK, [page]).delivered.size).toBe(7)
  })
})

describe('transactions', () => {
  test('are read in windows that the Bridge does not truncate, a year back, with the pending ones of each', async () => {
    const { harness, session } = await connected()
    const pages = await pagesOf(BANK, session, 'transactions')
    const queries = harness.simulator
      .listRequests()
      .flatMap(({ query }) => (query.includes('start-date') ? [new URLSearchParams(query)] : []))
    const days = queries.map(
      (query) => (Number(query.get('end-date') ?? session.kit.now().getTime() / 1000) - Number(query.get('start-date'))) / 86_400,
    )
    expect(days).toEqual([89, 89, 89, 89])
    expect(queries.map((query) => query.get('pending'))).toEqual(['1', '1', '1', '1'])
    const outcome = normalize(BANK, pages)
    expect([...outcome.delivered.keys()].filter((key) => key.includes(CHEQUING)).length).toBeGreaterThan(240)
  })

  test('of a sync take two of the 24 daily requests, of a first sync five', async () => {
    const { harness, session } = await connected()
    const count = () => harness.simulator.listRequests().filter(({ path }) => path === '/simplefin/accounts').length
    const before = count()
    await pagesOf(BANK, session, 'accounts')
    const first = await pagesOf(BANK, session, 'transactions')
    expect(count() - before).toBe(5)
    await pagesOf(BANK, session, 'accounts')
    await pagesOf(BANK, session, 'transactions', resumeOf(first))
    expect(count() - before).toBe(7)
  })

  test('that were pending and are booked under another id are not duplicated', async () => {
    const { harness, session } = await connected()
    const first = await pagesOf(BANK, session, 'transactions')
    expect(docsOf(normalize(BANK, first))[`${CHEQUING}/PND-1`]).toMatchObject({ isPending: true, postedOn: null, amount: -61.2 })
    chequing(harness).pending['PND-1'] = { amount: '-61.20', description: 'TORRÉFACTEUR DU LAC', bookedAs: 'TRN-X' }
    harness.moveTime(DAY_MS)
    const second = await pagesOf(BANK, session, 'transactions', resumeOf(first))
    const docs = docsOf(normalize(BANK, [...first, ...second]))
    expect(docs[`${CHEQUING}/PND-1`]).toBeUndefined()
    expect(docs[`${CHEQUING}/TRN-X`]).toMatchObject({ isPending: false, amount: -61.2 })
  })

  test('that the bank removes within ten days become tombstones, once', async () => {
    const { harness, session } = await connected()
    const first = await pagesOf(BANK, session, 'transactions')
    const newest = [...normalize(BANK, first).delivered.values()]
      .filter(({ origId, doc }) => origId.startsWith(`${CHEQUING}/TRN`) && String(doc.postedOn) < '2026-06-29')
      .sort((a, b) => (String(a.doc.postedOn) < String(b.doc.postedOn) ? 1 : -1))[0]
    const id = newest?.origId.replace(`${CHEQUING}/`, '') ?? ''
    chequing(harness).dropped.push(id)
    const second = await pagesOf(BANK, session, 'transactions', resumeOf(first))
    expect(normalize(BANK, second).removed).toBe(1)
    expect(docsOf(normalize(BANK, [...first, ...second]))[`${CHEQUING}/${id}`]).toBeUndefined()
    const third = await pagesOf(BANK, session, 'transactions', resumeOf(second))
    expect(normalize(BANK, third).removed).toBe(0)
  })

  test('of a bank that does not answer are not treated as deleted, however long it takes, and are recognized when it answers again', async () => {
    const { harness, session } = await connected()
    const first = await pagesOf(BANK, session, 'transactions')
    harness.simulator.fault('bankDown')
    harness.moveTime(8 * DAY_MS)
    const second = await pagesOf(BANK, session, 'transactions', resumeOf(first))
    expect(normalize(BANK, second).removed).toBe(0)
    chequing(harness).pending = {}
    harness.moveTime(8 * DAY_MS)
    const third = await pagesOf(BANK, session, 'transactions', resumeOf(second))
    expect(third.flatMap(({ pull, page }) => [...pull.read(page.answers)]).filter((item) => 'removed' in item)).toEqual([
      { entity: 'Transactions', origId: `${CHEQUING}/PND-1`, removed: true },
    ])
  })
})
