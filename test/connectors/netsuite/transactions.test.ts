import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { netsuiteConnector } from '../../../src/connectors/netsuite/client.ts'
import { add, negate, toDecimal } from '../../../src/model/values/decimal.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { idsOf, pullNamed, type Run, runPull, sessionOf } from '../../harness/connector-calls.ts'
import { connect, type OwnerAnswer } from '../../harness/redirect.ts'
import { CASCADE, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
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

/** Mapped records of every posting of a run. */
function recordsOf(run: Run): Record<string, string | null>[] {
  const fields = Object.entries(netsuiteConnector.entities.Transactions?.map.fields ?? {})
  const context = { fetchedAt: new Date(0), unmapped: () => undefined }
  return run.items.flatMap((item) => {
    if (!('wire' in item)) return []
    return [Object.fromEntries(fields.map(([field, get]) => [field, toText(get(item.wire, context))]))]
  })
}

function toText(value: unknown): string | null {
  return value === null ? null : String(value)
}

describe('pulling transactions', () => {
  test('every posting of a balanced transaction is listed; an unbalanced one is set aside', async () => {
    const { session } = await open()
    const items = (await runPull(session, transactions)).items
    const isWire = Compile(netsuiteConnector.entities.Transactions?.wire ?? {})
    expect(items.filter((item) => 'wire' in item && !isWire.Check(item.wire))).toEqual([])
    expect(items.filter((item) => 'wire' in item)).toHaveLength(30 * 12 + 2 + 2 + 3)
    expect(items.filter((item) => 'unreadable' in item)).toEqual([
      { entity: 'Transactions', origId: '155', unreadable: expect.stringContaining('differ') },
    ])
  })

  test('the debits of every transaction equal its credits', async () => {
    const { session } = await open()
    const totals = new Map<string, string>()
    for (const { entryId, debit, credit } of recordsOf(await runPull(session, transactions))) {
      const amount = add(toDecimal(debit) ?? add(), negate(toDecimal(credit) ?? add()))
      totals.set(entryId ?? '', add(toDecimal(totals.get(entryId ?? '')) ?? add(), amount))
    }
    expect(totals.size).toBe(153)
    expect([...totals].filter(([, total]) => total !== '0')).toEqual([])
  })

  test('neither a non-posting order nor a second book is read', async () => {
    const { session } = await open()
    const records = recordsOf(await runPull(session, transactions))
    expect(records.filter(({ sourceType }) => sourceType === 'SalesOrd')).toEqual([])
    expect(new Set(records.map(({ origId }) => origId)).size).toBe(records.length)
  })

  test.each([
    ['INV-2026-06', { sourceType: 'CustInvc', counterparty: 'Blue Ridge Mountain Sports', currency: 'USD', postedOn: '2026-06-30' }],
    ['BILL-CA-2026-06', { sourceType: 'VendBill', counterparty: 'Immeubles Burnaby inc.', currency: 'CAD' }],
  ])('%s has a counterparty, date and currency', async (document, expected) => {
    const { session } = await open()
    const records = recordsOf(await runPull(session, transactions))
    expect(records.find((record) => record.document === document)).toMatchObject(expected)
  })

  test('an account without subsidiaries is not queried for them', async () => {
    const { session } = await open('rideau')
    const records = recordsOf(await runPull(session, transactions))
    expect(new Set(records.map(({ currency }) => currency))).toEqual(new Set(['']))
    expect(records).toHaveLength(12 * 5 + 7)
  })

  test('a transaction split by the end of a page is read completely', async () => {
    const { harness, session } = await open()
    for (const number of ['A', 'B', 'C', 'D']) {
      const lines = Array.from({ length: 300 }, () => ({ accountNumber: '1070', debitCents: 1 }))
      harness.simulator.post(CASCADE, { number }, [...lines, { accountNumber: '6500', creditCents: 300 }])
    }
    const run = await runPull(session, transactions)
    const items = run.items.filter((item) => 'wire' in item)
    expect([run.pages.length, items.length, new Set(idsOf(items)).size]).toEqual([2, 367 + 4 * 301, 367 + 4 * 301])
  })

  test.each([1_500, 3_000, 4_200])('a transaction of %i lines, longer than a page, is read completely', async (count) => {
    const { harness, session } = await open()
    const lines = Array.from({ length: count }, () => ({ accountNumber: '1070', debitCents: 1 }))
    const id = harness.simulator.post(CASCADE, { number: 'OPENING' }, [...lines, { accountNumber: '6500', creditCents: count }])
    harness.simulator.post(CASCADE, { number: 'AFTER' }, [
      { accountNumber: '1070', debitCents: 1 },
      { accountNumber: '6500', creditCents: 1 },
    ])
    const ids = idsOf((await runPull(session, transactions)).items.filter((item) => 'wire' in item))
    expect(ids.filter((each) => each.startsWith(`${id}:`))).toHaveLength(count + 1)
    expect(new Set(ids).size).toBe(367 + count + 3)
  })

  test.each(['repeatPage', 'duplicateIds'])('%s loses nothing', async (fault) => {
    const { harness, session } = await open()
    const lines = Array.from({ length: 1_500 }, () => ({ accountNumber: '1070', debitCents: 1 }))
    harness.simulator.post(CASCADE, { number: 'OPENING' }, [...lines, { accountNumber: '6500', creditCents: 1_500 }])
    harness.simulator.fault(fault)
    const items = (await runPull(session, transactions)).items
    expect(new Set(idsOf(items.filter((item) => 'wire' in item))).size).toBe(367 + 1_501)
    expect(items.filter((item) => 'unreadable' in item)).toHaveLength(1)
  })

  test('a transaction deleted during the listing hides no others', async () => {
    const { harness, session } = await open()
    for (const number of ['A', 'B', 'C', 'D', 'E', 'F', 'G']) {
      const lines = Array.from({ length: 300 }, () => ({ accountNumber: '1070', debitCents: 1 }))
      harness.simulator.post(CASCADE, { number }, [...lines, { accountNumber: '6500', creditCents: 300 }])
    }
    const all = new Set(idsOf((await runPull(session, transactions)).items))
    let pages = 0
    const run = await runPull(session, transactions, null, () => {
      pages += 1
      if (pages === 1) harness.simulator.removeTransaction(CASCADE, '7')
    })
    const found = new Set(idsOf(run.items))
    expect([...all].filter((id) => !id.startsWith('7:') && !found.has(id))).toEqual([])
  })

  test('a role with access to lists only has no transactions, and records read before stay', async () => {
    const { session } = await open('lists')
    const run = await runPull(session, transactions)
    expect([run.pages, run.last.listing]).toEqual([[], 'changes'])
  })
})
