import { access, chmod, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { folderForTests } from '../../../test/harness/for-tests.ts'
import { openDatabase } from '../db/database.ts'
import { makeTemplate, startEmbeddedPostgres } from './postgres.ts'

interface Found {
  /** Of the cluster: a copy has that of the template. */
  system: string
  isFilled: boolean
}

describe('a cluster for first starts', () => {
  const folder = folderForTests()
  let template: string
  beforeAll(async () => {
    await chmod(folder.path, 0o711)
    template = join(folder.path, 'template')
    await makeTemplate(template, join(folder.path, 'work'), async (url) => void (await ask(url, 'create table filled (n int)')))
  })

  async function ask<Row extends object>(url: string, sql: string): Promise<Row[]> {
    const database = openDatabase(url, { max: 1 })
    // PostgreSQL may stop before it has closed a connection that was ended here.
    database.on('error', (error) => expect(error).toHaveProperty('code', '57P01'))
    try {
      return (await database.query<Row & Record<string, unknown>>(sql)).rows
    } finally {
      await database.end()
    }
  }

  async function startFrom(name: string, from: string): Promise<Found> {
    const dataDir = join(folder.path, name)
    const postgres = await startEmbeddedPostgres({ dataDir, systemFolder: join(folder.path, 'system'), template: () => from })
    try {
      const [row] = await ask<Found>(
        postgres.url,
        `select system_identifier::text as system, to_regclass('filled') is not null as "isFilled" from pg_control_system()`,
      )
      expect(await readdir(join(dataDir, 'postgres'))).not.toContain(expect.stringContaining('draft'))
      if (!row) throw new Error('no row')
      return row
    } finally {
      await postgres.stop()
    }
  }

  test('is copied, with its database, and nothing of its making is left', async () => {
    const [one, other] = [await startFrom('one', template), await startFrom('other', template)]
    expect(one.isFilled).toBe(true)
    expect(other).toEqual(one)
    await expect(access(join(folder.path, 'work'))).rejects.toThrow('ENOENT')
    expect(await startFrom('one', template)).toEqual(one)
  })

  test('is made anew where it is missing, of another version, or cannot be copied', async () => {
    const ofOther = join(folder.path, 'of-another-version')
    await makeTemplate(ofOther, join(folder.path, 'work'), async () => undefined)
    await writeFile(join(ofOther, 'PG_VERSION'), '17\n')
    const cut = join(folder.path, 'cut')
    await makeTemplate(cut, join(folder.path, 'work'), async (url) => void (await ask(url, 'create table filled (n int)')))
    await rm(join(cut, 'base'), { recursive: true })
    await rm(join(cut, 'global'), { recursive: true })
    for (const [name, from] of [
      ['of-none', join(folder.path, 'none')],
      ['of-version', ofOther],
      ['of-cut', cut],
    ] as const)
      expect(await startFrom(name, from).then(({ isFilled }) => isFilled), name).toBe(false)
  })
})
