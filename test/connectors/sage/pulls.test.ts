import { describe, expect, test } from 'vitest'
import type { SourceItem } from '../../../src/connectors/contract/contract.ts'
import { sageConnector } from '../../../src/connectors/sage/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, idsOf, itemsOf, listPages, mapperOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { BAKERY, GIANT, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const mapItem = mapperOf(sageConnector)
const accounts = pullNamed(sageConnector, 'accounts')
const journals = pullNamed(sageConnector, 'journals')

async function open(login = 'lucie', options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  const session = sessionOf(harness, await connect(harness, { login }))
  const list = async (): Promise<SourceItem[]> => (await listPages(session, accounts)).flatMap((page) => [...accounts.read(page)])
  return { harness, session, list }
}

describe('pulling accounts', () => {
  test('all accounts are listed, including those outside the chart', async () => {
    const { list } = await open()
    const records = (await list()).map(mapItem)
    expect(records).toHaveLength(85)
    expect(records.filter(({ statusSystem }) => statusSystem === 'ARCHIVED').map(({ name }) => name)).toEqual([
      'Ancien compte de la Banque Nationale',
      'Diviseuse (vendue en 2023)',
      'Consignes de contenants',
      'Ventes – kiosque de l’Expo (terminé)',
    ])
  })

  test('only values that Sage never published are counted as unknown', async () => {
    const { list } = await open()
    expect((await list()).flatMap((item) => mapItem(item).unmapped)).toEqual([
      'typeSystem=CRYPTO_ASSETS',
      'subTypeSystem=LOYALTY_POINTS',
      'classSystem=MEMO',
      'typeSystem=ROUNDING',
    ])
  })

  test.each([
    ['lucie', 'CAD'],
    ['rene', 'EUR'],
  ])('the accounts of %s’s business carry its base currency, %s', async (login, currency) => {
    const { list } = await open(login)
    expect(new Set((await list()).map(mapItem).map((record) => record.currency))).toEqual(new Set([currency]))
  })

  test('a role without access to the settings leaves the currency empty and stops nothing', async () => {
    const { harness, list } = await open()
    harness.simulator.fault('closedSettings')
    expect(new Set((await list()).map(mapItem).map((record) => record.currency))).toEqual(new Set(['']))
  })

  test('20,000 accounts are listed over a hundred pages without a gap, reading the settings once', async () => {
    const { harness, session } = await open('load')
    const pages = await listPages(session, accounts)
    expect(pages).toHaveLength(100)
    expect(new Set(idsOf(itemsOf(pages, accounts))).size).toBe(20_000)
    expect(harness.simulator.listRequests().filter(({ path }) => path.endsWith('financial_settings'))).toHaveLength(1)
  })

  test.each([
    [0, 1],
    [1, 1],
    [199, 1],
    [200, 1],
    [201, 2],
    [400, 2],
  ])('%i accounts are read in %i pages', async (count, pageCount) => {
    const { session } = await open('load', { giantAccounts: count })
    const pages = await listPages(session, accounts)
    expect([pages.length, new Set(idsOf(itemsOf(pages, accounts))).size]).toEqual([pageCount, count])
  })

  test('an empty chart is an empty, complete listing', async () => {
    const { harness, session } = await open()
    harness.simulator.fault('vanished')
    const page = await accounts.fetch(session, null)
    expect([page.next, page.listing, [...accounts.read(page.answers)]]).toEqual([null, 'complete', []])
  })

  test('an account deleted during the listing hides no others', async () => {
    const { harness, session } = await open('load', { giantAccounts: 650 })
    const [gone = ''] = idsOf(itemsOf([(await accounts.fetch(session, null)).answers], accounts))
    const pages = await listPages(session, accounts, (page) => {
      if (page === 1) harness.simulator.remove(GIANT, gone)
    })
    const found = new Set(idsOf(itemsOf(pages, accounts)))
    found.delete(gone)
    expect(found.size).toBe(649)
  })

  test('an account added during the listing is in it', async () => {
    const { harness, session } = await open('load', { giantAccounts: 650 })
    let added = ''
    const pages = await listPages(session, accounts, (page) => {
      if (page === 2) added ||= harness.simulator.addAccount(GIANT, { code: 99, name: 'Nouveau', type: 'BANK' }).id
    })
    expect(new Set(idsOf(itemsOf(pages, accounts)))).toContain(added)
  })

  test('an edit at the source is in the next listing, as a newer version', async () => {
    const { harness, list } = await open()
    const { origId, version } = Object((await list())[2])
    harness.simulator.editAccount(BAKERY, origId, { name: 'Renommé' })
    const after = Object((await list())[2])
    expect(after.wire.name).toBe('Renommé')
    expect(after.version > version).toBe(true)
  })

  test('an account deleted at the source is missing from the next complete listing', async () => {
    const { harness, list } = await open()
    const { origId } = Object((await list())[2])
    harness.simulator.remove(BAKERY, origId)
    const ids = (await list()).map((item) => item.origId)
    expect([ids.length, ids.includes(origId)]).toEqual([84, false])
  })

  test('a cursor of another connector is refused', async () => {
    const { session } = await open()
    expect((await failureOf(accounts.fetch(session, { position: 1 }))).kind).toBe('badData')
  })
})

describe('pulling journals', () => {
  test('every posting of a balanced journal is listed over all pages; an unbalanced one is set aside', async () => {
    const { session } = await open()
    const pages = await listPages(session, journals)
    const items = pages.flatMap((page) => [...journals.read(page)])
    const entries = new Set(items.map(({ origId }) => (origId ?? '').split(':')[0]))
    expect([pages.length, entries.size]).toEqual([2, 217])
    expect(items.filter((item) => 'unreadable' in item)).toEqual([
      { entity: 'Transactions', origId: expect.stringMatching(/^00000001/), unreadable: 'a journal whose debits and credits differ' },
    ])
  })

  test('a journal deleted during the listing hides no others', async () => {
    const { harness, session } = await open()
    const [gone = ''] = idsOf(itemsOf([(await journals.fetch(session, null)).answers], journals)).map((id) => id.split(':')[0] ?? '')
    const pages = await listPages(session, journals, (page) => {
      if (page === 1) harness.simulator.remove(BAKERY, gone)
    })
    const found = new Set(idsOf(itemsOf(pages, journals)).map((id) => id.split(':')[0]))
    found.delete(gone)
    expect(found.size).toBe(216)
  })

  test('a role without access to the journals delivers none, deletes none, and leaves the accounts readable', async () => {
    const { harness, session, list } = await open()
    harness.simulator.fault('closedJournals')
    expect(await journals.fetch(session, null)).toEqual({ answers: {}, next: null, listing: 'changes' })
    expect(await list()).toHaveLength(85)
  })
})
