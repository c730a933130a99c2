import { afterAll, beforeAll, expect, it } from 'vitest'
import { readyTables } from '../../src/store/db/cluster/distribute.ts'
import { type Database, inTransaction, openDatabase } from '../../src/store/db/database.ts'
import {
  announceChange,
  consumeAnnouncement,
  listPublicationChanges,
  NotAnnounced,
  type PublicationChange,
} from '../../src/store/records/publication-changes.ts'
import { databaseOfOneServer, type TestDatabase } from '../harness/database.ts'
import { addPublished } from './published.ts'
import type { Published } from './record-statements.ts'

let test: TestDatabase
let database: Database
let of: Published
beforeAll(async () => {
  test = await databaseOfOneServer()
  of = await addPublished(test.database)
  await readyTables(test.database)
  database = openDatabase(test.url, { max: 2, isDistributed: true })
})
afterAll(async () => {
  await database.end()
  await test.drop()
})

it('on a cluster a change stays open until its commit has returned, and nobody else can use its announcement', async () => {
  await announceChange(database, of)
  await test.database.query(`update publication_changes set announced_at = announced_at - interval '1 minute'`)
  let between: PublicationChange[] = []
  let refusal: unknown
  await inTransaction(database, async (db) => {
    // The coordinator has committed here, and perhaps no node yet.
    db.onCommitted?.(async () => {
      between = (await listPublicationChanges(test.database)).changes
      refusal = await inTransaction(test.database, (other) => consumeAnnouncement(other, of, 1)).catch((error: unknown) => error)
    })
    await consumeAnnouncement(db, of, 1)
  })
  expect(between.map(({ isOpen }) => isOpen)).toEqual([true])
  expect(refusal).toBeInstanceOf(NotAnnounced)
  expect((await listPublicationChanges(test.database)).changes.map(({ isOpen }) => isOpen)).toEqual([false])
})
