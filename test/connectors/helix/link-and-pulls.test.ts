import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { helixConnector } from '../../../src/connectors/helix/client.ts'
import { helix } from '../../../src/connectors/helix/index.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, refusalOf, sessionOf, withoutFullNumbers } from '../../harness/connector-calls.ts'
import { refusalOfServer, submit } from '../../harness/form.ts'
import { docsOf, openStrictKit, pagesOf, readPull } from '../core-bank/reading.ts'
import { CANARY, openHarness, READ_ONLY } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const newStrictKit = closedAfterEach(openStrictKit)
const BANK = { description: helix, connector: helixConnector }

async function connected(customerId = '1021', options: Parameters<typeof openHarness>[0] = {}) {
  const at = await newHarness(options)
  return { at, session: sessionOf(at, await submit(at, { customerId })) }
}

describe('connecting', () => {
  test('returns a grant for the customer', async () => {
    expect(await submit(await newHarness())).toEqual({
      credentials: { secret: expect.objectContaining({ customerId: '1021' }), expiresAt: null },
      entity: { id: '1021/2024-03-04T15:18:40.117-05:00', name: 'Lakefront Bakery LLC' },
    })
  })

  test('asks for the key of the person who connects, never for the operator’s', () => {
    expect(helix.appKeys).toEqual([])
    expect(helixConnector.authorize.step === 'form' && helixConnector.authorize.fields.map(({ name }) => name)).toEqual([
      'address',
      'apiKey',
      'secret',
      'customerId',
    ])
  })
})

describe('the form reports', () => {
  test.each<[string, Record<string, string>, string]>([
    ['a wrong secret', { secret: 'sandbox-secret-guessed' }, 'secret'],
    ['a key that is bound to other addresses', { apiKey: 'sandbox-key-elsewhere', secret: 'sandbox-secret-elsewhere' }, 'secret'],
    ['an unknown customer', { customerId: '77' }, 'customerId'],
    ['a customer that is no number', { customerId: '1021/5001' }, 'customerId'],
    ['an empty address', { address: '' }, 'address'],
  ])('%s, and reveals no secret', async (_case, typed, field) => {
    const refusal = await refusalOf(submit(await newHarness(), typed))
    expect(refusal.field).toBe(field)
    expect(inspect(refusal, { depth: 10 })).not.toMatch(CANARY)
  })

  test.each<[number, string]>([
    [200, '<!doctype html>'],
    [200, '{"ok":true}'],
    [404, 'nothing'],
    [503, 'later'],
  ])('the address for an answer of %i: %s', async (status, body) => {
    expect(await refusalOfServer(await newHarness(), status, body)).toMatchObject({ field: 'address' })
  })

  test('a private address', async () => {
    const strict = await newStrictKit()
    expect(await refusalOf(submit({ ...(await newHarness()), kit: strict.kit, url: 'https://172.16.0.9' }, READ_ONLY))).toMatchObject({
      field: 'address',
    })
  })
})

describe('accounts', () => {
  test('of every kind and state are listed', async () => {
    const { session } = await connected()
    const docs = docsOf(await readPull(BANK, session, 'accounts'))
    expect(Object.entries(docs).map(([id, doc]) => [id, doc.subTypeSystem, doc.accountStatusSystem, doc.actualBalance])).toEqual([
      ['5001', 'Checking', 'ACTIVE', 18402.55],
      ['5002', 'Savings', 'ACTIVE', 9000],
      ['5003', 'PrepaidDebitCard', 'ACTIVE', 412.08],
      ['5004', 'Checking', 'CLOSED', 0],
      ['5005', 'Checking', 'ACTIVE', -41.2],
    ])
  })

  test('never contain a full number, not even in a record that the mapping reads', async () => {
    const { session } = await connected()
    const pages = await pagesOf(BANK, session, 'accounts')
    const items = pages.flatMap(({ pull, page }) => [...pull.read(page.answers)])
    expect(JSON.stringify(withoutFullNumbers(items))).not.toMatch(/41020000\d{4}|091000019/)
    expect(items).toHaveLength(5)
  })

  test('with unknown enum values and broken shapes do not affect the others', async () => {
    const { at, session } = await connected()
    at.simulator.fault('schemaDrift')
    const outcome = await readPull(BANK, session, 'accounts')
    expect(outcome.unmapped.map(({ word }) => word).sort()).toEqual(['Crypto', 'Frozen'])
    expect([outcome.setAside.length, outcome.delivered.size]).toEqual([1, 4])
  })

  test.each([
    ['errorWith200', 'badData'],
    ['wrongCustomer', 'reconnect'],
    ['forbidden', 'reconnect'],
    ['throttle', 'rateLimited'],
    ['outage', 'unavailable'],
  ])('at %s fail as %s, without text from Helix', async (fault, kind) => {
    const { at, session } = await connected()
    at.simulator.fault(fault)
    const failure = await failureOf(pagesOf(BANK, session, 'accounts'))
    expect(failure.kind).toBe(kind)
    expect(inspect(failure, { depth: 10 })).not.toMatch(/could not be processed|not allowed\./)
  })
})

test('an error beside an empty list is never treated as an empty list', async () => {
  const { at, session } = await connected()
  const http: typeof at.kit.http = async (request) => {
    if (request.url.includes('/account/list/')) at.simulator.fault('errorWith200')
    return await at.kit.http(request)
  }
  const failure = await failureOf(pagesOf(BANK, { ...session, kit: { ...at.kit, http } }, 'accounts'))
  expect(failure).toMatchObject({ kind: 'badData', message: expect.stringContaining('50122') })
})

describe('transactions', () => {
  test('use one sign convention; voided ones are omitted, the newest is pending', async () => {
    const { session } = await connected()
    const docs = docsOf(await readPull(BANK, session, 'transactions'))
    expect(docs['5001000001']).toMatchObject({ accountOrigId: '5001', amount: 91.69, isPending: false })
    expect(docs['5001000003']).toMatchObject({ amount: -250.07, category: 'XTW' })
    expect(docs['5001000031']).toBeUndefined()
    expect(docs['5001000070']).toMatchObject({ isPending: true, postedOn: null })
  })

  test('that were pending and settle keep their id', async () => {
    const { at, session } = await connected()
    at.simulator.state.statuses['5001000070'] = 'Settled'
    const outcome = await readPull(BANK, session, 'transactions')
    expect(docsOf(outcome)['5001000070']).toMatchObject({ isPending: false, postedOn: expect.stringMatching(/^2026-/) })
    expect(outcome.delivered.size).toBe(70 + 9 + 14 + 5 + 3 - 2)
  })

  test('of a large account are paged without a gap', async () => {
    const { at, session } = await connected('1999')
    const outcome = await readPull(BANK, session, 'transactions')
    expect(outcome.delivered.size).toBe(1400 - Math.floor(1400 / 31))
    const asked = at.simulator.listRequests().filter(({ path }) => path.startsWith('/transaction/list/'))
    expect(asked.map(({ query }) => new URLSearchParams(query).get('pageNumber'))).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
  })

  test('that repeat a page end the run with bad data', async () => {
    const { at, session } = await connected('1999')
    at.simulator.fault('repeatPage', 100)
    expect(await failureOf(pagesOf(BANK, session, 'transactions'))).toMatchObject({ kind: 'badData' })
  })
})
