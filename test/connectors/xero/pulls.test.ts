import { describe, expect, test } from 'vitest'
import { xeroConnector } from '../../../src/connectors/xero/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { answersOf, failureOf, fetchPages, idsOf, itemsOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { DENTIST, GIANT, openHarness, PHYSIO } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(xeroConnector, 'accounts')

async function open(tenantId: string, options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  const grant = await connect(harness, { businessId: tenantId, login: tenantId === GIANT ? 'load' : 'priya' })
  return { harness, session: sessionOf(harness, grant) }
}

describe('pulling accounts', () => {
  test.each([
    [DENTIST, 93],
    [PHYSIO, 42],
  ])('all accounts of organisation %s are listed, including archived ones', async (tenantId, count) => {
    const { session } = await open(tenantId)
    const items = itemsOf(answersOf(await fetchPages(session, accounts)), accounts)
    expect(items).toHaveLength(count)
    expect(items.filter((item) => 'wire' in item && Object(item.wire).Account.Status === 'ARCHIVED').length).toBeGreaterThan(0)
  })

  test('a chart of 20,000 accounts is read in one answer', async () => {
    const { session } = await open(GIANT)
    expect(new Set(idsOf(itemsOf(answersOf(await fetchPages(session, accounts)), accounts))).size).toBe(20_000)
  })

  test('an empty chart is an empty, complete listing', async () => {
    const { harness, session } = await open(GIANT, { giantAccounts: 0 })
    expect(await accounts.fetch(session, null)).toMatchObject({ next: null, listing: 'complete' })
    expect(harness.exchanges.at(-1)?.response.status).toBe(200)
  })

  test('an edit at the source is in the next listing, as a newer version', async () => {
    const { harness, session } = await open(DENTIST)
    const id = String(harness.simulator.listAccounts(DENTIST)[1]?.AccountID)
    const find = async () => itemsOf(answersOf(await fetchPages(session, accounts)), accounts).find(({ origId }) => origId === id)
    const before = Object(await find())
    harness.simulator.editAccount(DENTIST, id, { Name: 'Renommé', Status: 'ARCHIVED' })
    const after = Object(await find())
    expect(after.wire.Account).toMatchObject({ Name: 'Renommé', Status: 'ARCHIVED' })
    expect(after.version > before.version).toBe(true)
  })

  test('a deleted account is missing from the complete listing', async () => {
    const { harness, session } = await open(DENTIST)
    const id = String(harness.simulator.listAccounts(DENTIST)[1]?.AccountID)
    harness.simulator.removeAccount(DENTIST, id)
    const pages = await fetchPages(session, accounts)
    expect(idsOf(itemsOf(answersOf(pages), accounts))).not.toContain(id)
    expect(pages.map(({ listing }) => listing)).toEqual(['complete'])
  })

  test('no record or stored answer contains data of the organisation besides its currency', async () => {
    const { session } = await open(DENTIST)
    const [page] = await fetchPages(session, accounts)
    expect(new TextDecoder().decode(page?.answers.base)).toBe('{"BaseCurrency":"CAD"}')
  })

  test('the number of a bank account is reduced to its last four digits in the record', async () => {
    const { session } = await open(DENTIST)
    const numbers = itemsOf(answersOf(await fetchPages(session, accounts)), accounts).flatMap((item) =>
      'wire' in item && Object(item.wire).Account.BankAccountNumber !== undefined ? [Object(item.wire).Account.BankAccountNumber] : [],
    )
    expect(numbers.length).toBeGreaterThan(5)
    expect(numbers.filter((number) => !/^••••\d{4}$/.test(number))).toEqual([])
  })
})

describe('faults of a pull', () => {
  const FAULTS = [
    ['throttle', 'rateLimited'],
    ['throttleDay', 'rateLimited'],
    ['throttleConcurrent', 'rateLimited'],
    ['unavailable', 'unavailable'],
    ['offline', 'unavailable'],
    ['internalError', 'unavailable'],
    ['huge', 'unavailable'],
    ['html', 'badData'],
    ['truncated', 'badData'],
    ['empty', 'badData'],
    ['badRequest', 'badData'],
    ['unauthorized', 'reconnect'],
    ['revoked', 'reconnect'],
  ] as const

  test.each(FAULTS)('%s is %s, for journals of an app without their scope', async (fault, kind) => {
    const { harness, session } = await open(DENTIST, { app: { journals: 'no' } })
    harness.simulator.fault(fault)
    expect((await failureOf(pullNamed(xeroConnector, 'journals').fetch(session, null))).kind).toBe(kind)
  })

  test.each([
    ['throttle', 27_000, 'limit: minute'],
    ['throttleDay', 18_000_000, 'limit: day'],
    ['throttleConcurrent', 1000, 'limit: concurrent'],
  ])('%s waits as long as Xero says and names the limit', async (fault, waitMs, words) => {
    const { harness, session } = await open(DENTIST)
    harness.simulator.fault(fault)
    const failure = await failureOf(accounts.fetch(session, null))
    expect([failure.retryAfterMs, failure.message.includes(words)]).toEqual([waitMs, true])
  })

  test('the daily limit is reported as such', async () => {
    const { session } = await open(DENTIST, { callsPerDay: 2 })
    await accounts.fetch(session, null)
    const failure = await failureOf(accounts.fetch(session, null))
    expect([failure.retryAfterMs, failure.message.includes('limit: day')]).toEqual([12 * 3_600_000, true])
  })

  test('a scope that was never granted requires a reconnect, for accounts', async () => {
    const { harness, session } = await open(DENTIST)
    harness.simulator.fault('missingScope')
    const failure = await failureOf(accounts.fetch(session, null))
    expect([failure.kind, failure.message.includes('AuthorizationUnsuccessful')]).toEqual(['reconnect', true])
  })

  test('a failure names the instance that Xero’s support asks for', async () => {
    const { harness, session } = await open(DENTIST)
    harness.simulator.fault('unauthorized')
    expect((await failureOf(accounts.fetch(session, null))).message).toMatch(
      /401 to the organisation \(TokenExpired, instance [0-9a-f-]{36}\)/,
    )
  })

  test('a call without `accept` is answered in XML, which is not a list', async () => {
    const { harness, session } = await open(DENTIST)
    const kit = {
      ...session.kit,
      http: (call: Parameters<typeof session.kit.http>[0]) => harness.kit.http({ ...call, headers: { ...call.headers, accept: '' } }),
    }
    expect((await failureOf(accounts.fetch({ ...session, kit }, null))).kind).toBe('badData')
  })
})
