import { join } from 'node:path'
import { expect, it } from 'vitest'
import { restoreBackup } from '../../src/backup/restore.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openDeployment, passphrase } from './deployment.ts'

const COMPANIES = 40_000
const BATCH = 5_000

const deployment = openForTests(() => openDeployment(['xero']))

/** What a restored embedded PostgreSQL has written to its log since its cluster was made, and for a copy of the companies alone. */
async function restoreInto(name: string, backup: string): Promise<{ log: number; copy: number; walLevel: string }> {
  const dataDir = join(deployment.folder, name)
  await restoreBackup({ path: backup, passphrase }, { dataDir, databaseUrl: null, keysElsewhere: null })
  const postgres = await startEmbeddedPostgres({ dataDir })
  const database = openDatabase(postgres.url, { max: 1 })
  try {
    const log = await logBytes(database)
    const { rows } = await database.query<{ level: string }>(`select current_setting('wal_level') as level`)
    await database.query('create table copied as select * from companies')
    return { log, copy: (await logBytes(database)) - log, walLevel: rows[0]?.level ?? '' }
  } finally {
    await database.end()
    await postgres.stop()
  }
}

async function logBytes(database: Database): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>(`select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes`)
  return rows[0]?.bytes ?? Number.NaN
}

it('a restore into the embedded PostgreSQL does not write the rows to its log, which the service has again', async () => {
  const small = await restoreInto('small', await deployment.backUp('small.backup'))
  // In several statements: each company stores the parts of its name, too.
  for (let batch = 0; batch < COMPANIES; batch += BATCH)
    await deployment.harness.deps.database.query(
      `insert into companies (instance_id, id, name) select i.id, gen_random_uuid(), md5(($1 + n)::text) from instances i, generate_series(1, $2) n`,
      [batch, BATCH],
    )
  const large = await restoreInto('large', await deployment.backUp('large.backup'))
  // Rows and indexes are three copies; indexes below 2 MB are logged, which is cheaper than flushing them.
  expect(large.log - small.log).toBeLessThan(2 * large.copy)
  expect(large.walLevel).toBe('replica')
}, 180_000)
