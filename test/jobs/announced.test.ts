import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { type Database, listenTo } from '../../src/store/db/database.ts'
import { enqueueJob, ensureJob, type NewJob } from '../../src/store/jobs/jobs.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { within } from '../process/deadline.ts'

const opened = databaseForTests()
let instanceId: string
beforeAll(async () => {
  instanceId = await addInstance(opened.database)
})

/** Workers that rest look for jobs every ten seconds, or when they are told. */
it.each<[string, (database: Database, job: NewJob) => Promise<void>]>([
  ['enqueueJob', enqueueJob],
  ['ensureJob', ensureJob],
])('%s announces the job that it queues', async (_name, queue) => {
  const client = await opened.database.connect()
  const heard = new Promise<string>((resolve) => client.once('notification', ({ channel }) => resolve(channel)))
  await listenTo(client, 'jobs')
  await queue(opened.database, { instanceId, kind: 'sync', key: randomUUID(), payload: {} })
  expect(await within('the announcement', heard)).toBe('jobs')
  client.release(true)
})
