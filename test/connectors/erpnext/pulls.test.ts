import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { giantName } from '../../../simulators/kit/data/giant-names.ts'
import type { HttpRequest } from '../../../src/connectors/contract/contract.ts'
import { erpnextConnector } from '../../../src/connectors/erpnext/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, idsOf, listItems, listPages, mapperOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { submit } from '../../harness/form.ts'
import { ATELIER, GIANT, LOAD, MARIE, NOOR, OUTFITTERS, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(erpnextConnector, 'accounts')
const mapItem = mapperOf(erpnextConnector)
const entries = pullNamed(erpnextConnector, 'entries')
const isAccount = Compile(erpnextConnector.entities.Accounts.wire)
const isLine = Compile(erpnextConnector.entities.Transactions?.wire ?? {})

async function open(typed: Record<string, string> = {}, options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  return { harness, session: sessionOf(harness, await submit(harness, typed)) }
}

function giantNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const number = String(index + 1).padStart(5, '0')
    return `${number} - ${giantName(index + 1)} - GH`
  })
}

describe('accounts', () => {
  test.each([
    [ATELIER, 95, 25],
    [OUTFITTERS, 83, 26],
  ])('of company %s are all listed, including disabled and group ones, and match the wire schema', async (company, count, groups) => {
    const { session } = await open({ company })
    const items = await listItems(session, accounts)
    const records = items.map(mapItem)
    expect(items.filter((item) => !('wire' in item) || !isAccount.Check(item.wire))).toEqual([])
    expect(new Set(idsOf(items)).size).toBe(count)
    expect(records.filter(({ classSystem }) => classSystem === 'NON_POSTING')).toHaveLength(groups)
    expect(records.filter(({ statusSystem }) => statusSystem === 'ARCHIVED').length).toBeGreaterThan(1)
  })

  test('of another company of the same login are excluded', async () => {
    const { session } = await open({ company: 'PO' })
    expect(idsOf(await listItems(session, accounts)).filter((name) => !name.endsWith(' - PO'))).toEqual([])
  })

  test('keep unknown enum values, which are counted', async () => {
    const words = async (company: string) =>
      (await listItems((await open({ company })).session, accounts)).flatMap((item) => mapItem(item).unmapped)
    expect(await words('AB')).toEqual(['typeSystem=Crypto Wallet'])
    expect(await words('PO')).toEqual(['currency=Points', 'typeSystem=Loyalty Float'])
  })

  test('of a large chart are listed over all pages without a gap', async () => {
    const { session } = await open(LOAD, { giantAccounts: 2500 })
    const pages = await listPages(session, accounts)
    expect(pages).toHaveLength(3)
    expect(pages.flatMap((answers) => idsOf([...accounts.read(answers)]))).toEqual(giantNames(2500))
  })

  test.each([2, 999, 1000, 1001, 2000])('numbering %i end in a page that is not full', async (count) => {
    const { session } = await open(LOAD, { giantAccounts: count })
    expect(await listItems(session, accounts)).toHaveLength(count)
  })

  test('of an empty chart are an empty, complete listing', async () => {
    const { harness, session } = await open(LOAD, { giantAccounts: 2 })
    for (const name of giantNames(2)) harness.simulator.removeAccount(GIANT, name)
    const page = await accounts.fetch(session, null)
    expect({ ...page, items: [...accounts.read(page.answers)] }).toMatchObject({ next: null, listing: 'complete', items: [] })
  })

  test('that are deleted during the listing hide no others', async () => {
    const { harness, session } = await open(LOAD, { giantAccounts: 2500 })
    const pages = await listPages(session, accounts, (page) => {
      if (page === 1) harness.simulator.removeAccount(GIANT, giantNames(7)[6] ?? '')
    })
    const found = new Set(pages.flatMap((answers) => idsOf([...accounts.read(answers)])))
    expect(giantNames(2500).filter((name) => !found.has(name))).toEqual([])
  })

  test('that were deleted, edited or added are so in the next listing', async () => {
    const { harness, session } = await open()
    const before = idsOf(await listItems(session, accounts))
    harness.simulator.removeAccount(ATELIER, '1102 - Caisse du Salon des métiers d’art - AB')
    harness.simulator.editAccount(ATELIER, '1101 - Petite caisse - AB', { account_name: 'Caissette', disabled: 1 })
    harness.simulator.addAccount(ATELIER, { title: 'Coffre-fort', type: 'Cash', rootType: 'Asset' })
    const after = await listItems(session, accounts)
    const gone = before.filter((name) => !idsOf(after).includes(name))
    const edited = after.find(({ origId }) => origId === '1101 - Petite caisse - AB')
    expect([gone, idsOf(after).length]).toEqual([['1102 - Caisse du Salon des métiers d’art - AB'], before.length])
    expect(edited && mapItem(edited)).toMatchObject({ name: 'Caissette', statusSystem: 'ARCHIVED' })
  })
})

