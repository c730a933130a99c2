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

  test('refuses a database that a later version has migrated, and names what it does not know', async () => {
    await write('0001-first.sql', 'create table first (n int)')
    await write('0003-later.sql', 'create table later (n int)')
    await migrate(at.database, folder)
    await rm(join(folder, '0003-later.sql'))
    await expect(migrate(at.database, folder)).rejects.toThrow('a later version has migrated this database (0003-later.sql)')
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
