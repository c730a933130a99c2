import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findSamePage } from '../../src/store/records/raw-pages.ts'
import { addPageSpans } from '../../src/store/retention/page-spans.ts'
import { ageSpan, placesOf } from '../retention/spans.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { PAGES_OF_1_0_0 as old } from './release-1-0-0.ts'

let books: ScriptedSource
let harness: SyncHarness
let id: string
beforeEach(async () => {
  books = new ScriptedSource('books')
  books.accounts = [{ id: '1', name: 'One' }]
  harness = await openSyncHarness([books])
  id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
})
afterEach(() => harness.close())

const query = async <T extends object>(text: string, values: unknown[] = []) => (await harness.deps.database.query<T>(text, values)).rows
const rename = async (name: string) => {
  books.accounts = [{ id: '1', name }]
  await harness.sync(id)
}

/** Page of the only pull that is stored, with its hash. */
async function newest() {
  const [row] = await query<{ id: string; pull: string; page: number; contentHash: Buffer }>(
    'select id, pull, page, content_hash as "contentHash" from raw_pages order by fetched_at desc limit 1',
  )
  if (!row) throw new Error('there is no page')
  return row
}

describe('the statements of release 1.0.0, beside partitions of raw pages', () => {
  it('find, read and count what this version has stored, and the other way round', async () => {
    const { instanceId, companyId } = harness
    const mine = await newest()
    expect(await query(old.findSame, [instanceId, id, mine.pull, mine.page, mine.contentHash])).toMatchObject([{ id: mine.id, same: true }])
    expect(await query(old.find, [instanceId, mine.id])).toMatchObject([{ id: mine.id }])
    const [theirs, hash] = [randomUUID(), Buffer.alloc(32)]
    await query(old.store, [instanceId, theirs, id, mine.pull, mine.page, new Date('2999-01-01'), hash, Buffer.alloc(50)])
    expect(await placesOf(harness.deps.database)).toEqual({ here: 1, spans: 1 })
    const key = { instanceId, companyId, connectionId: id, pull: mine.pull, page: mine.page, contentHash: hash, fetchedAt: new Date() }
    expect((await findSamePage(harness.deps.database, key)).same?.id).toBe(theirs)
    expect(await query('select bytes = (select sum(octet_length(sealed)) from raw_pages) as it from stored_bytes')).toEqual([{ it: true }])
  })

  it('delete by age what no record came from, in partitions too, and count its bytes and objects', async () => {
    const gone = await newest()
    await query('update raw_pages set object_id = id, object_bytes = 7')
    await ageSpan(harness.deps.database)
    await addPageSpans(harness.deps.database, 24, console)
    await rename('One, renamed')
    await query(old.deleteOld, [harness.instanceId, id, 24])
    expect((await query<{ id: string }>('select id from raw_pages')).map((row) => row.id)).toEqual([(await newest()).id])
    expect(await query('select object_key from unclaimed_objects')).toEqual([{ object_key: `${harness.instanceId}/${id}/${gone.id}` }])
    expect(await query('select bytes = (select sum(octet_length(sealed)) from raw_pages) as it from stored_bytes')).toEqual([{ it: true }])
  })

  it.each([
    ['of a connection', old.erase],
    ['with their connection', 'delete from connections where instance_id = $1 and id = $2'],
  ])('delete all pages %s', async (_what, statement) => {
    await query(old.store, [harness.instanceId, randomUUID(), id, 'accounts', 9, new Date(), Buffer.alloc(32), Buffer.alloc(50)])
    await query('update raw_pages set object_id = id, object_bytes = 7')
    await query(statement, [harness.instanceId, id])
    expect(await placesOf(harness.deps.database)).toEqual({ here: 0, spans: 0 })
    expect(await query('select from unclaimed_objects where is_condemned')).toHaveLength(2)
  })
})
