import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../test/harness/database.ts'
import { LAST_DEVELOPMENT_MIGRATION } from './first-release.ts'
import { listPendingMigrations, migrate } from './migrate.ts'
import { MIGRATIONS, readMigrations } from './migration-files.ts'

const { name, checksum } = LAST_DEVELOPMENT_MIGRATION

/** Runs `work` on a folder with the migrations of release 1.0.0. */
async function withMigrationsOfFirstRelease<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-migrations-'))
  for (const migration of await readMigrations()) {
    if (migration.name < '011') await copyFile(join(MIGRATIONS, migration.name), join(folder, migration.name))
  }
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The tables of release 1.0.0 with the record of a development version. */
async function openDevelopmentDatabase(last: { name: string; checksum: string }): Promise<TestDatabase> {
  const at = await testDatabase({ migrated: false })
  await withMigrationsOfFirstRelease((folder) => migrate(at.database, folder))
  await at.database.query('delete from schema_migrations')
  await at.database.query(
    `insert into schema_migrations (name, checksum) values ('001-core.sql', 'old'), ('002-access.sql', 'old'), ($1, $2)`,
    [last.name, last.checksum],
  )
  return at
}

test('a database of the last development version is one of release 1.0.0', async () => {
  const at = await openDevelopmentDatabase({ name, checksum })
  await withMigrationsOfFirstRelease(async (folder) => {
    expect(await listPendingMigrations(at.database, folder)).toEqual([])
    expect(await migrate(at.database, folder)).toEqual([])
  })
  await migrate(at.database)
  const { rows } = await at.database.query<{ name: string }>('select name from schema_migrations order by name')
  expect(rows.map((row) => row.name)).toEqual((await readMigrations()).map((migration) => migration.name))
  await at.drop()
})

test.each([
  ['an earlier one', { name: '043-retention.sql', checksum: 'old' }],
  ['one with another last migration', { name, checksum: 'changed' }],
])('a database of %s is refused, and its record stays', async (_which, last) => {
  const at = await openDevelopmentDatabase(last)
  await expect(migrate(at.database)).rejects.toThrow('a version from before 1.0.0 has made this database')
  expect((await at.database.query('select from schema_migrations')).rowCount).toBe(3)
  await at.drop()
})
