import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../test/harness/database.ts'
import { FUNCTIONS, replaceFunctions } from './functions.ts'

describe('SQL functions', () => {
  let folder: string
  let at: TestDatabase

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countinghouse-functions-'))
    at = await testDatabase()
  })

  afterEach(async () => {
    await at.drop()
    await rm(folder, { recursive: true })
  })

  const write = (version: number, gives: number, name = 'answer') =>
    writeFile(
      join(folder, `${name}.sql`),
      `-- Version: ${version}\ncreate or replace function ${name}() returns int language sql as 'select ${gives}';\n`,
    )

  async function answer(): Promise<number | undefined> {
    return (await at.database.query<{ answer: number }>('select answer()')).rows[0]?.answer
  }

  test('come from their files, once', async () => {
    await write(1, 41)
    expect(await replaceFunctions(at.database, folder)).toEqual(['answer.sql'])
    expect(await answer()).toBe(41)
    expect(await replaceFunctions(at.database, folder)).toEqual([])
  })

  test('are those of this version where no folder is named', async () => {
    const { database } = at
    await database.query('delete from schema_functions')
    const own = (await readdir(FUNCTIONS)).filter((name) => name.endsWith('.sql'))
    expect(own).toContain('exchange-call-counts.sql')
    expect((await replaceFunctions(database)).sort()).toEqual(own.sort())
  })

  test('are replaced by a text of a higher version', async () => {
    await write(1, 41)
    await replaceFunctions(at.database, folder)
    await write(2, 42)
    expect(await replaceFunctions(at.database, folder)).toEqual(['answer.sql'])
    expect(await answer()).toBe(42)
  })

  test('stay when an older version of the service starts later', async () => {
    await write(2, 42)
    await replaceFunctions(at.database, folder)
    await write(1, 41)
    expect(await replaceFunctions(at.database, folder)).toEqual([])
    expect(await answer()).toBe(42)
  })

  test('are refused when a text was changed under its version, and nothing is replaced', async () => {
    await write(1, 41)
    await replaceFunctions(at.database, folder)
    await write(1, 42)
    await write(1, 1, 'other')
    await expect(replaceFunctions(at.database, folder)).rejects.toThrow('function answer.sql was changed; raise the version')
    expect(await answer()).toBe(41)
    await expect(at.database.query('select other()')).rejects.toThrow('other() does not exist')
  })

  test('are refused without a version', async () => {
    await writeFile(join(folder, 'answer.sql'), `create or replace function answer() returns int language sql as 'select 1';`)
    await expect(replaceFunctions(at.database, folder)).rejects.toThrow('function answer.sql has no version')
  })

  test('that fail are named', async () => {
    await writeFile(join(folder, 'answer.sql'), '-- Version: 1\ncreate function answer( returns int')
    await expect(replaceFunctions(at.database, folder)).rejects.toThrow('function answer.sql failed: syntax error')
  })

  test('of this deployment are those of the tree', async () => {
    const { rows } = await at.database.query<{ name: string }>('select name from schema_functions order by name')
    expect(rows.map(({ name }) => name)).toContain('claim-jobs.sql')
    expect(await replaceFunctions(at.database)).toEqual([])
  })
})
