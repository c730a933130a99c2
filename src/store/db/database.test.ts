import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testDatabase } from '../../../test/harness/database.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { checkOutSession, type Database, type Db, databaseTime, inTransaction, openDatabase, readRows, withLock } from './database.ts'
import { acrossInstances, withinInstance, withReader } from './instance-scope.ts'

it('lets one at a time work under a name, and others meanwhile under another', async () => {
  const { database, drop } = await testDatabase({ migrated: false })
  try {
    const told: string[] = []
    const work = (name: string) => async () => {
      told.push(`${name} in`)
      await database.query('select 1')
      told.push(`${name} out`)
    }
    await Promise.all([1, 2, 3].map((n) => withLock(database, 'seed', work(`${n}`))))
    expect(told).toHaveLength(6)
    for (let at = 0; at < told.length; at += 2) expect(told[at + 1]).toBe(told[at]?.replace('in', 'out'))
    await withLock(database, 'one', () => withLock(database, 'another', work('inner')))
    expect(told.at(-1)).toBe('inner out')
  } finally {
    await drop()
  }
})

it('keeps a connection from one round of periodic work to the next, also of what runs once a minute', async () => {
  const database = openDatabase('postgres://127.0.0.1/none')
  expect(database.options.idleTimeoutMillis).toBeGreaterThan(60_000)
  await database.end()
})

const test = databaseForTests({ migrated: false })
const ID = randomUUID()

/** As for a service, and as behind a pooler, where no setting outlasts a transaction. */
const ADDRESSES = [
  ['a connection of its own', (url: string) => openDatabase(url, { max: 1 })],
  ['a shared connection', (url: string) => openDatabase(url, { max: 1, directUrl: url })],
] as const

