import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { databaseOfOneServer } from '../../../../test/harness/database.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { inTransaction, sendWithNext } from '../database.ts'
import { withinInstance } from '../instance-scope.ts'

const test = openForTests(
  () => databaseOfOneServer({ isDirect: true }),
  ({ drop }) => drop(),
)
const SCOPE = `select current_setting('countinghouse.instance') as scope, $1::int as given`

/** What happened on connections: answers of the server, of which each took a round trip, and its warnings. */
const seen = { answers: 0, notices: [] as (string | undefined)[] }
const watched = new WeakSet<pg.PoolClient>()

beforeEach(async () => {
  const client = await test.database.connect()
  if (!watched.has(client)) {
    client.connection.on('readyForQuery', () => {
      seen.answers += 1
    })
    client.on('notice', ({ message }) => seen.notices.push(message))
    watched.add(client)
  }
  client.release()
  await test.database.query('create table if not exists kept (value int primary key)')
  await test.database.query('delete from kept')
  Object.assign(seen, { answers: 0, notices: [] })
})

const insert = (value: number) => ({ text: 'insert into kept values ($1)', values: [value] })
const kept = async () =>
  (await test.database.query<{ value: number }>('select value from kept order by value')).rows.map(({ value }) => value)

describe('a transaction', () => {
  it('begins with its first query, in its scope, and takes a round trip for each query and its end', async () => {
    const instanceId = randomUUID()
    const rows = await withinInstance(instanceId, () =>
      inTransaction(test.database, async (db) => [(await db.query(SCOPE, [1])).rows, (await db.query(SCOPE, [2])).rows]),
    )
    expect(rows).toEqual([[{ scope: instanceId, given: 1 }], [{ scope: instanceId, given: 2 }]])
    expect(seen.answers).toBe(3)
    // The scope ends with it.
    expect((await test.database.query(SCOPE, [3])).rows).toEqual([{ scope: '*', given: 3 }])
  })

  it('sends statements without a result in the packet of the next query, and the last ones with its commit', async () => {
    await inTransaction(test.database, async (db) => {
      await sendWithNext(db, 'savepoint before')
      await db.query(insert(1))
      await sendWithNext(db, 'rollback to savepoint before')
      await sendWithNext(db, 'savepoint again')
      await db.query({ ...insert(2), name: 'insert-kept' })
      await sendWithNext(db, 'release savepoint again')
    })
    expect(seen.answers).toBe(3)
    expect(await kept()).toEqual([2])
  })

  it.each([[undefined], [[]]])('takes a text of several statements, also as the first, with the parameters %j', async (values) => {
    await inTransaction(test.database, (db) => db.query('insert into kept values (1); insert into kept values (2)', values))
    expect(await kept()).toEqual([1, 2])
  })

  it.each([
    'set transaction isolation level repeatable read',
    'set transaction isolation level repeatable read; set local lock_timeout = 0',
  ])('takes a first statement that must come before any query: %s', async (statement) => {
    const level = await inTransaction(test.database, async (db) => {
      await db.query(statement)
      return (await db.query<{ level: string }>(`select current_setting('transaction_isolation') as level`)).rows[0]?.level
    })
    expect(level).toBe('repeatable read')
  })

  it('without a query sends nothing, whether it ends or fails', async () => {
    await inTransaction(test.database, async (db) => await sendWithNext(db, 'savepoint unused'))
    await expect(inTransaction(test.database, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(seen).toEqual({ answers: 0, notices: [] })
  })

  it.each(['its first query', 'a later one'])('is rolled back when %s fails, and the connection goes on', async (which) => {
    const work = inTransaction(test.database, async (db) => {
      if (which === 'a later one') await db.query(insert(1))
      await sendWithNext(db, 'savepoint open')
      await db.query('select 1 / $1::int', [0])
    })
    await expect(work).rejects.toMatchObject({ code: '22012', stack: expect.stringContaining('pipelined-transaction') })
    expect([await kept(), seen.notices]).toEqual([[], []])
    await inTransaction(test.database, (db) => db.query(insert(3)))
    expect(await kept()).toEqual([3])
  })

  it('does not run a query when a statement sent with it fails', async () => {
    const work = inTransaction(test.database, async (db) => {
      await db.query(insert(1))
      await sendWithNext(db, 'release savepoint unknown')
      await db.query(insert(2)).catch(() => undefined)
      await db.query(insert(3))
    })
    await expect(work).rejects.toMatchObject({ code: '25P02' })
    expect(await kept()).toEqual([])
  })

  it('goes on after a savepoint to which it was rolled back', async () => {
    await inTransaction(test.database, async (db) => {
      await sendWithNext(db, 'savepoint before')
      await db.query(insert(1))
      await sendWithNext(db, 'savepoint after')
      await expect(db.query(insert(1))).rejects.toMatchObject({ code: '23505' })
      await db.query('rollback to savepoint after')
      await db.query(insert(2))
    })
    expect(await kept()).toEqual([1, 2])
  })
})
