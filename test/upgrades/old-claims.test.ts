import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { emptyClaimMemory } from '../../src/store/jobs/jobs.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { claim, fillLane } from '../jobs/queue.ts'

const CAP = 4

const data = databaseForTests()

it('jobs that a worker of release 1.0.0 claims count for the caps of those that remember their last claim', async () => {
  const instanceId = randomUUID()
  await fillLane(data.database, { instanceId }, 20)
  const memory = emptyClaimMemory()
  await claim(data.database, 1, { memory, cap: CAP })
  const { rows } = await data.database.query<{ state: string }>(
    `select id, instance_id, kind, key, provider, payload, attempts, state, trace_parent from claim_jobs($1, '{work}', 2, 60000, $2, '', $3)`,
    [randomUUID(), '00000000-0000-0000-0000-000000000000', CAP],
  )
  expect(rows.map(({ state }) => state)).toEqual(['running', 'running'])
  expect(await claim(data.database, 10, { memory, cap: CAP })).toHaveLength(1)
})
