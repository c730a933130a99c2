import { describe, expect, test } from 'vitest'
import type { Page } from '../../../src/connectors/contract/contract.ts'
import { zohoConnector } from '../../../src/connectors/zoho/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { answersOf, failureOf, fetchPages, idsOf, itemsOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { type Harness, MAKER, openHarness, SHOP } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const journals = pullNamed(zohoConnector, 'journals')
/** 60 from the routines, one with tax and one that does not balance; the draft is not counted. */
const SHOP_JOURNALS = 62
const SET_ASIDE = ['a journal whose debits and credits differ', 'a journal with tax, whose account it does not name']

async function open(organizationId: string, options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  return { harness, session: sessionOf(harness, await connect(harness, {}, organizationId)) }
}

function entriesOf(pages: readonly Page[]): Set<string> {
  return new Set(idsOf(itemsOf(answersOf(pages), journals)).map((id) => id.split(':')[0] ?? ''))
}

function resumeOf(pages: readonly Page[]) {
  return pages.at(-1)?.resume ?? null
}

/** Number of calls for a single journal. */
function countDetails(harness: Harness): number {
  return harness.simulator.listRequests().filter(({ path }) => /\/journals\/./.test(path)).length
}

describe('pulling journals', () => {
  test('every posting is listed; unbalanced and taxed journals are set aside, a draft is omitted', async () => {
    const { session } = await open(SHOP)
    const pages = await fetchPages(session, journals)
    const reasons = itemsOf(answersOf(pages), journals).flatMap((item) => ('unreadable' in item ? [item.unreadable] : []))
    expect(entriesOf(pages).size).toBe(SHOP_JOURNALS)
    expect(reasons.sort()).toEqual(SET_ASIDE)
  })

  test('only the pages that were read count as listed, and they are complete', async () => {
    const { session } = await open(SHOP)
    const pages = await fetchPages(session, journals)
    const read = pages.filter(({ answers }) => Object.keys(answers).length > 0)
    expect(read.map(({ listing }) => listing)).toEqual(Array(4).fill('complete'))
    expect(pages[0]).toMatchObject({ answers: {}, listing: 'changes' })
  })

  test('a first run of a shop stays within the calls of a minute', async () => {
    const { session } = await open(SHOP, { callsPerMinute: 100 })
    await fetchPages(session, pullNamed(zohoConnector, 'accounts'))
    expect(entriesOf(await fetchPages(session, journals)).size).toBe(SHOP_JOURNALS)
  })

  test('a run that reaches the limit continues where it stopped', async () => {
    const { harness, session } = await open(SHOP, { callsPerMinute: 50 })
    const read: Page[] = []
    let cursor: Page['next'] = null
    for (let tries = 0; tries < 20; tries++) {
      const page: Page | null = await journals.fetch(session, cursor).catch(() => null)
      if (page === null) harness.moveTime(60_000)
      else {
        read.push(page)
        cursor = page.next
        if (cursor === null) break
      }
    }
    expect([cursor, entriesOf(read).size]).toEqual([null, SHOP_JOURNALS])
  })

  test('a run without changes requests no journal and delivers nothing', async () => {
    const { harness, session } = await open(SHOP)
    const resume = resumeOf(await fetchPages(session, journals))
    const before = countDetails(harness)
    const pages = await fetchPages(session, journals, resume)
    expect(pages).toEqual([{ answers: {}, listing: 'changes', next: null, resume }])
    expect(countDetails(harness)).toBe(before)
  })

  test('an edit delivers the current journal, with all others', async () => {
    const { harness, session } = await open(SHOP)
    const resume = resumeOf(await fetchPages(session, journals))
    const id = String(harness.simulator.listJournals(SHOP)[0]?.journal_id)
    harness.simulator.editJournal(SHOP, id, { notes: 'Corrigé' })
    const pages = await fetchPages(session, journals, resume)
    const notes = itemsOf(answersOf(pages), journals).flatMap((item) =>
      'wire' in item && item.origId.startsWith(id) ? [Object(item.wire).journal.notes] : [],
    )
    expect([entriesOf(pages).size, ...new Set(notes)]).toEqual([SHOP_JOURNALS, 'Corrigé'])
  })

  test('a deleted journal is missing from the next complete listing', async () => {
    const { harness, session } = await open(SHOP)
    const resume = resumeOf(await fetchPages(session, journals))
    const id = String(harness.simulator.listJournals(SHOP)[7]?.journal_id)
    harness.simulator.removeJournal(SHOP, id)
    const pages = await fetchPages(session, journals, resume)
    expect([entriesOf(pages).size, entriesOf(pages).has(id)]).toEqual([SHOP_JOURNALS - 1, false])
  })

  test('a journal deleted during the listing hides no others', async () => {
    const { harness, session } = await open(SHOP)
    const gone = String(harness.simulator.listJournals(SHOP).at(-1)?.journal_id)
    const pages = await fetchPages(session, journals, null, (page) => {
      if (page === 2) harness.simulator.removeJournal(SHOP, gone)
    })
    const found = entriesOf(pages)
    const posted = harness.simulator.listJournals(SHOP).filter(({ status }) => status === 'published')
    expect(posted.filter(({ journal_id }) => !found.has(String(journal_id)))).toEqual([])
  })

  test('books that never stop changing are bad data after three attempts', async () => {
    const { harness, session } = await open(MAKER)
    const id = String(harness.simulator.listJournals(MAKER)[0]?.journal_id)
    const failure = await failureOf(
      fetchPages(session, journals, null, () => {
        harness.moveTime(1000)
        harness.simulator.editJournal(MAKER, id, {})
      }),
    )
    expect([failure.kind, failure.message]).toEqual(['badData', 'the listing moved while it was read, 3 times'])
  })

  test('without journals the books of a new shop are an empty, complete listing', async () => {
    const { session } = await open(SHOP)
    const empty = JSON.stringify({ code: 0, message: 'success', journals: [], page_context: { page: 1, has_more_page: false } })
    const kit = { ...session.kit, http: async () => ({ status: 200, headers: {}, body: Buffer.from(empty) }) }
    const pages = await fetchPages({ ...session, kit }, journals)
    expect(itemsOf(answersOf(pages), journals)).toEqual([])
    expect(pages.map(({ listing }) => listing)).toContain('complete')
  })
})

describe('a user whose role gives no access to journals', () => {
  test('has no transactions, which is not a failure and deletes none', async () => {
    const { harness, session } = await open(SHOP)
    harness.simulator.fault('journalsRefused')
    const pages = await fetchPages(session, journals)
    expect(itemsOf(answersOf(pages), journals)).toEqual([])
    expect(pages.map(({ listing, next }) => [listing, next])).toEqual([['changes', null]])
  })

  test('keeps the records of an earlier run', async () => {
    const { harness, session } = await open(SHOP)
    const resume = resumeOf(await fetchPages(session, journals))
    harness.simulator.fault('journalsRefused')
    expect(resumeOf(await fetchPages(session, journals, resume))).toEqual(resume)
  })

  test('is distinguished from an expired token by a request for the chart', async () => {
    const { harness, session } = await open(SHOP)
    harness.simulator.fault('unauthorized', 2)
    expect((await failureOf(journals.fetch(session, null))).kind).toBe('reconnect')
  })
})

test('a cursor of another shape is bad data, not a listing from the start', async () => {
  const { session } = await open(MAKER)
  expect((await failureOf(journals.fetch(session, { position: 5 }))).kind).toBe('badData')
})
