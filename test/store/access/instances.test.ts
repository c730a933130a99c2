import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { createInstance, listInstances } from '../../../src/store/access/instances.ts'
import type { Operator, Selection } from '../../../src/store/db/list-selection.ts'
import { insertSuspension } from '../../../src/store/operators/suspensions.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { AT, minutesAfter } from '../../records/record-store.ts'

const test = databaseForTests()
/** In the order of their ids: a, live, is the newest; b is suspended; c, of before there were kinds, is the oldest. */
let ids: string[]
beforeEach(async () => {
  const { database } = test
  await database.query('delete from instance_suspensions')
  await database.query('delete from instances')
  ids = Array.from({ length: 3 }, () => randomUUID()).toSorted()
  const [a = '', b = '', c = ''] = ids
  await createInstance(database, { id: a, name: 'Nordvik', kind: 'live' })
  await createInstance(database, { id: b, name: 'Abitibi', kind: 'test' })
  await createInstance(database, { id: c, name: 'Lending' })
  for (const [at, id] of [a, b, c].entries())
    await database.query('update instances set created_at = $2, kind = nullif(kind, $3) where id = $1', [
      ...[id, minutesAfter(-at), id === c ? 'live' : ''],
    ])
  await insertSuspension(database, b, 'unpaid')
})

async function list(selection: Partial<Selection> = {}): Promise<string> {
  const wanted = { filter: [], orderBy: 'id', descending: false, limit: 10, offset: 0, ...selection }
  const { instances, total } = await listInstances(test.database, wanted)
  const names = instances.map(({ id }) => 'abc'[ids.indexOf(id)]).join('')
  expect(total).toBe(selection.limit === undefined ? names.length : 3)
  return names
}

describe('the list of instances', () => {
  it.each([
    ['id', 'abc'],
    ['name', 'bca'],
    ['kind', 'acb'],
    ['createdOn', 'cba'],
    ['isSuspended', 'acb'],
  ])('is ordered by %s, and by id where that is equal', async (orderBy, order) => {
    expect(await list({ orderBy })).toBe(order)
    expect(await list({ orderBy, descending: true })).toBe(order.split('').toReversed().join(''))
  })

  it.each<[string, Operator, () => string, string]>([
    ['id', '=', () => ids[1] ?? '', 'b'],
    ['id', '!=', () => ids[1] ?? '', 'ac'],
    ['name', '=', () => 'Lending', 'c'],
    ['name', '~', () => 'ordv', 'a'],
    ['kind', '=', () => 'live', 'ac'],
    ['kind', '=', () => 'test', 'b'],
    ['createdOn', '<', () => AT.toISOString(), 'bc'],
    ['createdOn', '>=', () => AT.toISOString(), 'a'],
    ['isSuspended', '=', () => 'true', 'b'],
    ['isSuspended', '=', () => 'false', 'ac'],
  ])('is filtered by %s %s', async (property, operator, value, found) => {
    expect(await list({ filter: [[{ property, operator, value: value() }]] })).toBe(found)
  })

  it('has pages, and what operators see of each', async () => {
    expect([await list({ limit: 2 }), await list({ limit: 2, offset: 2 })]).toEqual(['ab', 'c'])
    const { instances } = await listInstances(test.database, { filter: [], orderBy: 'id', descending: false, limit: 10, offset: 0 })
    expect(
      instances.map(({ name, kind, requiresTwoStep, createdOn, suspension }) => [name, kind, requiresTwoStep, createdOn, suspension]),
    ).toEqual([
      ['Nordvik', 'live', false, AT, null],
      ['Abitibi', 'test', false, minutesAfter(-1), { since: expect.any(Date), reason: 'unpaid' }],
      ['Lending', 'live', false, minutesAfter(-2), null],
    ])
  })
})
