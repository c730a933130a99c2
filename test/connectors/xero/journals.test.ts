import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import type { Page } from '../../../src/connectors/contract/contract.ts'
import { xeroConnector } from '../../../src/connectors/xero/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { answersOf, failureOf, fetchPages, idsOf, itemsOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { DENTIST, type Harness, openHarness, PHYSIO } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const journals = pullNamed(xeroConnector, 'journals')
const JOURNALS = 281

async function open(tenantId: string, options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  return { harness, session: sessionOf(harness, await connect(harness, { businessId: tenantId })) }
}

function entriesOf(pages: readonly Page[]): Set<string> {
  return new Set(idsOf(itemsOf(answersOf(pages), journals)).map((id) => id.split(':')[0] ?? ''))
}

function resumeOf(pages: readonly Page[]) {
  return pages.at(-1)?.resume ?? null
}

function callsFor(harness: Harness, resource: string): number {
  return harness.simulator.listRequests().filter(({ path }) => path.endsWith(`/${resource}`)).length
}

describe('journals, if the app may read them', () => {
  test('every posting is listed over all pages; an unbalanced entry is set aside', async () => {
    const { session } = await open(DENTIST)
    const pages = await fetchPages(session, journals)
    const items = itemsOf(answersOf(pages), journals)
    expect(pages.map(({ listing }) => listing)).toEqual(['complete', 'complete', 'complete', 'complete'])
    expect(entriesOf(pages).size).toBe(JOURNALS)
    const aside = new Map(items.flatMap((item) => ('unreadable' in item ? [[item.origId, item.unreadable]] : [])))
    expect([...aside.values()]).toEqual(['a journal whose debits and credits differ'])
  })

  test('every posting matches the wire schema and is in the base currency', async () => {
    const { session } = await open(PHYSIO)
    const isWire = Compile(xeroConnector.entities.Transactions?.wire ?? {})
    const items = itemsOf(answersOf(await fetchPages(session, journals)), journals).filter((item) => 'wire' in item)
    expect(items.length).toBeGreaterThan(40)
    expect(items.filter((item) => !isWire.Check(item.wire))).toEqual([])
    expect(items.filter((item) => Object(item.wire).Organisation.BaseCurrency !== 'CAD')).toEqual([])
  })

  test('the next run starts after the last journal and says so', async () => {
    const { harness, session } = await open(DENTIST)
    const resume = resumeOf(await fetchPages(session, journals))
    const [first, second] = harness.simulator.listAccounts(DENTIST)
    const posting = { debit: String(first?.AccountID), credit: String(second?.AccountID), cents: 1234, note: 'Late entry' }
    const posted = harness.simulator.postJournal(DENTIST, posting)
    const pages = await fetchPages(session, journals, resume)
    expect(pages.map(({ listing }) => listing)).toEqual(['changes', 'changes'])
    expect(entriesOf(pages)).toContain(posted.JournalID)
    expect(entriesOf(pages).size).toBe(2)
  })

  test('a run without changes delivers nothing new', async () => {
    const { session } = await open(DENTIST)
    const first = await fetchPages(session, journals)
    const second = await fetchPages(session, journals, resumeOf(first))
    expect([...entriesOf(second)].filter((id) => !entriesOf(first).has(id))).toEqual([])
    expect(resumeOf(second)).toEqual(resumeOf(first))
  })

  test('books that were reset are read again completely', async () => {
    const { harness, session } = await open(DENTIST)
    const resume = resumeOf(await fetchPages(session, journals))
    harness.simulator.resetJournals(DENTIST)
    const pages = await fetchPages(session, journals, resume)
    expect(entriesOf(pages.filter(({ listing }) => listing === 'complete')).size).toBe(JOURNALS - 5)
  })

  test('the organisation is requested once per run', async () => {
    const { harness, session } = await open(DENTIST)
    await fetchPages(session, journals)
    expect(callsFor(harness, 'Organisation')).toBe(1)
  })
})

describe('an app that may not read journals', () => {
  test.each(['journalsRefused', 'roleRefused'])('%s: the manual journals are read instead', async (fault) => {
    const { harness, session } = await open(DENTIST)
    harness.simulator.fault(fault)
    const pages = await fetchPages(session, journals)
    expect(pages.map(({ listing }) => listing)).toEqual(['complete', 'complete'])
    expect(entriesOf(pages).size).toBe(122)
    expect(callsFor(harness, 'Journals')).toBe(1)
  })

  test('below the Advanced tier the journals are not requested', async () => {
    const { harness, session } = await open(DENTIST, { tier: 'core', app: { journals: 'no' } })
    expect(entriesOf(await fetchPages(session, journals)).size).toBe(122)
    expect(callsFor(harness, 'Journals')).toBe(0)
  })

  test('drafts and voided journals are omitted; tax and an imbalance set an entry aside with the reason', async () => {
    const { session } = await open(DENTIST, { app: { journals: 'no' } })
    const items = itemsOf(answersOf(await fetchPages(session, journals)), journals)
    const reasons = items.flatMap((item) => ('unreadable' in item ? [item.unreadable] : []))
    expect(reasons.sort()).toEqual([
      'a manual journal whose debits and credits differ',
      'a manual journal with tax, whose account it does not name',
    ])
  })

  test('a blank line is not a posting and does not shift the positions of the others', async () => {
    const { session } = await open(DENTIST, { app: { journals: 'no' } })
    const ids = idsOf(itemsOf(answersOf(await fetchPages(session, journals)), journals))
    const byEntry = Map.groupBy(ids, (id) => id.split(':')[0])
    const places = [...byEntry.values()].map((group) => group.map((id) => id.split(':')[1]).join())
    expect(places.filter((place) => place.startsWith('2'))).toEqual(['2,3,4'])
  })

  test('without manual journals there are no transactions, which is not a failure and deletes none', async () => {
    const { harness, session } = await open(DENTIST, { app: { journals: 'no' } })
    harness.simulator.fault('manualJournalsRefused')
    const pages = await fetchPages(session, journals)
    expect(itemsOf(answersOf(pages), journals)).toEqual([])
    expect(pages.map(({ listing, next }) => [listing, next])).toEqual([['changes', null]])
  })

  test('that lost access to the journals keeps earlier records and continues once it is back', async () => {
    const { harness, session } = await open(DENTIST)
    const resume = resumeOf(await fetchPages(session, journals))
    harness.simulator.fault('journalsRefused')
    const [page] = await fetchPages(session, journals, resume)
    expect([page?.listing, page?.resume, itemsOf(page ? [page.answers] : [], journals)]).toEqual(['changes', resume, []])
  })

  test('that gives up the journals clears their cursor', async () => {
    const { harness, session } = await open(DENTIST)
    const resume = resumeOf(await fetchPages(session, journals))
    const kit = { ...harness.kit, app: { ...harness.kit.app, journals: 'no' } }
    const pages = await fetchPages({ ...session, kit }, journals, resume)
    expect([pages.at(-1)?.resume, pages.at(-1)?.listing]).toEqual([null, 'complete'])
  })

  test('a repeated page of manual journals loses nothing', async () => {
    const { harness, session } = await open(DENTIST, { app: { journals: 'no' } })
    harness.simulator.fault('repeatPage')
    expect(entriesOf(await fetchPages(session, journals)).size).toBe(122)
  })

  test('a cursor of another shape is bad data, not a listing from the start', async () => {
    const { session } = await open(DENTIST)
    expect((await failureOf(journals.fetch(session, { position: 5 }))).kind).toBe('badData')
  })
})
