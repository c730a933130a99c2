import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type Database, listenTo } from '../../src/store/db/database.ts'
import { redriveJobs } from '../../src/store/jobs/dead-jobs.ts'
import { enqueueDueSyncs } from '../../src/store/jobs/due-syncs.ts'
import { enqueueHintedSyncs } from '../../src/store/jobs/hinted-syncs.ts'
import { enqueueJob, ensureJob } from '../../src/store/jobs/jobs.ts'
import { requeueExpiredJobs } from '../../src/store/jobs/leases.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { within } from '../process/deadline.ts'

const opened = databaseForTests()
const CONNECTION = randomUUID()
const HINT = { connectorKey: 'xero', references: ['books'], instanceId: null }
const WAIT = { settleMs: 0, spacingMs: 0 }
const MOST = 8
let instanceId: string
beforeAll(async () => {
  instanceId = await addInstance(opened.database)
  await opened.database.query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, entity_id, reference, refresh_hours, update_scheduled_at)
     values ($1, $2, $3, gen_random_uuid(), 'xero', 'Accounting', '', 15, 'books', 'books', 24, clock_timestamp() - interval '1 second')`,
    [instanceId, CONNECTION, await addCompany(opened.database, instanceId)],
  )
})
beforeEach(() => opened.database.query('delete from jobs'))

const job = () => ({ instanceId, kind: 'sync', key: `connection/${CONNECTION}`, payload: {} })
const addIn = async (state: string): Promise<void> => {
  await opened.database.query(
    `insert into jobs (instance_id, kind, key, state, worker, lease_until)
     values ($1, 'sync', $2, $3, gen_random_uuid(), clock_timestamp() - interval '1 second')`,
    [instanceId, `connection/${CONNECTION}`, state],
  )
}

/** The notifications that others get by what `work` commits. */
async function heardOf(work: (database: Database) => Promise<unknown>): Promise<string[]> {
  const client = await opened.database.connect()
  const heard: string[] = []
  const end = Promise.withResolvers<void>()
  client.on('notification', ({ channel }) => {
    if (channel === 'events') end.resolve()
    else heard.push(channel)
  })
  for (const channel of ['jobs', 'events'] as const) await listenTo(client, channel)
  await work(opened.database)
  // Notifications come in the order of their commits.
  await opened.database.query(`select pg_notify('events', '')`)
  await within('the last notification', end.promise)
  client.release(true)
  return heard
}

/** Workers that rest look for jobs every ten seconds, or when they are told. */
it.each<[string, string | null, (database: Database) => Promise<unknown>]>([
  ['enqueueJob', null, (database) => enqueueJob(database, job())],
  ['ensureJob', null, (database) => ensureJob(database, job())],
  ['redriveJobs', 'dead', (database) => redriveJobs(database, instanceId, { kind: 'sync' })],
  ['requeueExpiredJobs', 'running', (database) => requeueExpiredJobs(database, MOST)],
  ['enqueueDueSyncs', null, (database) => enqueueDueSyncs(database, 10)],
  ['enqueueHintedSyncs', null, (database) => enqueueHintedSyncs(database, HINT, WAIT)],
])('%s announces the job that it queues (before: %s)', async (_name, state, queue) => {
  if (state !== null) await addIn(state)
  expect(await heardOf(queue)).toEqual(['jobs'])
  expect((await opened.database.query(`select from jobs where state = 'ready'`)).rows).toHaveLength(1)
})

it.each<[string, (database: Database) => Promise<unknown>]>([
  ['ensureJob', (database) => ensureJob(database, job())],
  ['requeueExpiredJobs', (database) => requeueExpiredJobs(database, MOST)],
  ['enqueueDueSyncs', (database) => enqueueDueSyncs(database, 10)],
  ['enqueueHintedSyncs', (database) => enqueueHintedSyncs(database, { ...HINT, references: ['others'] }, WAIT)],
])('%s announces nothing where it queues nothing', async (_name, queue) => {
  await addIn('ready')
  expect(await heardOf(queue)).toEqual([])
})

it('the walk over due connections ends where there are fewer than asked for, and else goes on behind the last', async () => {
  const first = await enqueueDueSyncs(opened.database, 1)
  expect(first).toEqual({ queued: 1, end: { at: expect.any(String), id: CONNECTION } })
  expect(await enqueueDueSyncs(opened.database, 1, first.end ?? expect.fail('no end'))).toEqual({ queued: 0, end: null })
  expect(await enqueueDueSyncs(opened.database, 2)).toEqual({ queued: 0, end: null })
})
