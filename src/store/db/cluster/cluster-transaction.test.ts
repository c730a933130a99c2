import { beforeEach, expect, it } from 'vitest'
import { addBooks, addVersion, type Books, idOf, storeForTests, versionsOf } from '../../../../test/records/record-store.ts'
import { type Database, type Db, inTransaction } from '../database.ts'
import { withinInstance } from '../instance-scope.ts'

const test = storeForTests(true)
let database: Database
let books: Books
let neighbour: Books
beforeEach(async () => {
  database = test.database
  books = await addBooks(database)
  neighbour = await addBooks(database)
})

const isOnNodes = async (db: Db) =>
  (await db.query<{ is: boolean }>(`select coalesce(current_setting('citus.propagate_set_commands', true), '') = 'local' as is`)).rows[0]
    ?.is

it.each([
  ['a statement on the coordinator alone', 'select from instances', false],
  ['a statement on a distributed table', 'select from record_versions', true],
  ['a savepoint', 'savepoint one', true],
])('the scope reaches the nodes with the first that needs one: %s', async (_which, text, expected) => {
  await inTransaction(database, async (db) => {
    expect(await isOnNodes(db)).toBe(false)
    await db.query(text)
    expect(await isOnNodes(db)).toBe(expected)
    await db.query({ text })
    expect(await isOnNodes(db)).toBe(expected)
  })
  // It ends with the transaction.
  await inTransaction(database, async (db) => expect(await isOnNodes(db)).toBe(false))
})

it('a transaction sees and changes rows of its instance only', async () => {
  for (const each of [books, neighbour]) await addVersion(database, each, { id: idOf(1) })
  await withinInstance(books.instanceId, async () => {
    const seen = await inTransaction(database, async (db) => (await db.query('select connection_id as id from record_versions')).rows)
    expect(seen).toEqual([{ id: books.connectionId }])
    expect((await database.query('select connection_id as id from record_versions')).rows).toEqual([{ id: books.connectionId }])
    expect((await database.query({ text: 'delete from record_versions where id = $1', values: [idOf(1)] })).rowCount).toBe(1)
  })
  expect([await versionsOf(database, books, 'id'), await versionsOf(database, neighbour, 'id')]).toEqual([[], [{ id: idOf(1) }]])
})

it('what is left for the time after the commit is done in order, and an error of it makes nothing undone', async () => {
  const done: string[] = []
  await inTransaction(database, async (db) => {
    await addVersionIn(db)
    db.onCommitted?.(async (after) => {
      done.push(`${(await after.query('select from record_versions where id = $1', [idOf(9)])).rowCount} there`)
      throw new Error('lost')
    })
    db.onCommitted?.(async () => void done.push('second'))
    expect(done).toEqual([])
  })
  expect(done).toEqual(['1 there', 'second'])
})

it('nothing is done after a transaction that is rolled back, or of which a node was lost at the commit', async () => {
  const done: string[] = []
  const later = async (db: Db) => db.onCommitted?.(async () => void done.push('done'))
  await inTransaction(database, async (db) => {
    await later(db)
    throw new Error('no')
  }).catch(() => undefined)
  // As Citus says that a prepared transaction was left behind.
  await database.query(`create function warn() returns trigger language plpgsql as $$ begin raise warning 'lost'; return null; end $$`)
  await database.query(
    'create constraint trigger warns after insert on two_phase_commits deferrable initially deferred for each row execute function warn()',
  )
  await inTransaction(database, async (db) => {
    await later(db)
    await db.query('insert into two_phase_commits (id) values (7)')
  })
  expect([done, (await database.query('select from two_phase_commits where id = 7')).rowCount]).toEqual([[], 1])
  await database.query('drop function warn cascade')
  await inTransaction(database, later)
  expect(done).toEqual(['done'])
})

async function addVersionIn(db: Db): Promise<void> {
  await db.query(
    `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key, run_id, raw_index, mapping_version)
     values ($1, $2, $3, 'Accounts', $4, now(), '', $5, '{}', '', '', $6, 0, 1)`,
    [books.instanceId, books.companyId, books.serviceId, idOf(9), books.connectionId, books.runId],
  )
}
