import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RELEASE } from '../../src/model/release.ts'
import { upgradeSchema } from '../../src/store/db/migrate.ts'
import { readMigrations } from '../../src/store/db/migration-files.ts'
import { testDatabase } from '../../test/harness/database.ts'
import { openTestPostgres } from '../../test/harness/global-setup.ts'
import { recordCode } from '../../test/upgrades/release-code.ts'
import { recordData } from '../../test/upgrades/release-data.ts'
import { readSchema } from '../../test/upgrades/schema.ts'
import { recordDocuments } from '../docs/api-release.ts'
import { readRecord } from './binaries-record.ts'
import { checkVersion, dateChangelog, ReleaseError, replaceChartVersion, replaceVersion } from './release-files.ts'

/**
 * `npm run release -- 1.2.0`: dates the changelog, sets the version, and records the schema that later migrations are
 * compared with, a deployment’s data that later versions must upgrade, the code that they must run beside, and the
 * API's documents that later ones must not break. Writes files only; committing and tagging is left to the person who
 * releases.
 */
async function main([version = '']: readonly string[]): Promise<void> {
  checkVersion(version, RELEASE)
  const changelog = dateChangelog(await readFile('CHANGELOG.md', 'utf8'), version, new Date().toISOString().slice(0, 10))
  const packages = await Promise.all(
    ['package.json', 'package-lock.json'].map(async (path) => ({
      path,
      text: replaceVersion(await readFile(path, 'utf8'), RELEASE, version),
    })),
  )
  const chart = join('deploy', 'helm', 'countinghouse', 'Chart.yaml')
  packages.push({ path: chart, text: replaceChartVersion(await readFile(chart, 'utf8'), RELEASE, version) })
  const record = `${JSON.stringify(await recordSchema(version), null, 2)}\n`
  const folder = join('test', 'upgrades', 'releases')
  await mkdir(folder, { recursive: true })
  await writeFile('CHANGELOG.md', changelog)
  for (const { path, text } of packages) await writeFile(path, text)
  await writeFile(join(folder, `${version}.json`), record)
  // Last, since the processes that create the data read their version from package.json.
  await recordData(version)
  await recordCode(version)
  await recordDocuments()
  for (const { package: name } of (await readRecord()).filter(({ sameAs }) => sameAs === null))
    process.stdout.write(`${name} was not compared with what its maker publishes: CONTRIBUTING, “Third-party binaries”.\n`)
  process.stdout.write(
    `Release ${version} is written. Run \`npm run docs\` and \`npm run check\`, commit, and tag the commit v${version}.\n`,
  )
}

async function recordSchema(release: string) {
  const migration = (await readMigrations()).at(-1)?.name
  const { url, close } = await openTestPostgres()
  process.env.TEST_POSTGRES_URL = url
  try {
    const { database, drop } = await testDatabase({ migrated: false })
    await upgradeSchema(database)
    const schema = await readSchema(database)
    await drop()
    return { release, migration, schema }
  } finally {
    await close()
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof ReleaseError ? error.message : String(error)}\n`)
  process.exitCode = 1
})
