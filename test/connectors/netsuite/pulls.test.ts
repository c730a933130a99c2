import { describe, expect, test } from 'vitest'
import { netsuiteConnector } from '../../../src/connectors/netsuite/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, idsOf, pullNamed, runPull, sessionOf } from '../../harness/connector-calls.ts'
import { connect, type OwnerAnswer } from '../../harness/redirect.ts'
import { CASCADE, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(netsuiteConnector, 'accounts')
const transactions = pullNamed(netsuiteConnector, 'transactions')
const ROLES: Readonly<Record<string, OwnerAnswer>> = {
  cascade: { login: 'harper', role: '7654321/reader' },
  rideau: { login: 'noor', role: '2468013/controller' },
  lists: { login: 'mira', role: '7654321/lists' },
  giant: { login: 'load', role: '9999999/reader' },
}

async function open(role = 'cascade', options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  return { harness, session: sessionOf(harness, await connect(harness, ROLES[role])) }
}

describe('pulling accounts', () => {
  test.each([
    ['cascade', 85],
    ['rideau', 49],
    ['lists', 85],
  ])('all accounts of %s are listed, including inactive and summary accounts', async (role, count) => {
    const { session } = await open(role)
    const items = (await runPull(session, accounts)).items
    const rows = items.map((item) => ('wire' in item ? Object(item.wire).account : {}))
    expect(items).toHaveLength(count)
    expect(rows.filter(({ isinactive }) => isinactive === 'T')).not.toEqual([])
    expect(rows.filter(({ issummary }) => issummary === 'T')).not.toEqual([])
  })

  test.each([
    ['cascade', '1050', 'EUR'],
    ['cascade', '1070', null],
    ['giant', '000001', 'USD'],
    ['rideau', '1010', null],
  ])('in %s the currency of account %s is %s', async (role, number, currency) => {
    const { session } = await open(role, { giantAccounts: 10 })
    const wires = (await runPull(session, accounts)).items.map((item) => ('wire' in item ? Object(item.wire) : {}))
    expect(wires.find(({ account }) => account.acctnumber === number)?.currency).toBe(currency)
  })

  test.each([999, 1000, 1001, 2500])('%i accounts are listed over all pages without a gap', async (count) => {
    const { session } = await open('giant', { giantAccounts: count })
    const run = await runPull(session, accounts)
    expect(run.pages).toHaveLength(Math.ceil(count / 1000))
    expect(new Set(idsOf(run.items)).size).toBe(count)
  })

  test('a chart of 20,000 accounts is listed completely', async () => {
    const { session } = await open('giant', { giantAccounts: 20_000 })
    expect(new Set(idsOf((await runPull(session, accounts)).items)).size).toBe(20_000)
  })

  test('an empty chart is an empty, complete listing', async () => {
    const { session } = await open()
    const body = Buffer.from('{"links":[],"count":0,"hasMore":false,"items":[],"offset":0,"totalResults":0}')
    const run = await runPull({ ...session, kit: { ...session.kit, http: async () => ({ status: 200, headers: {}, body }) } }, accounts)
    expect([run.items, run.last.listing]).toEqual([[], 'complete'])
  })

  test.each([accounts, transactions])('a source that repeats itself endlessly is bad data', async (pull) => {
    const { harness, session } = await open('giant', { giantAccounts: 2500 })
    const lines = Array.from({ length: 1500 }, () => ({ accountNumber: '000001', debitCents: 1 }))
    harness.simulator.post('9999999', { number: 'OPENING' }, [...lines, { accountNumber: '000002', creditCents: 1500 }])
    harness.simulator.fault('repeatPage', 100)
    expect((await failureOf(runPull(session, pull))).kind).toBe('badData')
  })

  test('an edit at the source is in the next listing, a deleted account is not', async () => {
    const { harness, session } = await open()
    const before = (await runPull(session, accounts)).items
    const edited = harness.simulator.editAccount(CASCADE, '1070', { accountsearchdisplaynamecopy: 'Renommé', isinactive: 'T' })
    harness.simulator.removeAccount(CASCADE, '6990')
    const after = (await runPull(session, accounts)).items
    expect(after).toHaveLength(before.length - 1)
    expect(after.find(({ origId }) => origId === edited.id)).toMatchObject({
      wire: { account: { accountsearchdisplaynamecopy: 'Renommé', isinactive: 'T' } },
    })
  })
})

describe('faults of a pull', () => {
  test.each([
    ['html', 'badData'],
    ['truncated', 'badData'],
    ['empty', 'badData'],
    ['unavailable', 'unavailable'],
  ])('%s on a later page is %s and never an end of the list', async (fault, kind) => {
    const { harness, session } = await open('giant', { giantAccounts: 2500 })
    const arm = () => harness.simulator.fault(fault, 100)
    expect((await failureOf(runPull(session, accounts, null, arm))).kind).toBe(kind)
  })

  test('a role that loses access to the chart requires a reconnect', async () => {
    const { harness, session } = await open('cascade')
    const body = Buffer.from(
      '{"status":400,"o:errorDetails":[{"detail":"Search error occurred: Record \'account\' was not found.","o:errorCode":"INVALID_PARAMETER"}]}',
    )
    const page = await accounts.fetch(session, null)
    const kit = { ...harness.kit, http: async () => ({ status: 400, headers: {}, body }) }
    expect(page.next).toBeNull()
    expect((await failureOf(accounts.fetch({ ...session, kit }, null))).kind).toBe('reconnect')
  })

  test('a failure names NetSuite’s code', async () => {
    const { harness, session } = await open()
    harness.simulator.fault('forbidden')
    expect((await failureOf(accounts.fetch(session, null))).message).toBe(
      'NetSuite answered 403 to the query for currencies (INSUFFICIENT_PERMISSION)',
    )
  })
})
