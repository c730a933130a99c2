import { access, chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { makeTemplate, startEmbeddedPostgres } from './postgres.ts'

interface Found {
  /** Of the cluster: a copy has that of the template. */
  system: string
  isFilled: boolean
}

describe('a cluster for first starts', () => {
  let folder: string
  let template: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countinghouse-template-'))
    await chmod(folder, 0o711)
    template = join(folder, 'template')
    await makeTemplate(template, join(folder, 'work'), async (url) => void (await ask(url, 'create table filled (n int)')))
  })
  afterAll(async () => await rm(folder, { recursive: true, force: true }))

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
    const dataDir = join(folder, name)
    const postgres = await startEmbeddedPostgres({ dataDir, systemFolder: join(folder, 'system'), template: () => from })
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
    await expect(access(join(folder, 'work'))).rejects.toThrow('ENOENT')
    expect(await startFrom('one', template)).toEqual(one)
  })

  test('is made anew where it is missing, of another version, or cannot be copied', async () => {
    const ofOther = join(folder, 'of-another-version')
    await makeTemplate(ofOther, join(folder, 'work'), async () => undefined)
    await writeFile(join(ofOther, 'PG_VERSION'), '17\n')
    const cut = join(folder, 'cut')
    await makeTemplate(cut, join(folder, 'work'), async (url) => void (await ask(url, 'create table filled (n int)')))
    await rm(join(cut, 'base'), { recursive: true })
    await rm(join(cut, 'global'), { recursive: true })
    for (const [name, from] of [
      ['of-none', join(folder, 'none')],
      ['of-version', ofOther],
      ['of-cut', cut],
    ] as const)
      expect(await startFrom(name, from).then(({ isFilled }) => isFilled), name).toBe(false)
  })
})
