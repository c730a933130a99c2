import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { freeagentConnector } from '../../../src/connectors/freeagent/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, listItems, listPages, mapperOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(freeagentConnector, 'accounts')
const mapItem = mapperOf(freeagentConnector)
const transactions = pullNamed(freeagentConnector, 'transactions')
const isAccount = Compile(freeagentConnector.entities.Accounts.wire)
const isPosting = Compile(freeagentConnector.entities.Transactions?.wire ?? {})

async function open(login: string, options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness({ callsPerMinute: 10_000, ...options })
  return { harness, session: sessionOf(harness, await connect(harness, { login })) }
}

function idsOf(items: { origId: string | null }[]): Set<string | null> {
  return new Set(items.map(({ origId }) => origId))
}

describe('pulling accounts', () => {
  test.each([
    ['fiona', 62, 1],
    ['benoit', 53, 1],
    ['owen', 48, 0],
  ])(
    'all categories and sub-accounts of %s’s company are listed, including those of hidden bank accounts',
    async (login, count, hidden) => {
      const { session } = await open(login)
      const items = await listItems(session, accounts)
      expect([items.length, idsOf(items).size]).toEqual([count, count])
      expect(items.filter((item) => Object(item).wire.bankAccount?.status === 'hidden')).toHaveLength(hidden)
    },
  )

  test('only unknown enum values are reported', async () => {
    const { session } = await open('fiona')
    const unmapped = (await listItems(session, accounts)).flatMap((item) => mapItem(item).unmapped)
    expect(unmapped.sort()).toEqual(['subTypeSystem=CryptoWallet', 'typeSystem=830'])
  })

  test('a chart of 20,000 accounts is read in one answer', async () => {
    const { session } = await open('load')
    expect(idsOf(await listItems(session, accounts)).size).toBe(20_000)
  })

  test('a list with schema drift keeps every record that can be kept', async () => {
    const { harness, session } = await open('fiona')
    harness.simulator.fault('schemaDrift')
    const items = (await listItems(session, accounts)).filter(
      (item) => !('wire' in item) || Object(item.wire).group === 'income_categories',
    )
    const verdicts = items.map((item) => ('wire' in item ? isAccount.Check(item.wire) : 'unreadable'))
    expect(verdicts).toEqual([true, false, true, true])
  })

  test('edits, additions and deletions at the source are in the next listing', async () => {
    const { harness, session } = await open('fiona')
    harness.simulator.editCategory(71_001, '001', { description: 'Renommé' })
    harness.simulator.editBankAccount(71_001, '65345', { status: 'hidden' })
    harness.simulator.addCategory(71_001, 'income', '044', 'New')
    harness.simulator.removeCategory(71_001, '002')
    const items = await listItems(session, accounts)
    const find = (id: string) => Object(items.find(({ origId }) => origId === id)).wire
    expect([find('001').category.description, find('750-65345').bankAccount.status, find('044').category.description, find('002')]).toEqual(
      ['Renommé', 'hidden', 'New', undefined],
    )
  })
})

describe('pulling transactions', () => {
  test('every posting of every year is listed and balances; an unbalanced entry is set aside', async () => {
    const { session } = await open('fiona')
    const items = await listItems(session, transactions)
    const faulty = items.filter((item) => 'unreadable' in item)
    expect(items.length - faulty.length).toBe(40 * 13)
    expect(faulty).toEqual([{ entity: 'Transactions', origId: 'invoices/201@2026-06-30', unreadable: expect.stringContaining('differ') }])
    expect(items.filter((item) => 'wire' in item && !isPosting.Check(item.wire))).toEqual([])
  })

  test('no window spans two accounting years, and none is missing', async () => {
    const { harness, session } = await open('owen')
    await listPages(session, transactions)
    const asked = harness.simulator.listRequests().filter(({ path }) => path.endsWith('/transactions'))
    const windows = asked.map(({ query }) => new URLSearchParams(query)).map((query) => `${query.get('from_date')}/${query.get('to_date')}`)
    expect(windows).toEqual([
      '2024-04-06/2025-03-31',
      '2025-04-01/2025-04-05',
      '2025-04-06/2026-03-31',
      '2026-04-01/2026-04-05',
      '2026-04-06/2027-03-31',
      '2027-04-01/2027-04-05',
    ])
  })

  test('a year of many transactions is read by month, over all pages', async () => {
    const { session } = await open('load', { giantAccounts: 10 })
    const items = await listItems(session, transactions)
    expect(idsOf(items.filter((item) => 'wire' in item)).size).toBe(4500)
  })

  test('a transaction deleted at the source leaves its entry unbalanced: set aside, never half delivered', async () => {
    const { harness, session } = await open('benoit')
    harness.simulator.removeTransaction(71_002, '1')
    const items = await listItems(session, transactions)
    expect(items.filter((item) => 'unreadable' in item).map(({ origId }) => origId)).toEqual([
      'invoices/1@2025-01-31',
      'invoices/19@2026-06-30',
    ])
  })
})

describe('faults of a pull', () => {
  test('categories without one of their groups are bad data', async () => {
    const { harness, session } = await open('fiona')
    harness.simulator.fault('missingGroup')
    expect((await failureOf(accounts.fetch(session, null))).kind).toBe('badData')
  })

  test('a cursor of another connector is bad data', async () => {
    const { session } = await open('fiona')
    expect((await failureOf(transactions.fetch(session, { position: 1 }))).kind).toBe('badData')
  })
})
