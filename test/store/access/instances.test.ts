import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { createInstance, listInstances } from '../../../src/store/access/instances.ts'
import type { Selection } from '../../../src/store/db/list-selection.ts'
import { insertSuspension } from '../../../src/store/operators/suspensions.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { AT, minutesAfter } from '../../records/record-store.ts'
import { checkColumns } from '../list-columns.ts'

const test = databaseForTests()
const ALL: Selection = { filter: [], orderBy: 'name', descending: false, limit: 10, offset: 0 }
beforeEach(async () => {
  const { database } = test
  await database.query('delete from instance_suspensions')
  await database.query('delete from instances')
  const [a, b, c] = Array.from({ length: 3 }, () => randomUUID()) as [string, string, string]
  await createInstance(database, { id: a, name: 'Nordvik', kind: 'live' })
  await createInstance(database, { id: b, name: 'Abitibi', kind: 'test' })
  // Of before there were kinds.
  await createInstance(database, { id: c, name: 'Lending' })
  for (const [at, id] of [a, b, c].entries())
    await database.query('update instances set created_at = $2, kind = nullif(kind, $3) where id = $1', [
      ...[id, minutesAfter(-at), id === c ? 'live' : ''],
    ])
  await insertSuspension(database, b, 'unpaid')
})

describe('the list of instances', () => {
  it('is ordered and filtered by each of its properties', async () => {
    await checkColumns({
      list: async (selection) => (await listInstances(test.database, selection)).instances,
      values: {
        id: ({ id }) => id,
        name: ({ name }) => name,
        kind: ({ kind }) => kind,
        createdOn: ({ createdOn }) => createdOn,
        isSuspended: ({ suspension }) => suspension !== null,
      },
    })
  })

  it('has pages, and what operators see of each', async () => {
    const { instances, total } = await listInstances(test.database, ALL)
    expect([total, instances.map(({ id: _, ...shown }) => shown)]).toEqual([
      3,
      [
        {
          ...{ name: 'Abitibi', kind: 'test', requiresTwoStep: false, createdOn: minutesAfter(-1) },
          suspension: { since: expect.any(Date), reason: 'unpaid' },
        },
        { name: 'Lending', kind: 'live', requiresTwoStep: false, createdOn: minutesAfter(-2), suspension: null },
        { name: 'Nordvik', kind: 'live', requiresTwoStep: false, createdOn: AT, suspension: null },
      ],
    ])
    const page = await listInstances(test.database, { ...ALL, limit: 1, offset: 1 })
    expect([page.instances.map(({ name }) => name), page.total]).toEqual([['Lending'], 3])
  })
})
