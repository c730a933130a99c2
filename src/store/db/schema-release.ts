import { compareReleases } from '../../model/release.ts'
import type { Db } from './database.ts'

/**
 * Why `release` cannot work with the schema of this database: a later release has removed what it needs. Null when it
 * can, also after later migrations that only added something.
 */
export async function findNewerSchema(db: Db, release: string): Promise<string | null> {
  const { rows } = await db.query<{ name: string; oldest: string }>(
    // The record of an earlier release has no such column.
    `select * from (select name, to_jsonb(m) ->> 'oldest_release' as oldest from schema_migrations m) m where oldest is not null`,
  )
  const [newest] = rows.filter(({ oldest }) => compareReleases(oldest, release) > 0).sort((a, b) => compareReleases(b.oldest, a.oldest))
  if (!newest) return null
  return `a later version has migrated this database (${newest.name}); it needs version ${newest.oldest} or later, and this is ${release}`
}
