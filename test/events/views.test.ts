import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Category, type Entity, toServiceId } from '../../src/model/catalogue.ts'
import type { Filter } from '../../src/store/db/list-selection.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import type { RecordView } from '../../src/store/records/record-pages.ts'
import type { RecordScope } from '../../src/store/records/records.ts'
import { suspend } from '../../src/sync/connection/connection-actions.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { readRecords } from '../harness/read-records.ts'
import { authorize } from '../reconnect/owner.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { VersionedSource } from './versioned-source.ts'

const sources = { Accounting: new VersionedSource('books', 'Accounting'), Banking: new VersionedSource('bank', 'Banking') }
const harness = openForTests(() =>
  openSyncHarness(
    [],
    Object.values(sources).map(({ description }) => description),
  ),
)
beforeAll(() => {
  harness.deps.readLeaseMs = 0
})

/** All data reads. */
const READS = (['Accounting', 'Banking'] as const).flatMap((category) =>
  (['Accounts', 'Transactions'] as const).map((entity) => [category, entity] as const),
)

describe.each(READS)('%s %s', (category: Category, entity: Entity) => {
  const source = sources[category]
  const textField = entity === 'Transactions' ? 'description' : category === 'Banking' ? 'accountName' : 'name'
  let scope: RecordScope
  let connectionId: string

  beforeEach(async () => {
    const companyId = randomUUID()
    scope = { instanceId: harness.instanceId, companyId, serviceId: toServiceId(source.description.key) }
    await addCompany(harness.deps.database, harness.instanceId, { id: companyId })
    source.rows.Accounts = [{ id: 'a', text: 'Account' }]
    source.rows.Transactions = []
    connectionId = await authorize(harness.deps, scope)
  })

  /** Publishes these rows; returns the time of publication. */
  async function publish(texts: Record<string, string>): Promise<Date> {
    source.rows[entity] = Object.entries(texts).map(([id, text]) => ({ id, text }))
    await harness.sync(connectionId, { isAwaited: true })
    const { rows } = await harness.deps.database.query<{ at: Date }>('select published_at as at from connections where id = $1', [
      connectionId,
    ])
    return rows[0]?.at ?? expect.fail('nothing was published')
  }

  async function read(view: RecordView = {}, page: { filter?: Filter; limit?: number; offset?: number } = {}) {
    const columns = recordColumns(category, entity)
    const found = await readRecords(harness.deps.database, scope, { entity, columns, view, selection: { limit: 100, ...page } })
    if (!found) return expect.fail('nothing is published')
    const { records, total, shownPublishedAt } = found
    return { total, records, shownPublishedAt, texts: Object.fromEntries(records.map((one) => [one.origId, one[textField]])) }
  }

  const justBefore = (at: Date) => new Date(at.getTime() - 1)
  const isDeleted = (one: Record<string, unknown> | undefined) =>
    entity === 'Transactions' ? one?.isDeleted === true : [one?.statusSystem, one?.accountStatusSystem].includes('DELETED')

  it('are empty before the first publication, without an error', async () => {
    const first = await publish({ a: 'one', b: 'two' })
    expect(await read({ asOf: justBefore(first) })).toMatchObject({ texts: {}, total: 0 })
    expect(await read({ asOf: justBefore(first), includeDeleted: true })).toMatchObject({ texts: {}, total: 0 })
    expect(await read({ asOf: first })).toMatchObject({ texts: { a: 'one', b: 'two' }, total: 2 })
  })

  it('come with the publication that was current at the requested instant', async () => {
    const first = await publish({ a: 'one', b: 'two' })
    const second = await publish({ a: 'ONE', b: 'two' })
    const third = await publish({ a: 'ONE' })
    const told = async (asOf?: Date) => (await read(asOf ? { asOf } : {})).shownPublishedAt
    expect([await told(justBefore(first)), await told(first), await told(justBefore(second))]).toEqual([null, first, first])
    expect([await told(second), await told(justBefore(third)), await told(third)]).toEqual([second, second, third])
    expect(await told()).toEqual(third)
  })

  it('change exactly at the instant of their publication', async () => {
    const first = await publish({ a: 'one', b: 'two' })
    const second = await publish({ a: 'ONE', b: 'two' })
    expect((await read({ asOf: justBefore(second) })).texts).toEqual({ a: 'one', b: 'two' })
    expect((await read({ asOf: second })).texts).toEqual({ a: 'ONE', b: 'two' })
    expect((await read({ asOf: new Date('2100-01-01T00:00:00Z') })).texts).toEqual({ a: 'ONE', b: 'two' })
    expect((await read({ modifiedSince: second })).texts).toEqual({ a: 'ONE' })
    expect(await read({ modifiedSince: new Date(second.getTime() + 1) })).toMatchObject({ texts: {}, total: 0 })
    expect((await read({ modifiedSince: first })).texts).toEqual({ a: 'ONE', b: 'two' })
    expect((await read({ modifiedSince: second, asOf: justBefore(second) })).texts).toEqual({})
  })

  it('are deleted, shown as such on request, and return under the same id', async () => {
    const all = { a: 'one', b: 'two', c: 'three' }
    const first = await publish(all)
    const id = (await read()).records.find(({ origId }) => origId === 'b')?.id
    const gone = await publish({ a: 'one', c: 'three' })
    const back = await publish(all)
    for (const [view, texts] of [
      [{ asOf: first }, all],
      [{ asOf: justBefore(gone) }, all],
      [{ asOf: gone }, { a: 'one', c: 'three' }],
      [{ asOf: justBefore(back) }, { a: 'one', c: 'three' }],
      [{ asOf: justBefore(back), includeDeleted: true }, all],
      [{ asOf: back }, all],
      [{ modifiedSince: gone }, { b: 'two' }],
      [{ asOf: justBefore(back), modifiedSince: gone }, {}],
      [{ asOf: justBefore(back), modifiedSince: gone, includeDeleted: true }, { b: 'two' }],
    ] as const) {
      expect(await read(view), JSON.stringify(view)).toMatchObject({ texts, total: Object.keys(texts).length })
      expect(Object.keys((await read(view)).texts).sort()).toEqual(Object.keys(texts))
    }
    const meanwhile = (await read({ asOf: gone, includeDeleted: true })).records
    expect(meanwhile.map((one) => [one.origId, isDeleted(one)]).sort()).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
    ])
    const now = (await read({ includeDeleted: true })).records.find(({ origId }) => origId === 'b')
    expect([now?.id, isDeleted(now)]).toEqual([id, false])
  })

  it('are counted correctly on every page, with filters and asOf, also beyond the end', async () => {
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`${i + 10}`, i < 7 ? 'few' : 'many']))
    const first = await publish(many)
    await publish({ ...many, '10': 'many', '99': 'few' })
    const filter: Filter = [[{ property: textField, operator: '=', value: 'few' }]]
    const pages = [0, 5, 10, 1_000]
    const count = async (view: RecordView, one: { filter?: Filter }) =>
      await Promise.all(pages.map(async (offset) => await read(view, { ...one, limit: 5, offset })))
    const shown = (found: Awaited<ReturnType<typeof count>>) => found.map(({ total, records }) => [total, records.length])
    expect(shown(await count({}, { filter }))).toEqual([
      [7, 5],
      [7, 2],
      [7, 0],
      [7, 0],
    ])
    expect(shown(await count({ asOf: first }, {})).map(([total]) => total)).toEqual([25, 25, 25, 25])
    expect(shown(await count({ asOf: first }, { filter })).map(([total]) => total)).toEqual([7, 7, 7, 7])
    expect(shown(await count({}, {})).map(([total]) => total)).toEqual([26, 26, 26, 26])
    const ids = (await count({ asOf: first }, { filter })).flatMap(({ records }) => records.map(({ origId }) => origId))
    expect(ids.sort()).toEqual(['10', '11', '12', '13', '14', '15', '16'])
  })

  it('keep their history across a reconnect', async () => {
    const first = await publish({ a: 'one', b: 'two' })
    const then = await read({ asOf: first })
    await suspend(harness.deps, scope)
    expect(await authorize(harness.deps, scope)).toBe(connectionId)
    await publish({ a: 'ONE', b: 'two' })
    expect(await read({ asOf: first })).toEqual(then)
    expect((await read()).texts).toEqual({ a: 'ONE', b: 'two' })
  })
})
