import { inspect } from 'node:util'
import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../../src/connectors/contract/contract.ts'
import { odooConnector } from '../../../src/connectors/odoo/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, idsOf, listItems, listPages, mapperOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { submit } from '../../harness/form.ts'
import { BAKERY, CANARY, DENTISTS, LOAD, MARIE, openHarness, PRIYA } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(odooConnector, 'accounts')
const mapItem = mapperOf(odooConnector)
const entries = pullNamed(odooConnector, 'entries')
const isAccount = Compile(odooConnector.entities.Accounts.wire)
const isLine = Compile(odooConnector.entities.Transactions?.wire ?? {})
/** One version for each variant of accounts and protocols. */
const VERSIONS = [12, 13, 15, 16, 17, 18, 19]

async function open(typed: Record<string, string> = {}, options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  return { harness, session: sessionOf(harness, await submit(harness, typed)) }
}

function numbered(companyId: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(companyId * 100_000 + index + 1))
}

describe.each(VERSIONS)('accounts of Odoo %i', (version) => {
  test('are all listed, including archived ones, and match the wire schema', async () => {
    const { session } = await open({}, { version })
    const items = await listItems(session, accounts)
    expect(idsOf(items)).toEqual(numbered(BAKERY, 86))
    expect(items.filter((item) => !('wire' in item) || !isAccount.Check(item.wire))).toEqual([])
  })

  test('yield the same records as the newest version', async () => {
    const { session } = await open({}, { version })
    const newest = await open({}, { version: 19 })
    const plain = async (from: typeof session) =>
      (await listItems(from, accounts)).map((item) => {
        const { typeApp: _type, classApp: _class, statusApp: _status, unmapped: _words, ...rest } = mapItem(item)
        return rest
      })
    const difference = (await plain(session)).filter((record) => record.name !== 'Écart de caisse (perte)')
    expect(difference).toEqual((await plain(newest.session)).filter((record) => record.name !== 'Écart de caisse (perte)'))
  })
})

describe('accounts', () => {
  test('of a branch are those of its parent company', async () => {
    const { session } = await open({ company: 'Boulangerie du Plateau – Rosemont' })
    expect(idsOf(await listItems(session, accounts))).toEqual(numbered(BAKERY, 86))
  })

  test('keep unknown enum values, which are counted', async () => {
    const { session } = await open()
    const words = (await listItems(session, accounts)).flatMap((item) => mapItem(item).unmapped)
    expect(words).toEqual(['currency=Points Mie', 'typeSystem=asset_tokens'])
  })

  test('of a large chart are listed over all pages without a gap', async () => {
    const { session } = await open(LOAD, { giantAccounts: 2500 })
    const pages = await listPages(session, accounts)
    expect(pages).toHaveLength(3)
    expect(pages.flatMap((answers) => idsOf([...accounts.read(answers)]))).toEqual(numbered(3, 2500))
  })

  test.each([0, 1, 999, 1000, 1001, 2000])('numbering %i end in a page that is not full', async (count) => {
    const { harness, session } = await open(LOAD, { giantAccounts: Math.max(count, 2) })
    for (let index = count; index < 2; index++) harness.simulator.removeAccount(3, 300_002 - index)
    const items = await listItems(session, accounts)
    expect(items).toHaveLength(count)
  })

  test('that move during the listing hide no others', async () => {
    const { harness, session } = await open(LOAD, { giantAccounts: 2500 })
    const pages = await listPages(session, accounts, (page) => {
      if (page === 1) harness.simulator.removeAccount(3, 300_007)
    })
    const found = new Set(pages.flatMap((answers) => idsOf([...accounts.read(answers)])))
    expect(numbered(3, 2500).filter((id) => !found.has(id))).toEqual([])
  })

  test('that were deleted, edited or added are so in the next listing', async () => {
    const { harness, session } = await open()
    const [first] = await listItems(session, accounts)
    harness.simulator.removeAccount(BAKERY, 100_002)
    harness.simulator.editAccount(BAKERY, 100_001, { name: 'Renommé', active: false })
    const added = harness.simulator.addAccount(BAKERY, { code: '101999', name: 'Coffre-fort', accountType: 'asset_cash' })
    const after = await listItems(session, accounts)
    expect(idsOf(after)).toEqual([...numbered(BAKERY, 86).filter((id) => id !== '100002'), String(added.id)])
    expect(after[0] && mapItem(after[0])).toMatchObject({ name: 'Renommé', statusSystem: 'ARCHIVED' })
    expect(Object(after[0]).version > Object(first).version).toBe(true)
  })
})

