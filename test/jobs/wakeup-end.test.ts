import type { PoolClient } from 'pg'
import { expect, it } from 'vitest'
import { startWakeup } from '../../src/jobs/wakeup.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'

const db = databaseForTests()
/** Opened as by the service, which tolerates the loss of an idle connection. */
const database = openForTests(
  () => openDatabase(db.url),
  (database) => database.end(),
)

it('a connection that breaks after it was ended on purpose is not released twice', async () => {
  const opened: PoolClient[] = []
  database.on('acquire', (client) => void opened.push(client))
  const errors: unknown[] = []
  const wakeup = startWakeup(
    database,
    { channel: 'jobs', pollMs: 60_000 },
    () => undefined,
    (error) => errors.push(error),
  )
  const client = await until('the connection', () => opened[0] ?? null)
  await wakeup.stop()
  expect(() => client.emit('error', new Error('terminating connection due to administrator command'))).not.toThrow()
  expect(errors).toEqual([])
})
