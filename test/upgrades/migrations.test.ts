import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { compareReleases, RELEASE } from '../../src/model/release.ts'
import { replaceFunctions } from '../../src/store/db/functions.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { MIGRATIONS, type Migration, readMigrations } from '../../src/store/db/migration-files.ts'
import { testDatabase } from '../harness/database.ts'
import { findBreaches } from './compatibility.ts'
import { runAndJudge } from './effects.ts'
import { layOutCode } from './release-code.ts'
import { type Release, readReleases } from './releases.ts'
import { readSchema } from './schema.ts'

const [last] = await readReleases()
if (!last) throw new Error('no release is recorded in test/upgrades/releases')
const later = (await readMigrations()).filter(({ name }) => name > last.migration)

it('the migrations of the last release are unchanged since it was recorded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-release-'))
  await layOutCode(last.release, join(folder, 'code'))
  const released = await readMigrations(join(folder, 'code', 'src', 'store', 'migrations'))
  await rm(folder, { recursive: true })
  expect(released.at(-1)?.name).toBe(last.migration)
  expect((await readMigrations()).filter(({ name }) => name <= last.migration)).toEqual(released)
  expect(compareReleases(last.release, RELEASE)).toBeLessThanOrEqual(0)
})

it('no function but that of release 1.0.0 returns whole rows of a table: a call under way would fail when a column is added', async () => {
  const folder = join(MIGRATIONS, '..', 'functions')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql'))
  const texts = await Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })))
  expect(names.length).toBeGreaterThan(8)
  expect(texts.filter(({ text }) => /returns setof (?!record\b)/.test(text)).map(({ name }) => name)).toEqual(['claim-jobs.sql'])
})

it('no later migration blocks access to the tables of the last release', async () => {
  const at = await openRelease(last)
  for (const migration of later)
    expect([migration.name, await runAndJudge(at.database, migration, tablesOf(last))]).toEqual([migration.name, []])
  await at.drop()
})

it('the last release can work with the schema of this one, except for what it no longer uses', async () => {
  const at = await openRelease(last)
  for (const migration of later) {
    const before = await readSchema(at.database)
    await runAndJudge(at.database, migration, new Set())
    const breaches = findBreaches(last.schema, await readSchema(at.database)).filter(
      (breach) => !findBreaches(last.schema, before).includes(breach),
    )
    expect([migration.name, breaches.filter(() => !isContract(migration))]).toEqual([migration.name, []])
  }
  await replaceFunctions(at.database)
  expect(findBreaches(last.schema, await readSchema(at.database)).filter((breach) => breach.startsWith('function'))).toEqual([])
  await at.drop()
})

/** Whether it removes what release `oldestRelease` no longer uses; that release must be out already. */
function isContract({ oldestRelease }: Migration): boolean {
  return oldestRelease !== null && last !== undefined && compareReleases(oldestRelease, last.release) <= 0
}

function tablesOf({ schema }: Release): Set<string> {
  return new Set(Object.keys(schema.columns).map((name) => name.slice(0, name.indexOf('.'))))
}

/** A database with the tables of a release. */
async function openRelease({ migration }: Release) {
  const at = await testDatabase({ migrated: false })
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-migrations-'))
  await cp(MIGRATIONS, folder, { recursive: true, filter: (path) => !path.endsWith('.sql') || basename(path) <= migration })
  await migrate(at.database, folder)
  await rm(folder, { recursive: true })
  return at
}
