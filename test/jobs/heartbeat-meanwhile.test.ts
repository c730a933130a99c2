import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { completeJobs, extendLeases } from '../../src/store/jobs/held-jobs.ts'
import { enqueueJob } from '../../src/store/jobs/jobs.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { whileOpen } from '../harness/while-open.ts'
import { claim } from './queue.ts'

const db = databaseForTests()

/** A heartbeat of this worker that has not committed yet: the row of its job is locked, and becomes another version. */
const HEARTBEAT = `update jobs set lease_until = clock_timestamp() + interval '1 minute' where state = 'running' and worker = $1`

async function claimTwo() {
  const worker = randomUUID()
  const instanceId = randomUUID()
  for (const key of ['a', 'b']) await enqueueJob(db.database, { instanceId, kind: 'work', key: `${instanceId}/${key}`, payload: {} })
  return { worker, instanceId, jobs: await claim(db.database, 2, { worker }) }
}

it('a job that is completed while a heartbeat extends its lease leaves the queue, so that it does not run again', async () => {
  const { worker, instanceId, jobs } = await claimTwo()
  expect(jobs).toHaveLength(2)
  await whileOpen(db.database, { id: worker, first: [HEARTBEAT] }, () => completeJobs(db.database, worker, jobs))
  expect((await db.database.query('select key from jobs where instance_id = $1', [instanceId])).rows).toEqual([])
})

it('a lease that is extended while another statement changes its job is extended', async () => {
  const { worker, jobs } = await claimTwo()
  const held = jobs.map((job) => ({ ...job, attempts: 1, furthest: 0 }))
  const extended = await whileOpen(db.database, { id: worker, first: [HEARTBEAT] }, () => extendLeases(db.database, worker, held, 60_000))
  expect(extended.toSorted()).toEqual(jobs.map(({ id }) => id).toSorted())
})
