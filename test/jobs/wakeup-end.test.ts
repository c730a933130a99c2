import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWakeup } from '../../src/jobs/wakeup.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { until } from '../process/deadline.ts'

let db: TestDatabase
/** Opened as by the service, which tolerates the loss of an idle connection. */
let database: Database
beforeAll(async () => {
  db = await testDatabase()
  database = openDatabase(db.url)
})
afterAll(async () => {
  await database.end()
  await db.drop()
})

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
