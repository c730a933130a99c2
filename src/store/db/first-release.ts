import type { Migration } from './migration-files.ts'

/** Last migration of the development versions: it led to the tables of release 1.0.0. */
export const LAST_DEVELOPMENT_MIGRATION = {
  name: '044-trace-context.sql',
  checksum: '9ad058c4b5b910ae587252e8b10d3f8c45aef2fbe05432b5808fb73f1463707d',
}
/** First migrations of release 1.0.0, which make all its tables at once. */
const FIRST_RELEASE = /^0(0\d|10)-/

/**
 * Applied migrations of a database, by name with their checksums; those of a development version are replaced by those
 * of release 1.0.0, whose tables it has. Throws when the development version was not the last one.
 */
export function replaceDevelopmentMigrations(applied: ReadonlyMap<string, string>, migrations: readonly Migration[]): Map<string, string> {
  const first = migrations.filter(({ name }) => FIRST_RELEASE.test(name))
  if (applied.size === 0 || first.length === 0 || applied.has(first[0]?.name ?? '')) return new Map(applied)
  if (applied.get(LAST_DEVELOPMENT_MIGRATION.name) !== LAST_DEVELOPMENT_MIGRATION.checksum)
    throw new Error('a version from before 1.0.0 has made this database; only the last of these versions can be upgraded')
  return new Map([
    ...first.map(({ name, checksum }): [string, string] => [name, checksum]),
    ...[...applied].filter(([name]) => name > LAST_DEVELOPMENT_MIGRATION.name),
  ])
}