describe('entries', () => {
  test('that are posted are listed with all their lines; an incomplete one is set aside', async () => {
    const { session } = await open()
    const items = await listItems(session, entries)
    const entryIds = items.flatMap((item) => ('wire' in item ? [mapItem(item).entryId] : []))
    expect(new Set(entryIds).size).toBe(48 * 5)
    expect(items.filter((item) => 'unreadable' in item).map((item) => Object(item).unreadable)).toEqual([
      'its entry does not balance',
      'its entry does not balance',
    ])
  })

  test.each(VERSIONS)('of Odoo %i match the wire schema and balance', async (version) => {
    const { session } = await open(PRIYA, { version })
    const items = (await listItems(session, entries)).filter((item) => 'wire' in item)
    expect(items.filter((item) => !isLine.Check(item.wire))).toEqual([])
    const cents = new Map<unknown, number>()
    for (const item of items) {
      const { entryId, debit, credit } = mapItem(item)
      cents.set(entryId, (cents.get(entryId) ?? 0) + Math.round(Number(debit) * 100) - Math.round(Number(credit) * 100))
    }
    expect([...cents.values()].filter((sum) => sum !== 0)).toEqual([])
  })

  test('have day, document, counterparty, currency and kind', async () => {
    const { session } = await open()
    const line = (await listItems(session, entries)).find((item) => item.origId === '10000020')
    expect(line && mapItem(line)).toMatchObject({
      entryId: '1000002',
      accountOrigId: '100022',
      postedOn: '2022-07-31',
      document: 'INV/2022/00002',
      description: 'Facture – Café Ébène 2022-07',
      counterparty: 'Café Ébène inc.',
      credit: null,
      currency: 'CAD',
      sourceType: 'out_invoice',
    })
  })

  test('reversed by negative amounts appear on the other side, positive', async () => {
    const { session } = await open()
    const lines = (await listItems(session, entries)).filter((item) => item.origId?.startsWith('1000003') && item.origId.length === 8)
    expect(lines.map(mapItem).map(({ debit, credit }) => [debit !== null, credit !== null])).toEqual([
      [true, false],
      [false, true],
      [false, true],
    ])
  })

  test('of another company of the same login are excluded', async () => {
    const { session } = await open({ company: String(DENTISTS) })
    const items = await listItems(session, entries)
    expect(items.filter(({ origId }) => !origId?.startsWith('2000'))).toEqual([])
  })

  test('reset to draft during the listing hide no others', async () => {
    const { harness, session } = await open()
    const pages = await listPages(session, entries, (page) => {
      if (page === 1) harness.simulator.removeMove(BAKERY, 1_000_007)
    })
    expect(pages).toHaveLength(2)
    const found = new Set(
      pages.flatMap((answers) => [...entries.read(answers)]).flatMap((item) => ('wire' in item ? [mapItem(item).entryId] : [])),
    )
    expect(found.size).toBe(240)
  })
})

describe.each([
  ['accounts', accounts, LOAD],
  ['entries', entries, MARIE],
] as const)('the pull of %s', (_name, pull, login) => {
  const options = { giantAccounts: 2500 }

  test('never treats a truncated, empty or malformed stored answer as an empty list', async () => {
    const { session } = await open(login, options)
    const { answers } = await pull.fetch(session, null)
    for (const name of Object.keys(answers)) {
      for (const body of ['', '[{"id":1,', '<html>', '{"rows":[]}', '{"error":{}}', 'null', '[1]']) {
        expect(() => [...pull.read({ ...answers, [name]: new TextEncoder().encode(body) })], `${name}: ${body}`).toThrow(/Odoo|answered/)
      }
    }
  })
})

const FAULTS = [
  ['throttle', 'rateLimited'],
  ['unavailable', 'unavailable'],
  ['huge', 'unavailable'],
  ['internal', 'unavailable'],
  ['databaseAway', 'unavailable'],
  ['html', 'badData'],
  ['truncated', 'badData'],
  ['empty', 'badData'],
  ['notRows', 'badData'],
  ['unauthorized', 'reconnect'],
  ['revoked', 'reconnect'],
  ['accessError', 'reconnect'],
  ['sessionExpired', 'reconnect'],
  ['wrongCompany', 'reconnect'],
] as const

describe.each([13, 19])('faults of Odoo %i', (version) => {
  test.each(FAULTS)('%s is %s, for accounts and for entries, and reveals no key', async (fault, kind) => {
    const { harness, session } = await open({}, { version })
    for (const pull of [accounts, entries]) {
      harness.simulator.fault(fault)
      const error = await failureOf(pull.fetch(session, null))
      expect(error.kind).toBe(kind)
      expect(inspect(error, { depth: 10 })).not.toMatch(CANARY)
    }
  })

  test.each([202, 203, 206])('an answer with %i is not treated as a complete list', async (status) => {
    const { session } = await open({}, { version })
    const http = async (request: HttpRequest) => {
      const response = await session.kit.http(request)
      return `${request.url} ${request.body}`.includes('account.account') ? { ...response, status } : response
    }
    const kit = { ...session.kit, http }
    expect((await failureOf(accounts.fetch({ ...session, kit }, null))).kind).toBe('badData')
  })

  test('a failure names the exception and nothing else from the answer', async () => {
    const { harness, session } = await open({}, { version })
    harness.simulator.fault('accessError')
    expect((await failureOf(accounts.fetch(session, null))).message).toMatch(
      /account\.account\.search_read.*odoo\.exceptions\.AccessError\)$/,
    )
  })
})
