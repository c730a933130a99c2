import { describe, expect, test } from 'vitest'
import { quickbooksConnector } from '../../../src/connectors/quickbooks/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, idsOf, itemsOf, listPages, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { BAKERY, BUILDER, GIANT, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(quickbooksConnector, 'accounts')
const entries = pullNamed(quickbooksConnector, 'journalEntries')

async function open(realmId: string, options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  const grant = await connect(harness, { realmId, login: realmId === GIANT ? 'load' : 'marie' })
  return { harness, session: sessionOf(harness, grant) }
}

function oneTo(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1))
}

describe('pulling accounts', () => {
  test.each([
    [BAKERY, 86],
    [BUILDER, 80],
  ])('all accounts of company %s are listed, including inactive ones', async (realmId, count) => {
    const { session } = await open(realmId)
    const items = (await listPages(session, accounts)).flatMap((answers) => [...accounts.read(answers)])
    expect(items).toHaveLength(count)
    expect(items.filter((item) => 'wire' in item && Object(item.wire).Active === false).length).toBeGreaterThan(0)
  })

  test('a large chart is listed over all pages without a gap', async () => {
    const { session } = await open(GIANT, { giantAccounts: 2500 })
    const pages = await listPages(session, accounts)
    expect(pages).toHaveLength(3)
    expect([...new Set(idsOf(itemsOf(pages, accounts)))]).toEqual(oneTo(2500))
  })

  test.each([999, 1000, 1001, 1999])('%i accounts end in a page that is not full', async (count) => {
    const { session } = await open(GIANT, { giantAccounts: count })
    expect(new Set(idsOf(itemsOf(await listPages(session, accounts), accounts))).size).toBe(count)
  })

  test('an empty chart is an empty, complete listing', async () => {
    const { session } = await open(BAKERY)
    const kit = { ...session.kit, http: async () => ({ status: 200, headers: {}, body: Buffer.from('{"QueryResponse":{},"time":"x"}') }) }
    expect(await accounts.fetch({ ...session, kit }, null)).toMatchObject({ next: null, listing: 'complete' })
  })

  test('an edit at the source is in the next listing, as a newer version', async () => {
    const { harness, session } = await open(BAKERY)
    const find = async () =>
      (await listPages(session, accounts)).flatMap((page) => [...accounts.read(page)]).find(({ origId }) => origId === '2')
    const before = Object(await find())
    harness.simulator.editAccount(BAKERY, '2', { Name: 'Renommé', Active: false })
    const after = Object(await find())
    expect(after.wire).toMatchObject({ Name: 'Renommé', Active: false })
    expect(after.version > before.version).toBe(true)
  })
})

describe('pulling journal entries', () => {
  test('every posting of a balanced entry is listed over all pages; an unbalanced one is set aside', async () => {
    const { session } = await open(BAKERY)
    const pages = await listPages(session, entries)
    const items = pages.flatMap((answers) => [...entries.read(answers)])
    const entryIds = items.map(({ origId }) => (origId ?? '').split(':')[0])
    expect(pages).toHaveLength(2)
    expect([...new Set(entryIds)]).toEqual(oneTo(241))
    expect(items.filter((item) => 'unreadable' in item)).toEqual([
      { entity: 'Transactions', origId: '241', unreadable: expect.stringContaining('differ') },
    ])
  })

  test('an entry deleted during the listing hides no others', async () => {
    const { harness, session } = await open(BAKERY)
    const pages = await listPages(session, entries, (page) => {
      if (page === 1) harness.simulator.removeJournalEntry(BAKERY, '7')
    })
    const found = new Set(idsOf(itemsOf(pages, entries)).map((id) => id.split(':')[0]))
    expect(oneTo(241).filter((id) => id !== '7' && !found.has(id))).toEqual([])
  })
})

describe('faults of a pull', () => {
  test('a failure names the code and the trace id that Intuit’s support asks for', async () => {
    const { harness, session } = await open(BAKERY)
    harness.simulator.fault('unauthorized')
    expect((await failureOf(accounts.fetch(session, null))).message).toMatch(/401 .*code 3200, AUTHENTICATION, intuit_tid 1-/)
  })
})
