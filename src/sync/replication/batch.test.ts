import { expect, it } from 'vitest'
import type { ChangeItem } from '../../store/changes/read-changes.ts'
import { toBatch } from './batch.ts'

function changed(id: string, doc: string, more: { deleted?: boolean; companyId?: string } = {}): ChangeItem {
  const { deleted = false, companyId = 'c1' } = more
  const record = {
    ...{ position: '1', placeId: null, companyId, serviceId: 's', connectionId: 'k', category: 'Banking' as const, deleted, doc, id },
    ...{ publishedAt: new Date(0), entity: 'Accounts' as const, from: '-infinity' },
  }
  return { record, cleared: null }
}

const cleared: ChangeItem = {
  record: null,
  cleared: { position: '2', placeId: 'p', companyId: 'c1', serviceId: 's', connectionId: 'k', kind: 'none' },
}

const accounts = (items: ChangeItem[]) => {
  const batch = toBatch(items)
  const found = batch.tables.find(({ table }) => table.name === 'banking_accounts')
  const read = (text: string | undefined) => JSON.parse(text || '[]') as { id: string; record?: { name: string } }[]
  return { cleared: batch.cleared, upserts: read(found?.upserts), deletes: read(found?.deletes).map(({ id }) => id) }
}

it('a record that changed twice is written once, as it was last', () => {
  const { upserts, deletes } = accounts([changed('a', '{"name":"old"}'), changed('b', '{"name":"b"}'), changed('a', '{"name":"new"}')])
  expect(upserts.map(({ id, record }) => [id, record?.name])).toEqual([
    ['a', 'new'],
    ['b', 'b'],
  ])
  expect(deletes).toEqual([])
})

it('a record is deleted or written, whichever was last', () => {
  expect(accounts([changed('a', '{}'), changed('a', '', { deleted: true })])).toMatchObject({ upserts: [], deletes: ['a'] })
  expect(accounts([changed('a', '', { deleted: true }), changed('a', '{}')])).toMatchObject({ upserts: [{ id: 'a' }], deletes: [] })
})

it('what came before the end of its data is gone with it, what came after stays', () => {
  const found = accounts([changed('a', '{}'), changed('b', '{}', { companyId: 'c2' }), cleared, changed('c', '{}')])
  expect(found.upserts.map(({ id }) => id)).toEqual(['b', 'c'])
  expect(JSON.parse(found.cleared)).toEqual([{ companyId: 'c1', serviceId: 's' }])
})

it.each([
  ['"a\\u0000b"', 'a\ufffdb'],
  ['"a\\u0000\\uD800b"', 'a\ufffd\ufffdb'],
  ['"\\\\u0000"', '\\u0000'],
  ['"\\\\\\u0000"', '\\\ufffd'],
  ['"\\u00e9\\n"', 'é\n'],
])('of %s the characters that PostgreSQL does not store are replaced, and no others', (printed, wanted) => {
  expect(accounts([changed('a', `{"name":${printed}}`)]).upserts[0]?.record?.name).toBe(wanted)
})
