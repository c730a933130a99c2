import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { createInstance } from '../../src/store/access/instances.ts'
import { connectionOf } from '../../src/store/db/connection/database-url.ts'
import { type Database, inTransaction, openDatabase } from '../../src/store/db/database.ts'
import { acrossInstances, enterInstance, withinInstance } from '../../src/store/db/instance-scope.ts'
import { PipelinedQuery, enterInstance as scopeOf } from '../../src/store/db/pipelined-query.ts'
import { SYSTEM_INSTANCE_ID } from '../../src/sync/context/system-instance.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'

const test = databaseForTests()
const database = openForTests(
  () => openDatabase(test.url, { max: 1 }),
  (database) => database.end(),
)
const [ours, theirs] = [randomUUID(), randomUUID()]
const OURS = ['Ours 1', 'Ours 2']
const THEIRS = ['Theirs 1']
beforeAll(async () => {
  for (const [instanceId, names] of [
    [ours, OURS],
    [theirs, THEIRS],
  ] as const) {
    await createInstance(database, { id: instanceId, name: `Lender of ${names[0]}` })
    for (const name of names) await addCompany(database, instanceId, { name })
    // One of the tables whose queries read many rows.
    for (const key of names) await database.query(`insert into jobs (instance_id, kind, key) values ($1, 'test', $2)`, [instanceId, key])
  }
  await database.query(`insert into jobs (instance_id, kind, key) values ($1, 'test', 'house')`, [SYSTEM_INSTANCE_ID])
})

/** A query without an instance filter. */
async function listNames(db: Pick<Database, 'query'> = database): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>('select name from companies order by name')
  return rows.map(({ name }) => name)
}

async function listKeys(): Promise<string[]> {
  const { rows } = await database.query<{ key: string }>('select key from jobs order by key')
  return rows.map(({ key }) => key)
}

const insertCompany = (instanceId: string) =>
  database.query(`insert into companies (instance_id, id, name) values ($1, gen_random_uuid(), 'New')`, [instanceId])
const insertJob = (instanceId: string) =>
  database.query(`insert into jobs (instance_id, kind, key) values ($1, 'test', 'new')`, [instanceId])
const REFUSED = /row-level security/

describe('within an instance, a query without an instance filter', () => {
  it('reads its own rows only', async () => {
    expect(await withinInstance(ours, () => Promise.all([listNames(), listKeys()]))).toEqual([OURS, OURS])
    expect(await withinInstance(theirs, () => Promise.all([listNames(), listKeys()]))).toEqual([THEIRS, THEIRS])
  })

  it('updates and deletes its own rows only', async () => {
    const changed = await withinInstance(theirs, () => database.query('update companies set city = $1', ['Laval']))
    const deleted = await withinInstance(theirs, () => database.query('delete from jobs'))
    expect([changed.rowCount, deleted.rowCount]).toEqual([1, 1])
    expect(await listKeys()).toEqual([...OURS, 'house'])
    await database.query(`insert into jobs (instance_id, kind, key) values ($1, 'test', $2)`, [theirs, THEIRS[0]])
  })

  it('inserts nothing into another', async () => {
    await expect(withinInstance(ours, () => insertCompany(theirs))).rejects.toThrow(REFUSED)
    await expect(withinInstance(ours, () => insertJob(theirs))).rejects.toThrow(REFUSED)
    await expect(withinInstance(ours, () => database.query('update jobs set instance_id = $1', [theirs]))).rejects.toThrow(REFUSED)
  })

  it('behaves the same in a transaction', async () => {
    const seen = await withinInstance(ours, () => inTransaction(database, async (db) => await listNames(db)))
    expect(seen).toEqual(OURS)
    await expect(
      withinInstance(ours, () => inTransaction(database, (db) => db.query('update companies set instance_id = $1', [theirs]))),
    ).rejects.toThrow(REFUSED)
  })

  it('does not see the other instance itself either', async () => {
    const { rows } = await withinInstance(theirs, () => database.query<{ id: string }>('select id from instances'))
    expect(rows).toEqual([{ id: theirs }])
  })

  it('gets rows as arrays, counts and errors like any other', async () => {
    const named = {
      name: 'count-companies',
      text: 'select count(*)::int, $1::text from companies',
      values: ['x'],
      rowMode: 'array' as const,
    }
    const counts = await withinInstance(ours, async () => [await database.query<[number, string]>(named), await database.query(named)])
    expect(counts.map(({ rows }) => rows)).toEqual([[[2, 'x']], [[2, 'x']]])
    await expect(withinInstance(ours, () => database.query('select 1 / $1::int', [0]))).rejects.toMatchObject({ code: '22012' })
  })

  it('gets no separate connection, which would see everything', async () => {
    await expect(withinInstance(ours, async () => (await database.connect()).release())).rejects.toThrow(/inTransaction/)
  })
})

