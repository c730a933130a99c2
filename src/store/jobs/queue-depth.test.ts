import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { countJobs, countJobsOf } from './queue-depth.ts'

const db = databaseForTests()
const [own, other] = [randomUUID(), randomUUID()]
beforeAll(async () => {
  await db.database.query(
    `insert into jobs (instance_id, kind, key, state, run_at)
     select instance_id, kind, 'key/' || n, state, transaction_timestamp() - make_interval(mins => late)
     from (values ($1::uuid, 'sync', 1, 'ready', 10), ($1, 'sync', 2, 'ready', -60), ($2, 'sync', 3, 'ready', 20),
       ($1, 'sync', 4, 'running', 90), ($1, 'sync', 5, 'dead', 90), ($2, 'mail', 6, 'ready', -30), ($1, 'erase', 7, 'running', 90)) as j (instance_id, kind, n, state, late)`,
    [own, other],
  )
})

/** Ages in minutes: a test takes less than one. */
const inMinutes = <Row extends { lagSeconds: number }>(rows: readonly Row[]) =>
  rows.map(({ lagSeconds, ...rest }) => ({ ...rest, lagMinutes: Math.floor(lagSeconds / 60) }))

test('the queue of all instances is counted by kind and state, with the age of the oldest due job', async () => {
  const counts = inMinutes(await countJobs(db.database))
  expect(counts.toSorted((a, b) => `${a.kind} ${a.state}`.localeCompare(`${b.kind} ${b.state}`))).toEqual([
    { kind: 'erase', state: 'running', count: 1, lagMinutes: 0 },
    { kind: 'mail', state: 'ready', count: 1, lagMinutes: 0 },
    { kind: 'sync', state: 'dead', count: 1, lagMinutes: 0 },
    { kind: 'sync', state: 'ready', count: 3, lagMinutes: 20 },
    { kind: 'sync', state: 'running', count: 1, lagMinutes: 0 },
  ])
})

test('the queue of one instance is counted by kind', async () => {
  expect(inMinutes(await countJobsOf(db.database, own))).toEqual([
    { kind: 'erase', waiting: 0, running: 1, dead: 0, lagMinutes: 0 },
    { kind: 'sync', waiting: 2, running: 1, dead: 1, lagMinutes: 10 },
  ])
  expect(await countJobsOf(db.database, randomUUID())).toEqual([])
})
