import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../test/harness/database.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

describe('migrate', () => {
  let folder: string
  let at: TestDatabase

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countinghouse-migrations-'))
    at = await testDatabase({ migrated: false })
  })

  afterEach(async () => {
    await at.drop()
    await rm(folder, { recursive: true })
  })

  const write = (name: string, sql: string) => writeFile(join(folder, name), sql)

  async function has(table: string): Promise<boolean> {
    const { rows } = await at.database.query<{ found: boolean }>('select to_regclass($1) is not null as found', [table])
    return rows[0]?.found === true
  }

  test('runs the files in name order and says which', async () => {
    await write('0002-fill.sql', 'insert into first values (1)')
    await write('0001-first.sql', 'create table first (n int)')
    await write('notes.txt', 'not SQL')
    expect(await migrate(at.database, folder)).toEqual(['0001-first.sql', '0002-fill.sql'])
  })

  test('runs a file once, and later only what is new', async () => {
    await write('0001-first.sql', 'create table first (n int)')
    await migrate(at.database, folder)
    await write('0002-second.sql', 'create table second (n int)')
    expect(await migrate(at.database, folder)).toEqual(['0002-second.sql'])
  })

  test('keeps nothing of a file that fails, names it, and keeps what ran before it', async () => {
    await write('0001-first.sql', 'create table first (n int)')
    await write('0002-bad.sql', 'create table second (n int); select 1/0')
    await expect(migrate(at.database, folder)).rejects.toThrow('migration 0002-bad.sql failed: division by zero')
    expect([await has('first'), await has('second')]).toEqual([true, false])
  })

  test('refuses when a file that ran has been changed, before anything new runs', async () => {
    await write('0001-first.sql', 'create table first (n int)')
    await migrate(at.database, folder)
    await write('0001-first.sql', 'create table first (n bigint)')
    await write('0002-second.sql', 'create table second (n int)')
    await expect(migrate(at.database, folder)).rejects.toThrow('migration 0001-first.sql ran on this database and has been changed since')
    expect(await has('second')).toBe(false)
  })

  describe('on a database that a later release has migrated', () => {
    const later = async (sql: string) => {
      await write('0001-first.sql', 'create table first (n int)')
      await write('0003-later.sql', sql)
      await migrate(at.database, folder, { release: '2.0.0' })
      await rm(join(folder, '0003-later.sql'))
    }

    test('starts when only additions were made, and adds nothing', async () => {
      await later('create table later (n int)')
      expect(await migrate(at.database, folder, { release: '1.4.0' })).toEqual([])
    })

    test('refuses when it is older than the oldest release that the schema allows, and names that one', async () => {
      await later('-- Oldest release: 1.10.0\ndrop table first')
      await expect(migrate(at.database, folder, { release: '1.9.3' })).rejects.toThrow(
        'a later version has migrated this database (0003-later.sql); it needs version 1.10.0 or later, and this is 1.9.3',
      )
      expect(await migrate(at.database, folder, { release: '1.10.0' })).toEqual([])
    })

    test('works where the record of an earlier release has no such column', async () => {
      await write('0001-first.sql', 'create table first (n int)')
      await at.database.query(
        'create table schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
      )
      expect(await migrate(at.database, folder)).toEqual(['0001-first.sql'])
    })
  })

  test.each([['-- Oldest release: next'], ['-- Transaction: some']])('refuses the header %s', async (header) => {
    await write('0001-first.sql', `${header}\ncreate table first (n int)`)
    await expect(migrate(at.database, folder)).rejects.toThrow('migration 0001-first.sql: "')
    expect(await has('first')).toBe(false)
  })

  describe('while others work', () => {
    test('gives a lock back that it does not get, so that readers never wait behind it, and takes it once it is free', async () => {
      await write('0001-first.sql', 'create table first (n int)')
      await migrate(at.database, folder)
      await write('0002-second.sql', 'alter table first add column m int')
      const reader = await at.database.connect()
      await reader.query('begin')
      await reader.query('select from first')
      const migrating = migrate(at.database, folder)
      const others = openDatabase(at.url, { max: 1 })
      // The reader waits behind the migration at least once; without this limit it would wait for the transaction
      // above.
      for (let reads = 0; reads < 200; reads += 1) {
        await others.query("set statement_timeout = '5s'")
        await others.query('select from first')
      }
      await others.end()
      await reader.query('commit')
      reader.release()
      expect(await migrating).toEqual(['0002-second.sql'])
    })

    test('gives up after its time and says what to end', async () => {
      await write('0001-first.sql', 'create table first (n int)')
      await migrate(at.database, folder)
      await write('0002-second.sql', 'alter table first add column m int')
      const reader = await at.database.connect()
      await reader.query('begin')
      await reader.query('select from first')
      await expect(migrate(at.database, folder, { lockTimeoutMs: 10, giveUpAfterMs: 0 })).rejects.toThrow(
        'migration 0002-second.sql did not get its locks: a long transaction holds a table; end it and start again',
      )
      await reader.query('commit')
      reader.release()
    })
  })

  describe('outside a transaction', () => {
    const index =
      "-- Transaction: none\n-- Small letters.\ncreate index concurrently if not exists first_n on first (n);\ncomment on index first_n is 'by n';\n"

    test('runs statement by statement, once, also when several processes start together', async () => {
      await write('0001-first.sql', 'create table first (n int)')
      await write('0002-index.sql', index)
      const ran = await Promise.all([1, 2, 3, 4, 5, 6].map(() => migrate(at.database, folder)))
      expect(ran.flat().sort()).toEqual(['0001-first.sql', '0002-index.sql'])
      expect(await has('first_n')).toBe(true)
    })

    test('has all the time that it takes, on a session that nobody uses after it', async () => {
      const settings = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`
      await write('0001-first.sql', 'create table first (n int)')
      await migrate(at.database, folder)
      await write('0002-second.sql', `-- Transaction: none\ncreate table second as ${settings};\n`)
      const two = openDatabase(at.url, { max: 2 })
      await migrate(two, folder)
      expect((await two.query('table second')).rows).toEqual([{ statement: '0', lock: '0' }])
      const later = await Promise.all([two.query(settings), two.query(settings)])
      expect(later.flatMap(({ rows }) => rows)).toEqual(Array(2).fill({ statement: '30s', lock: '10s' }))
      await two.end()
    })

    test('makes an index again that an interrupted run has left invalid', async () => {
      await write('0001-first.sql', 'create table first (n int); insert into first values (1), (1)')
      await migrate(at.database, folder)
      await at.database.query('create unique index concurrently first_n on first (n)').catch(() => undefined)
      await write('0002-index.sql', index)
      await migrate(at.database, folder)
      const { rows } = await at.database.query("select indisvalid, indisunique from pg_index where indexrelid = 'first_n'::regclass")
      expect(rows).toEqual([{ indisvalid: true, indisunique: false }])
    })
  })

  test('takes the line ends of Windows for the same file', async () => {
    await write('0001-first.sql', 'create table first (\n  n int)\n')
    await migrate(at.database, folder)
    await write('0001-first.sql', 'create table first (\r\n  n int)\r\n')
    expect(await migrate(at.database, folder)).toEqual([])
  })

  test('refuses a new file that sorts before one that ran', async () => {
    await write('0002-second.sql', 'create table second (n int)')
    await migrate(at.database, folder)
    await write('0001-first.sql', 'create table first (n int)')
    await expect(migrate(at.database, folder)).rejects.toThrow('migration 0001-first.sql sorts before 0002-second.sql')
  })

  test('runs each file once when several processes start together', async () => {
    await write('0001-first.sql', 'create table first (n int)')
    await write('0002-fill.sql', 'insert into first values (1)')
    const others = [1, 2, 3, 4].map(() => openDatabase(at.url))
    const ran = await Promise.all(others.map((database) => migrate(database, folder)))
    await Promise.all(others.map((database) => database.end()))
    expect(ran.flat().sort()).toEqual(['0001-first.sql', '0002-fill.sql'])
  })

  test('brings a database to the tables of this release', async () => {
    expect((await migrate(at.database)).length).toBeGreaterThan(0)
    expect([await has('companies'), await has('record_versions'), await migrate(at.database)]).toEqual([true, true, []])
  })
})