describe('the scope of a piece of work', () => {
  it('is that of the caller, and of the instance entered on the way', async () => {
    const seen = await acrossInstances(async () => {
      const before = await listNames()
      enterInstance(theirs)
      return [before, await listNames(), await acrossInstances(() => listNames()), await listNames()]
    })
    expect(seen).toEqual([[...OURS, ...THEIRS], THEIRS, [...OURS, ...THEIRS], THEIRS])
    expect(await listNames()).toEqual([...OURS, ...THEIRS])
  })

  it('is not that of another waiting for the same connection', async () => {
    const seen = await Promise.all(
      Array.from({ length: 60 }, async (_, turn) => {
        const instanceId = [ours, theirs][turn % 3]
        const read = () => (turn % 2 === 0 ? listNames() : inTransaction(database, (db) => listNames(db)))
        return instanceId === undefined ? await read() : await withinInstance(instanceId, read)
      }),
    )
    expect(seen).toEqual(Array.from({ length: 60 }, (_, turn) => [OURS, THEIRS, [...OURS, ...THEIRS]][turn % 3]))
  })

  it('accepts no name that would give access to everything', () => {
    expect(() => withinInstance('*', () => null)).toThrow(RangeError)
    expect(() => withinInstance(`${ours}'`, () => null)).toThrow(RangeError)
  })
})

const endings: Record<string, () => Promise<unknown>> = {
  'a rollback': () =>
    inTransaction(database, async (db) => {
      await listNames(db)
      throw new Error('changed our mind')
    }),
  'an error': () => database.query('select 1 / 0'),
  'an error in a transaction': () => inTransaction(database, (db) => db.query('select 1 / 0')),
  'a statement that ran out of time': () =>
    inTransaction(database, async (db) => {
      await db.query(`set local statement_timeout = '20ms'`)
      await db.query('select pg_sleep(10)')
    }),
  'a statement that was cancelled': async () => {
    const sleeping = database.query('select pg_sleep(20)')
    await Promise.all([sleeping, endWaiting('pg_cancel_backend')])
  },
  'a connection that was cut': async () => {
    const sleeping = database.query('select pg_sleep(20)')
    await Promise.all([sleeping, endWaiting('pg_terminate_backend')])
  },
  'a caller who went away': async () => {
    void database.query('select pg_sleep(0.02)')
    await setImmediate()
  },
}

/** Waits until the sleeper's statement is running, which pg_stat_activity alone shows. */
async function endWaiting(how: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<void> {
  const asked = () =>
    test.database.query(`select ${how}(pid) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`)
  await acrossInstances(async () => {
    while ((await asked()).rowCount === 0) await setImmediate()
  })
}

describe.each(Object.entries(endings))('after %s', (_what, end) => {
  it('the next user of the connection sees no instance but its own', async () => {
    await withinInstance(ours, end).catch(() => null)
    expect(await withinInstance(theirs, () => listNames())).toEqual(THEIRS)
    await withinInstance(ours, end).catch(() => null)
    expect(await listNames()).toEqual([...OURS, ...THEIRS])
    const { rows } = await database.query<{ left: string }>(`select current_setting('countinghouse.instance') as left`)
    expect(rows).toEqual([{ left: '*' }])
  })
})

describe('a statement', () => {
  it('is not executed if its instance could not be set in the database', async () => {
    const insert = { text: `insert into companies (instance_id, id, name) values ($1, gen_random_uuid(), 'New')`, values: [ours] }
    // A character that PostgreSQL cannot store.
    await expect(database.query(new PipelinedQuery([scopeOf('\0')], insert))).rejects.toThrow(/byte sequence/)
    expect(await listNames()).toEqual([...OURS, ...THEIRS])
  })
})

/** Connects without our pool. */
async function connectPlainly(): Promise<pg.Client> {
  const client = new pg.Client(connectionOf(test.url))
  await client.connect()
  return client
}

describe.each([
  ['was never made', null],
  ['is empty', ''],
  ['names no instance there is', randomUUID()],
  ['names two', `${ours},${theirs}`],
])('a connection whose setting %s', (_what, value) => {
  const client = openForTests(connectPlainly, (client) => client.end())

  beforeAll(async () => {
    if (value !== null) await client.query(`select set_config('countinghouse.instance', $1, false)`, [value])
  })

  const attempt = async (statement: string) => (await client.query(statement).catch(() => ({ rowCount: 0 }))).rowCount

  it('sees, updates, deletes and inserts nothing', async () => {
    for (const table of ['companies', 'jobs']) {
      expect(await attempt(`select from ${table}`), table).toBe(0)
      expect(await attempt(`update ${table} set created_at = now()`), table).toBe(0)
      expect(await attempt(`delete from ${table}`), table).toBe(0)
    }
    expect(await attempt(`insert into companies (instance_id, id, name) values ('${ours}', gen_random_uuid(), 'New')`)).toBe(0)
    expect(await attempt(`insert into jobs (instance_id, kind, key) values ('${SYSTEM_INSTANCE_ID}', 'test', 'new')`)).toBe(0)
    expect([await listNames(), await listKeys()]).toEqual([
      [...OURS, ...THEIRS],
      [...OURS, ...THEIRS, 'house'],
    ])
  })
})

describe('a connection that never set an instance', () => {
  it('gets an error instead of empty tables', async () => {
    const client = await connectPlainly()
    for (const table of ['companies', 'jobs']) await expect(client.query(`select from ${table}`)).rejects.toThrow(/countinghouse.instance/)
    await client.end()
  })
})
