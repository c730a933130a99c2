import { expect, it } from 'vitest'
import type { MapContext } from '../../src/connectors/contract/mapping.ts'
import { normalizePage } from '../../src/sync/runs/normalize.ts'
import { openPage } from '../../src/sync/runs/raw-page-store.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books]))

it('yields the exact published documents when stored pages are read again', async () => {
  books.accounts = Array.from({ length: 25 }, (_, i) => ({ id: String(i), name: i === 7 ? 'odd word' : `Account ${i}` }))
  books.pageSize = 10
  const id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
  const { database } = harness.deps
  const { rows: pages } = await database.query<{ id: string; sealed: Uint8Array }>(
    'select id, sealed from raw_pages where connection_id = $1 order by page',
    [id],
  )
  expect(pages).toHaveLength(3)
  for (const page of pages) expect(Buffer.from(page.sealed).includes('Account')).toBe(false)
  const unmapped: Parameters<MapContext['unmapped']>[] = []
  const again: string[] = []
  for (const { id: pageId } of pages) {
    const page = await openPage(database, harness.deps, { ...harness, id: pageId })
    const [pull] = books.connector.pulls
    if (!page || !pull) throw new Error('no page')
    const scope = {
      companyId: harness.companyId,
      serviceId: harness.serviceId(books),
      serviceName: 'Scripted Books',
      category: 'Accounting' as const,
      fetchedAt: page.fetchedAt,
    }
    for (const item of normalizePage(books.connector, pull, page.answers, scope, (_entity, field, word) => unmapped.push([field, word]))) {
      if ('doc' in item) again.push(item.doc)
    }
  }
  const { rows } = await database.query<{ doc: string }>('select doc from record_versions where connection_id = $1', [id])
  expect(again.sort()).toEqual(rows.map((row) => row.doc).sort())
  expect(unmapped).toEqual([['typeSystem', 'odd word']])
})

it('refuses a page that was moved to another row', async () => {
  const { database } = harness.deps
  const { rows } = await database.query<{ id: string }>('select id from raw_pages order by page limit 2')
  await database.query('update raw_pages set sealed = (select sealed from raw_pages where id = $2) where id = $1', [
    rows[0]?.id,
    rows[1]?.id,
  ])
  await expect(openPage(database, harness.deps, { ...harness, id: rows[0]?.id ?? '' })).rejects.toThrow()
})
