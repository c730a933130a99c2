import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { businessCentralConnector } from '../../../src/connectors/business-central/client.ts'
import { add, negate, toDecimal } from '../../../src/model/values/decimal.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, idsOf, pullNamed, runPull, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { DENTAL, ERABLE, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const DAY_MS = 86_400_000
const ledger = pullNamed(businessCentralConnector, 'generalLedgerEntries')

async function open(login = 'erin', options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  return { harness, session: sessionOf(harness, await connect(harness, { login })) }
}

describe('pulling ledger entries', () => {
  test('every posting of a balanced entry is listed; an unbalanced entry is set aside', async () => {
    const { session } = await open()
    const items = (await runPull(session, ledger)).items
    const isWire = Compile(businessCentralConnector.entities.Transactions?.wire ?? {})
    expect(items.filter((item) => 'wire' in item && !isWire.Check(item.wire))).toEqual([])
    expect(items.filter((item) => 'wire' in item)).toHaveLength(24 * 12 + 2 + 2 + 41)
    expect(items.filter((item) => 'unreadable' in item)).toEqual([
      { entity: 'Transactions', origId: '335', unreadable: expect.stringContaining('differ') },
    ])
  })

  test('the debits of every entry equal its credits', async () => {
    const { session } = await open('luc')
    const totals = new Map<string, string>()
    const map = Object(businessCentralConnector.entities.Transactions?.map.fields)
    const context = { fetchedAt: new Date(0), unmapped: () => undefined }
    for (const item of (await runPull(session, ledger)).items) {
      if (!('wire' in item)) continue
      const entryId: string = map.entryId(item.wire, context)
      const [debit, credit] = [toDecimal(map.debit(item.wire, context)), toDecimal(map.credit(item.wire, context))]
      totals.set(entryId, add(toDecimal(totals.get(entryId)) ?? add(), debit ?? add(), negate(credit ?? add())))
    }
    expect(totals.size).toBeGreaterThan(100)
    expect([...totals].filter(([, total]) => total !== '0')).toEqual([])
  })

  test('a second run requests only later postings', async () => {
    const { harness, session } = await open()
    const first = await runPull(session, ledger)
    const posted = harness.simulator.post(DENTAL, { number: 'SI-NEW', type: 'Invoice' }, [
      { accountNumber: '10210', debitCents: 12_345 },
      { accountNumber: '40100', creditCents: 12_345 },
    ])
    const second = await runPull(session, ledger, first.last.resume)
    expect([second.last.listing, idsOf(second.items)]).toEqual(['changes', posted.map(({ id }) => id)])
  })

  test('an entry is the same whether read alone or with all others', async () => {
    const { harness, session } = await open()
    const first = await runPull(session, ledger)
    for (const cents of [100, 200]) {
      harness.simulator.post(DENTAL, { number: 'SAME-1' }, [
        { accountNumber: '10210', debitCents: cents },
        { accountNumber: '40100', creditCents: cents },
      ])
    }
    const since = (await runPull(session, ledger, first.last.resume)).items
    const all = (await runPull(session, ledger)).items
    expect(since).toHaveLength(4)
    expect(all.slice(-4)).toEqual(since)
  })

  test('after a week the whole ledger is read again', async () => {
    const { harness, session } = await open()
    const first = await runPull(session, ledger)
    const soon = await ledger.fetch(session, first.last.resume ?? null)
    harness.moveTime(7 * DAY_MS)
    const grant = await connect(harness)
    const later = await ledger.fetch(sessionOf(harness, grant), first.last.resume ?? null)
    expect([soon.listing, later.listing]).toEqual(['changes', 'complete'])
  })

  test('a run without changes reads an empty list', async () => {
    const { session } = await open()
    const first = await runPull(session, ledger)
    const second = await runPull(session, ledger, first.last.resume)
    expect([second.items, second.last.resume]).toEqual([[], first.last.resume])
  })

  test('an entry longer than a page is read completely', async () => {
    const { harness, session } = await open()
    const long = Array.from({ length: 11_000 }, () => ({ accountNumber: '10210', debitCents: 1 }))
    harness.simulator.post(DENTAL, { number: 'OPENING' }, [...long, { accountNumber: '40100', creditCents: 11_000 }])
    const items = (await runPull(session, ledger)).items
    expect(items.filter((item) => 'wire' in item)).toHaveLength(333 + 11_001)
  })

  test.each(['repeatPage', 'duplicateIds'])('%s loses nothing', async (fault) => {
    const { harness, session } = await open()
    const long = Array.from({ length: 6_000 }, () => ({ accountNumber: '10210', debitCents: 1 }))
    harness.simulator.post(DENTAL, { number: 'OPENING' }, [...long, { accountNumber: '40100', creditCents: 6_000 }])
    harness.simulator.fault(fault)
    const ids = idsOf((await runPull(session, ledger)).items.filter((item) => 'wire' in item))
    expect([ids.length, new Set(ids).size]).toEqual([333 + 6_001, 333 + 6_001])
  })

  test('a ledger that repeats itself endlessly is bad data', async () => {
    const { harness, session } = await open()
    const first = await runPull(session, ledger)
    harness.simulator.fault('repeatPage', 100)
    expect((await failureOf(runPull(session, ledger, first.last.resume))).kind).toBe('badData')
  })

  test('a user without access to the ledger gets none, and records read before stay', async () => {
    const { session } = await open('anna')
    const run = await runPull(session, ledger)
    expect([run.pages, run.last.listing]).toEqual([[], 'changes'])
  })

  test('postings made while the company is read are not lost', async () => {
    const { harness, session } = await open('luc')
    const before = (await runPull(session, ledger)).items.length
    harness.simulator.post(ERABLE, { number: 'X-1' }, [
      { accountNumber: '1020', debitCents: 5 },
      { accountNumber: '1040', creditCents: 5 },
    ])
    expect((await runPull(session, ledger)).items).toHaveLength(before + 2)
  })
})