describe.each(ADDRESSES)('a database with %s', (_way, openAt) => {
  function open(): Database {
    const database = openAt(test.url)
    onTestFinished(() => database.end())
    return database
  }

  const SETTINGS = `select array[current_setting('countinghouse.instance', true), current_setting('statement_timeout'),
    current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout')] as found`
  const read = async (db: Db) => (await db.query<{ found: string[] }>(SETTINGS)).rows[0]?.found

  it('limits the time of statements, locks and idle transactions, and shows the rows of the scope alone', async () => {
    const database = open()
    const expected = (scope: string) => [scope, '30s', '10s', '30s']
    expect(await read(database)).toEqual(expected('*'))
    expect(await withinInstance(ID, () => read(database))).toEqual(expected(ID))
    expect(await withinInstance(ID, () => inTransaction(database, read))).toEqual(expected(ID))
    expect(await withinInstance(ID, () => acrossInstances(() => inTransaction(database, read)))).toEqual(expected('*'))
    expect(await inTransaction(database, read)).toEqual(expected('*'))
    expect(await read(database), 'no scope outlasts its work').toEqual(expected('*'))
  })

  it('takes a statement in each form, in any scope', async () => {
    const database = open()
    const ask = async (db: Db) => [
      (await db.query('select 1 as n')).rows,
      (await db.query('select $1::int as n', [2])).rows,
      (await db.query({ text: 'select $1::int as n', values: [3] })).rows,
      (await db.query({ name: 'four', text: 'select $1::int as n', values: [4] })).rows,
      (await db.query({ text: 'select $1::int as n', values: [5], rowMode: 'array' })).rows,
    ]
    const answers = [[{ n: 1 }], [{ n: 2 }], [{ n: 3 }], [{ n: 4 }], [[5]]]
    for (const within of [acrossInstances, <T>(work: () => T) => withinInstance(ID, work)])
      expect([await within(() => ask(database)), await within(() => inTransaction(database, ask))]).toEqual([answers, answers])
  })

  it('keeps what a transaction has done when it returns, and nothing when it throws', async () => {
    const database = open()
    const table = `kept_${randomUUID().replaceAll('-', '')}`
    const made = inTransaction(database, async (db) => {
      await db.query(`create table ${table} (n int)`)
      return 'made'
    })
    expect(await made).toBe('made')
    const insert = inTransaction(database, async (db) => {
      await db.query(`insert into ${table} values (1)`)
      throw new RangeError('too many')
    })
    await expect(insert).rejects.toThrow(RangeError)
    expect((await database.query(`select from ${table}`)).rowCount).toBe(0)
    const failing = inTransaction(database, async (db) => {
      await db.query(`insert into ${table} values (1)`)
      await db.query('select 1 / 0')
    })
    await expect(failing).rejects.toThrow('division by zero')
    expect((await database.query(`select from ${table}`)).rowCount).toBe(0)
  })

  it('goes on with another connection when one breaks in a transaction', async () => {
    const database = open()
    const broken = inTransaction(database, (db) => db.query('select pg_terminate_backend(pg_backend_pid())'))
    await expect(broken).rejects.toThrow(/terminat/)
    for (let again = 0; again < 3; again += 1)
      expect(await inTransaction(database, async (db) => (await db.query('select 1 as n')).rows)).toEqual([{ n: 1 }])
  })

  it('gives no connection that sees all rows to work for one instance, but a session across instances', async () => {
    const database = open()
    expect(() => withinInstance(ID, () => database.connect())).toThrow('use inTransaction')
    const found = await withinInstance(ID, async () => {
      const { client, release } = await checkOutSession(database)
      const settings = (await client.query<{ found: string[] }>(SETTINGS)).rows[0]?.found
      release()
      return [settings?.[0], client.listenerCount('error')]
    })
    expect(found).toEqual(['*', 1])
    const { client, discard, release } = await checkOutSession(database)
    const pid = async (db: Db) => (await db.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
    const before = await pid(client)
    discard(new Error('unusable'))
    release()
    const next = await checkOutSession(database)
    expect(await pid(next.client)).not.toBe(before)
    next.release()
  })

  it('tells its own time', async () => {
    const database = open()
    const { rows } = await database.query<{ at: Date }>('select clock_timestamp() as at')
    const at = await databaseTime(database)
    expect(at.getTime()).toBeGreaterThanOrEqual(rows[0]?.at.getTime() ?? Number.POSITIVE_INFINITY)
  })
})

it('tells when an idle connection is lost', async () => {
  const lost = Promise.withResolvers<Error>()
  const database = openDatabase(test.url, { max: 1, name: 'lost', onLost: lost.resolve })
  onTestFinished(() => database.end())
  await database.query('select 1')
  await test.database.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lost'`)
  expect(String(await lost.promise)).toMatch(/terminat/)
  expect((await database.query('select 1 as n')).rows).toEqual([{ n: 1 }])
})

it('tells when a commit is under way, with its result and its outcome, and nothing where there is none', async () => {
  const { database } = test
  await database.query('create table told (n int unique deferrable initially deferred)')
  const told: string[] = []
  const insert = async (values: string, isSound = true) =>
    await inTransaction(
      database,
      async (db) => {
        await db.query(`insert into told values ${values}`)
        if (!isSound) throw new Error('no commit')
        return values
      },
      (result, commit) => {
        told.push(result)
        commit.then(() => told.push('committed')).catch(() => told.push('failed'))
      },
    ).catch((error: Error) => told.push(error.message))
  await insert('(1)')
  await insert('(2), (2)')
  await insert('(3)', false)
  expect(told).toEqual(['(1)', 'committed', '(2), (2)', 'failed', expect.stringMatching(/unique/), 'no commit'])
})

it('asks a reader of replicas in the place of its own primary only, and the primary where no replica answers', async () => {
  const [primary, another] = [openDatabase(test.url, { max: 1 }), openDatabase(test.url, { max: 1 })]
  onTestFinished(async () => void (await Promise.all([primary.end(), another.end()])))
  let attempts = 0
  const reader = {
    primary,
    attempt: async () => {
      attempts += 1
      return null
    },
  }
  const one = { text: `select '1'`, values: [] }
  const read = (database: Database) => readRows(database, one, (rows) => rows.map(String))
  const seen = await withReader(reader, async () => [
    (await another.query('select 1 as n')).rows,
    await read(another),
    attempts,
    (await primary.query('select 1 as n')).rows,
    await read(primary),
    attempts,
  ])
  expect(seen).toEqual([[{ n: 1 }], ['1'], 0, [{ n: 1 }], ['1'], 2])
})
