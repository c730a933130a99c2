import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import type { SourceItem } from '../../../src/connectors/contract/contract.ts'
import { sageConnector } from '../../../src/connectors/sage/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, idsOf, itemsOf, listPages, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { BAKERY, GIANT, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(sageConnector, 'accounts')
const journals = pullNamed(sageConnector, 'journals')
const isAccount = Compile(sageConnector.entities.Accounts.wire)
const isPosting = Compile(sageConnector.entities.Transactions?.wire ?? {})

async function open(login = 'lucie', options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  const session = sessionOf(harness, await connect(harness, { login }))
  const list = async (): Promise<SourceItem[]> => (await listPages(session, accounts)).flatMap((page) => [...accounts.read(page)])
  return { harness, session, list }
}

/** What the mapping makes of every account, and the words that it did not know. */
function mapAll(items: SourceItem[]): { records: Record<string, unknown>[]; unmapped: string[] } {
  const unmapped: string[] = []
  const context = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => unmapped.push(`${field}=${word}`) }
  const records = items.map((item) => {
    if (!('wire' in item) || !isAccount.Check(item.wire)) throw new Error(`not readable: ${item.origId}`)
    const { fields } = sageConnector.entities.Accounts.map
    return Object.fromEntries(Object.entries(fields).map(([field, get]) => [field, get(item.wire, context)]))
  })
  return { records, unmapped }
}

describe('pulling accounts', () => {
  test('all accounts are listed, those out of the chart too', async () => {
    const { list } = await open()
    const { records } = mapAll(await list())
    expect(records).toHaveLength(85)
    expect(records.filter(({ statusSystem }) => statusSystem === 'ARCHIVED').map(({ name }) => name)).toEqual([
      'Ancien compte de la Banque Nationale',
      'Diviseuse (vendue en 2023)',
      'Consignes de contenants',
      'Ventes – kiosque de l’Expo (terminé)',
    ])
  })

  test('only the words that Sage never listed are counted as unknown', async () => {
    const { list } = await open()
    expect(mapAll(await list()).unmapped).toEqual([
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
    expect(new Set(mapAll(await list()).records.map((record) => record.currency))).toEqual(new Set([currency]))
  })

  test('a role that does not open the settings leaves the currency empty and stops nothing', async () => {
    const { harness, list } = await open()
    harness.simulator.fault('closedSettings')
    expect(new Set(mapAll(await list()).records.map((record) => record.currency))).toEqual(new Set(['']))
  })

  test('a second pull gives the very same items', async () => {
    const { list } = await open()
    expect(await list()).toEqual(await list())
  })

  test('20,000 accounts are listed over a hundred pages without a gap, settings read once', async () => {
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
  ])('%i accounts come in %i pages', async (count, pageCount) => {
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

  test('a page that comes twice instead of the next one loses nothing', async () => {
    const { harness, session } = await open('load', { giantAccounts: 650 })
    harness.simulator.fault('repeatPage')
    expect(new Set(idsOf(itemsOf(await listPages(session, accounts), accounts))).size).toBe(650)
  })

  test('a source that repeats itself without end is bad data', async () => {
    const { harness, session } = await open('load', { giantAccounts: 650 })
    harness.simulator.fault('repeatPage', 100)
    expect((await failureOf(listPages(session, accounts))).kind).toBe('badData')
  })

  test('an account that is deleted while the listing runs does not hide its neighbours', async () => {
    const { harness, session } = await open('load', { giantAccounts: 650 })
    const [gone = ''] = idsOf(itemsOf([(await accounts.fetch(session, null)).answers], accounts))
    const pages = await listPages(session, accounts, (page) => {
      if (page === 1) harness.simulator.remove(GIANT, gone)
    })
    const found = new Set(idsOf(itemsOf(pages, accounts)))
    found.delete(gone)
    expect(found.size).toBe(649)
  })

  test('an account that is added while the listing runs is in it', async () => {
    const { harness, session } = await open('load', { giantAccounts: 650 })
    let added = ''
    const pages = await listPages(session, accounts, (page) => {
      if (page === 2) added ||= harness.simulator.addAccount(GIANT, { code: 99, name: 'Nouveau', type: 'BANK' }).id
    })
    expect(new Set(idsOf(itemsOf(pages, accounts)))).toContain(added)
  })

  test('accounts that come twice are all still there', async () => {
    const { harness, list } = await open()
    harness.simulator.fault('duplicateIds')
    const ids = (await list()).map(({ origId }) => origId)
    expect([ids.length, new Set(ids).size]).toEqual([88, 85])
  })

  test('accounts that come twice in a page of several do not stop the listing', async () => {
    const { harness, session } = await open('load', { giantAccounts: 650 })
    harness.simulator.fault('duplicateIds')
    expect(new Set(idsOf(itemsOf(await listPages(session, accounts), accounts))).size).toBe(650)
  })

  test('a drifted page keeps every record that can be kept', async () => {
    const { harness, list } = await open()
    harness.simulator.fault('schemaDrift')
    const verdicts = (await list()).slice(0, 5).map((item) => ('wire' in item ? isAccount.Check(item.wire) : 'unreadable'))
    expect(verdicts).toEqual([true, false, true, true, 'unreadable'])
  })

  test('an edit at the source is in the next listing, as a newer version', async () => {
    const { harness, list } = await open()
    const { origId, version } = Object((await list())[2])
    harness.simulator.editAccount(BAKERY, origId, { name: 'Renommé' })
    const after = Object((await list())[2])
    expect(after.wire.name).toBe('Renommé')
    expect(after.version > version).toBe(true)
  })

  test('what is deleted at the source is missing from the next complete listing', async () => {
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
  test('every posting of a balanced journal is listed over all pages; the one that does not balance is set aside', async () => {
    const { session } = await open()
    const pages = await listPages(session, journals)
    const items = pages.flatMap((page) => [...journals.read(page)])
    const entries = new Set(items.map(({ origId }) => (origId ?? '').split(':')[0]))
    expect([pages.length, entries.size]).toEqual([2, 217])
    expect(items.filter((item) => 'unreadable' in item)).toEqual([
      { entity: 'Transactions', origId: expect.stringMatching(/^00000001/), unreadable: 'a journal whose debits and credits differ' },
    ])
  })

  test('every posting fits the wire schema and names an account that is listed', async () => {
    const { session, list } = await open()
    const known = new Set((await list()).map(({ origId }) => origId))
    const items = (await listPages(session, journals)).flatMap((page) => [...journals.read(page)])
    const wrong = items.filter(
      (item) => 'wire' in item && !(isPosting.Check(item.wire) && known.has(Object(item.wire).line.ledger_account.id)),
    )
    expect(wrong).toEqual([])
  })

  test('a journal that is deleted while the listing runs does not hide its neighbours', async () => {
    const { harness, session } = await open()
    const [gone = ''] = idsOf(itemsOf([(await journals.fetch(session, null)).answers], journals)).map((id) => id.split(':')[0] ?? '')
    const pages = await listPages(session, journals, (page) => {
      if (page === 1) harness.simulator.remove(BAKERY, gone)
    })
    const found = new Set(idsOf(itemsOf(pages, journals)).map((id) => id.split(':')[0]))
    found.delete(gone)
    expect(found.size).toBe(216)
  })

  test('a role that does not open the journals gives none, deletes none, and leaves the accounts readable', async () => {
    const { harness, session, list } = await open()
    harness.simulator.fault('closedJournals')
    expect(await journals.fetch(session, null)).toEqual({ answers: {}, next: null, listing: 'changes' })
    expect(await list()).toHaveLength(85)
  })
})
