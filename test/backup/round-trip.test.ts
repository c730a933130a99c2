import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restoreBackup } from '../../src/backup/restore.ts'
import { compareTables } from '../../src/backup/verify/compare-tables.ts'
import { openSealedValues } from '../../src/backup/verify/open-sealed.ts'
import { replaySample } from '../../src/backup/verify/replay-sample.ts'
import { Secret } from '../../src/model/values/secret.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { findPause } from '../../src/store/db/deployment-pause.ts'
import { upgradeSchema } from '../../src/store/db/migrate.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { addPageSpans } from '../../src/store/retention/page-spans.ts'
import { addEventWeeks } from '../../src/webhooks/event-partitions.ts'
import { adminUrlOf, type TestDatabase, testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openDeployment, passphrase } from './deployment.ts'

const signal = new AbortController().signal
const deployment = openForTests(openDeployment)
let target: TestDatabase
let dataDir: string
let backup: string
let restored: Awaited<ReturnType<typeof restoreBackup>>

beforeAll(async () => {
  // Another tenant, so that a policy that hides rows would show.
  await deployment.harness.deps.database.query(
    `insert into companies (instance_id, id, name) select id, gen_random_uuid(), 'Buckeye' from instances`,
  )
  backup = await deployment.backUp('one.backup')
  target = await testDatabase({ migrated: false })
  dataDir = join(deployment.folder, 'restored')
  restored = await restoreBackup({ path: backup, passphrase }, { dataDir, databaseUrl: new Secret(target.url), keysElsewhere: null })
})
afterAll(async () => {
  await target?.drop()
})

describe('a restored backup', () => {
  it('has every row of every table', async () => {
    const tables = await compareTables(target.url, restored.tables, signal)
    expect(tables.filter(({ isEqual }) => !isEqual)).toEqual([])
    for (const name of ['companies', 'record_versions', 'raw_pages', 'connections', 'schema_migrations', 'key_fingerprint'])
      expect(restored.tables[name]?.rows, name).toBeGreaterThan(0)
  })

  it('has the row counts of a superuser, who bypasses row-level security', async () => {
    const admin = openDatabase(await adminUrlOf(deployment.harness.url), { max: 1 })
    try {
      for (const [name, { rows }] of Object.entries(restored.tables)) {
        const counted = await admin.query<{ count: number }>(`select count(*)::int as count from "${name}"`)
        expect([name, rows]).toEqual([name, counted.rows[0]?.count])
      }
    } finally {
      await admin.end()
    }
  })

  it('has the indexes, constraints, policies and triggers of the migrations', async () => {
    await upgradeSchema(target.database)
    await addEventWeeks(target.database, console)
    await addPageSpans(target.database, 24, console)
    const shape = `select 'index' as kind, indexdef as text from pg_indexes where schemaname = 'public'
      union all select 'constraint', conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated from pg_constraint where connamespace = 'public'::regnamespace
      union all select 'policy', tablename || policyname || qual from pg_policies
      union all select 'table', relname || relpersistence::text || relrowsecurity || relforcerowsecurity from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      union all select 'trigger', tgrelid::regclass || ' ' || tgname || tgenabled::text from pg_trigger where not tgisinternal order by 1, 2`
    const [found, wanted] = await Promise.all([target.database.query(shape), deployment.harness.deps.database.query(shape)])
    expect(found.rows).toEqual(wanted.rows)
    expect(wanted.rows.length).toBeGreaterThan(200)
  })

  it('opens every sealed value with the keys from the backup, and replays records to the same bytes', async () => {
    const sealer = createSealer(await openKeys(dataDir))
    const sealed = await openSealedValues({ database: target.database, sealer }, signal)
    expect(sealed.filter(({ unreadable }) => unreadable > 0)).toEqual([])
    expect(sealed.find(({ table }) => table === 'raw_pages')?.opened).toBeGreaterThan(0)
    const sample = await replaySample({ ...deployment.harness.deps, database: target.database, sealer }, 1_000, signal)
    expect(sample).toMatchObject({ different: 0, unreadablePages: 0 })
    expect(sample.identical).toBeGreaterThan(20)
  })

  it('is paused as a copy of this backup', async () => {
    expect(await findPause(target.database)).toMatchObject({ reason: 'restored', backupId: restored.id })
    expect(existsSync(join(dataDir, 'restore-unfinished'))).toBe(false)
  })
})

describe('a comparison with a backup', () => {
  it('names each table with a different row or byte', async () => {
    const { database, url } = await testCopy()
    await database.query(`update companies set name = 'Boulangerie du plateau' where name = 'Boulangerie du Plateau'`)
    await database.query('delete from raw_pages where id = (select id from raw_pages limit 1)')
    const different = (await compareTables(url, restored.tables, signal)).filter(({ isEqual }) => !isEqual)
    expect(
      different.map(({ name }) => name),
      'and the sums of what is stored',
    ).toEqual(['companies', 'raw_pages', 'stored_bytes'])
  })

  it('counts sealed values that cannot be opened, and records that differ', async () => {
    const { database } = await testCopy()
    await database.query(
      `update raw_pages set sealed = overlay(sealed placing '\\x00' from octet_length(sealed) for 1) where id = (select raw_page_id from record_versions where valid_to is null and not deleted order by raw_page_id limit 1)`,
    )
    await database.query(`update record_versions set doc = replace(doc, '"currency":"', '"currency":"X') where valid_to is null`)
    const { sealer } = deployment.harness.deps
    const unreadable = (await openSealedValues({ database, sealer }, signal)).filter((column) => column.unreadable > 0)
    expect(unreadable).toMatchObject([{ table: 'raw_pages', unreadable: 1, reason: expect.stringContaining('raw_pages.sealed') }])
    const sample = await replaySample({ ...deployment.harness.deps, database }, 1_000, signal)
    expect(sample.unreadablePages).toBe(1)
    expect(sample.different).toBeGreaterThan(0)
    expect(sample.examples.length).toBeGreaterThan(0)
  })

  /** A copy that the test may damage. */
  async function testCopy(): Promise<TestDatabase> {
    copy = await testDatabase({ migrated: false })
    const to = { dataDir: join(deployment.folder, `copy-${copies++}`), databaseUrl: new Secret(copy.url), keysElsewhere: null }
    await restoreBackup({ path: backup, passphrase }, to)
    dropped.push(copy)
    return copy
  }
  let copy: TestDatabase
  let copies = 0
  const dropped: TestDatabase[] = []
  afterAll(async () => {
    for (const each of dropped) await each.drop()
  })
})