describe('ledger entries', () => {
  test('are listed with all lines of their vouchers; the incomplete one is set aside, the cancelled one omitted', async () => {
    const { session } = await open()
    const items = await listItems(session, entries)
    const vouchers = items.flatMap((item) => ('wire' in item ? [mapItem(item).entryId] : []))
    expect(new Set(vouchers).size).toBe(48 * 4)
    const reasons = new Map(items.flatMap((item) => ('unreadable' in item ? [[item.origId, item.unreadable]] : [])))
    expect([...reasons.values()]).toEqual(Array(3).fill('its voucher does not balance'))
  })

  test('match the wire schema and balance', async () => {
    const { session } = await open(NOOR)
    const items = new Map((await listItems(session, entries)).filter((item) => 'wire' in item).map((item) => [item.origId, item]))
    expect([...items.values()].filter((item) => !isLine.Check(item.wire))).toEqual([])
    const cents = new Map<unknown, number>()
    for (const item of items.values()) {
      const { entryId, debit, credit } = mapItem(item)
      cents.set(entryId, (cents.get(entryId) ?? 0) + Math.round(Number(debit) * 100) - Math.round(Number(credit) * 100))
    }
    expect([...cents.values()].filter((sum) => sum !== 0)).toEqual([])
  })

  test('have day, document, text, counterparty, currency and kind', async () => {
    const { session } = await open()
    const line = (await listItems(session, entries)).find((item) => item.origId === 'ACC-GLE-0-AB000001')
    expect(line && mapItem(line)).toMatchObject({
      entryId: 'Sales Invoice/ACC-SINV-2022-00001',
      accountOrigId: '1121 - Débiteurs - AB',
      postedOn: '2022-07-31',
      document: 'ACC-SINV-2022-00001',
      description: 'Table en noyer, livrée',
      counterparty: 'Café Ébène inc.',
      credit: null,
      currency: 'CAD',
      sourceType: 'Sales Invoice',
    })
  })

  test('reversed by negative amounts appear on the other side, positive', async () => {
    const { session } = await open()
    const lines = new Map(
      (await listItems(session, entries)).filter(({ origId }) => origId?.endsWith('AB000002')).map((item) => [item.origId, item]),
    )
    expect([...lines.values()].map(mapItem).map(({ debit, credit }) => [debit !== null, credit !== null])).toEqual([
      [false, true],
      [true, false],
      [true, false],
    ])
  })

  test('are missing from the next listing once their voucher is cancelled', async () => {
    const { harness, session } = await open()
    harness.simulator.cancelVoucher(ATELIER, 'ACC-SINV-2022-00001')
    expect(idsOf(await listItems(session, entries)).filter((name) => name.endsWith('AB000001'))).toEqual([])
  })

  test('cancelled during the listing hide no others', async () => {
    const { harness, session } = await open()
    const pages = await listPages(session, entries, (page) => {
      if (page === 1) harness.simulator.cancelVoucher(ATELIER, 'ACC-JV-2022-00002')
    })
    const items = pages.flatMap((answers) => [...entries.read(answers)])
    expect(pages.length).toBeGreaterThan(1)
    expect(new Set(items.flatMap((item) => ('wire' in item ? [mapItem(item).entryId] : []))).size).toBe(192)
  })

  test('are requested with addresses short enough for every server', async () => {
    const { harness, session } = await open()
    await listPages(session, entries)
    const longest = Math.max(...harness.simulator.listRequests().map(({ path, query }) => path.length + query.length))
    expect(longest).toBeLessThan(6000)
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
      for (const body of ['', '{"data":[{"name":', '<html>', '{"message":[]}', '{"data":{}}', 'null', '[]', '{"data":[1]}']) {
        expect(() => [...pull.read({ ...answers, [name]: new TextEncoder().encode(body) })], `${name}: ${body}`).toThrow(/ERPNext|answered/)
      }
    }
  })
})

describe('faults of a pull', () => {
  test.each([202, 203, 206])('an answer with %i is not treated as a complete list', async (status) => {
    const { session } = await open()
    const kit = { ...session.kit, http: async (request: HttpRequest) => ({ ...(await session.kit.http(request)), status }) }
    expect((await failureOf(accounts.fetch({ ...session, kit }, null))).kind).toBe('badData')
  })

  test('a failure names the exception and nothing else from the answer', async () => {
    const { harness, session } = await open()
    harness.simulator.fault('forbidden')
    expect((await failureOf(accounts.fetch(session, null))).message).toBe('ERPNext answered the list of Account with 403 (PermissionError)')
  })
})
