import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restoreBackup } from '../../../src/backup/restore.ts'
import { compareTables } from '../../../src/backup/verify/compare-tables.ts'
import { openSealedValues } from '../../../src/backup/verify/open-sealed.ts'
import { replaySample } from '../../../src/backup/verify/replay-sample.ts'
import { Secret } from '../../../src/model/values/secret.ts'
import { placeChanges } from '../../../src/store/changes/place-changes.ts'
import { type Database, inTransaction, openDatabase } from '../../../src/store/db/database.ts'
import { upgradeSchema } from '../../../src/store/db/migrate.ts'
import { openKeys } from '../../../src/store/keys/keys.ts'
import { createSealer } from '../../../src/store/keys/sealing.ts'
import { type BackedUpDeployment, openDeployment, PASSPHRASE, passphrase } from '../../backup/deployment.ts'
import { runCommand } from '../../cli/run-command.ts'
import { databaseOfOneServer, type TestDatabase } from '../../harness/database.ts'
import { until } from '../../process/deadline.ts'
import { type ClusterDatabase, citusNote, clusterDatabase, lacksCitus } from '../cluster-database.ts'
import { addPair, listMarks, markPair } from './company-pair.ts'

const signal = new AbortController().signal
const ROUNDS = 3

describe.skipIf(lacksCitus)(`a backup of a cluster${citusNote}`, () => {
  let cluster: ClusterDatabase
  let database: Database
  let deployment: BackedUpDeployment
  let pair: string[]
  const targets: Pick<TestDatabase, 'drop'>[] = []

  beforeAll(async () => {
    cluster = await clusterDatabase({ workers: 2, hasOwner: true })
    database = cluster.database
    deployment = await openDeployment(['xero', 'plaid', 'bank-files'], async () => cluster)
    pair = await addPair(cluster)
  }, 240_000)
  afterAll(async () => {
    for (const target of targets) await target.drop()
    await deployment?.close()
  }, 120_000)

  /** Every sealed value opens with the keys of the backup, and stored pages give the published bytes. */
  async function expectReadable(found: Database, name: string): Promise<void> {
    const sealer = createSealer(await openKeys(join(deployment.folder, name)))
    const sealed = await openSealedValues({ database: found, sealer }, signal)
    expect(sealed.filter(({ unreadable }) => unreadable > 0)).toEqual([])
    const sample = await replaySample({ ...deployment.harness.deps, database: found, sealer }, 1_000, signal)
    expect(sample).toMatchObject({ different: 0, unreadablePages: 0 })
    expect(sample.identical).toBeGreaterThan(20)
  }
  /** As a superuser counts them, who bypasses row-level security. */
  const countOf = async (table: string) => {
    const { rows } = await cluster.admin.query<{ count: number }>(`select count(*)::int as count from ${table}`)
    return rows[0]?.count
  }

  const notesOf = async (db: Database) => {
    const { rows } = await db.query<{ count: number }>('select count(*)::int as count from unplaced_publications where instance_id = $1', [
      deployment.harness.instanceId,
    ])
    return rows[0]?.count
  }
  const firstsOf = async (db: Database) =>
    (
      await db.query(
        'select company_id, service_id, first_published_at from publications where instance_id = $1 order by company_id, service_id',
        [deployment.harness.instanceId],
      )
    ).rows

  const onNodes = () => clusterDatabase({ workers: 2, hasOwner: true, isEmpty: true })
  type Target = Pick<TestDatabase, 'database' | 'url' | 'drop'>
  async function restore(
    path: string,
    name: string,
    on?: Target,
  ): Promise<{ target: Target; restored: Awaited<ReturnType<typeof restoreBackup>> }> {
    const target = on ?? (await databaseOfOneServer({ migrated: false }))
    targets.push(target)
    const to = { dataDir: join(deployment.folder, name), databaseUrl: new Secret(target.url), keysElsewhere: null }
    return { target, restored: await restoreBackup({ path, passphrase }, to) }
  }

  /** Indexes, constraints, policies, owners and distribution are those of a first start. */
  async function expectSameShape(found: Database): Promise<void> {
    const shape = `select 'index' as kind, indexdef as text from pg_indexes where schemaname = 'public'
      union all select 'constraint', conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated from pg_constraint where connamespace = 'public'::regnamespace
      union all select 'policy', tablename || policyname || qual from pg_policies
      union all select 'table', relname || relpersistence::text || relrowsecurity || relforcerowsecurity || relreplident::text || pg_get_userbyid(relowner) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      union all select 'trigger', tgrelid::regclass || ' ' || tgname || tgenabled::text from pg_trigger where not tgisinternal
      union all select 'distributed', logicalrelid || coalesce(column_to_column_name(logicalrelid, partkey), '') from pg_dist_partition
      union all select 'filled', rows_lack_company()::text order by 1, 2`
    const [own, wanted] = await Promise.all([found.query(shape), database.query(shape)])
    expect(own.rows).toEqual(wanted.rows)
    expect(wanted.rows.length).toBeGreaterThan(200)
  }

  it('is restored on one PostgreSQL with every row of every table and every byte', async () => {
    const { target, restored } = await restore(await deployment.backUp('whole.backup'), 'whole')
    expect(restored.leftOut).toEqual([])
    for (const url of [target.url, cluster.url])
      expect((await compareTables(url, restored.tables, signal)).filter(({ isEqual }) => !isEqual)).toEqual([])
    for (const name of ['companies', 'record_versions', 'raw_pages', 'publications', 'sync_runs'])
      expect(restored.tables[name]?.rows, name).toBeGreaterThan(0)
    expect(restored.tables.record_versions?.rows).toBe(await countOf('record_versions'))
    await upgradeSchema(target.database)
    await expectReadable(target.database, 'whole')
    await expectReadable(database, 'whole')
  }, 120_000)

  it('is of one point in time while transactions change the coordinator and two nodes', async () => {
    await markPair(database, pair, 'Round 0')
    let marks = 0
    let isOver = false
    const marking = (async () => {
      while (!isOver) {
        await markPair(database, pair, `Round ${marks + 1}`)
        marks += 1
      }
    })()
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = marks
        const { target } = await restore(await deployment.backUp(`marks-${round}.backup`), `marks-${round}`)
        const found = new Set(await listMarks(target.database, pair))
        expect([round, [...found]]).toEqual([round, [expect.stringMatching(/^Round \d+$/)]])
        expect(marks).toBeGreaterThan(before)
      }
    } finally {
      isOver = true
      await marking
    }
  }, 240_000)

  it('waits for a transaction that has begun on a node, and holds it whole', async () => {
    const begun = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const transaction = inTransaction(database, async (db) => {
      await db.query('select from record_versions where company_id = $1', [pair[0]])
      begun.resolve()
      await mayEnd.promise
      await db.query(`update companies set city = 'late' where id = any($1)`, [pair])
      for (const companyId of pair) await db.query(`update record_versions set sort_key = 'late' where company_id = $1`, [companyId])
    })
    await begun.promise
    const backup = deployment.backUp('late.backup')
    await until('the backup waits', async () => {
      const { rowCount } = await cluster.admin.query(
        `select from pg_locks where relation = 'two_phase_commits'::regclass and mode = 'ShareLock' and not granted`,
      )
      return rowCount === 1 ? true : null
    })
    mayEnd.resolve()
    await transaction
    const { target } = await restore(await backup, 'late')
    expect(await listMarks(target.database, pair)).toEqual(['late', 'late', 'late', 'late'])
  }, 120_000)

  it('is refused while a node has part of a commit that is not finished there', async () => {
    const [coordinator, worker] = cluster.ports
    const node = openDatabase(cluster.url.replace(`:${coordinator}/`, `:${worker}/`).replace(/\/\/\w+@/, '//postgres@'), { max: 1 })
    try {
      const client = await node.connect()
      await client.query('begin')
      await client.query('create table part ()')
      await client.query(`prepare transaction 'citus_0_1_1_0'`)
      client.release()
      await expect(deployment.backUp('part.backup')).rejects.toThrow(`the node 127.0.0.1:${worker} has part of a commit`)
    } finally {
      await node.query(`rollback prepared 'citus_0_1_1_0'`)
      await node.end()
    }
  }, 60_000)

  it('names a node that cannot be reached', async () => {
    const [, worker] = cluster.ports
    await cluster.admin.query('update pg_dist_node set nodeport = 1 where nodeport = $1', [worker])
    try {
      await expect(deployment.backUp('lost.backup')).rejects.toThrow('the node 127.0.0.1:1 cannot be reached')
    } finally {
      await cluster.admin.query('update pg_dist_node set nodeport = $1 where nodeport = 1', [worker])
    }
  }, 60_000)

  it('is restored on an empty cluster, distributed as by a first start', async () => {
    await markPair(database, pair, 'Restored')
    const { instanceId } = deployment.harness
    // Noted and not placed yet: publications that are there, and one that was removed.
    await database.query(
      `insert into unplaced_publications (instance_id, company_id, service_id, version, is_removed)
       values ($1, gen_random_uuid(), gen_random_uuid(), 7, true)`,
      [instanceId],
    )
    expect(await notesOf(database)).toBeGreaterThan(1)
    const { target, restored } = await restore(await deployment.backUp('nodes.backup'), 'nodes', await onNodes())
    expect((await compareTables(target.url, restored.tables, signal)).filter(({ isEqual }) => !isEqual)).toEqual([])
    await expectSameShape(target.database)
    await upgradeSchema(target.database)
    expect(target.database.isDistributed).toBe(true)
    await expectReadable(target.database, 'nodes')
    expect(await firstsOf(target.database)).toEqual(await firstsOf(database))
    await placeChanges(target.database, instanceId)
    expect(await notesOf(target.database)).toBe(0)
  }, 240_000)

  it('is not needed to come from a cluster: one of a single server is restored on one', async () => {
    const single = await openDeployment(['xero', 'bank-files'], () => databaseOfOneServer())
    try {
      const { target, restored } = await restore(await single.backUp('single.backup'), 'single', await onNodes())
      expect((await compareTables(target.url, restored.tables, signal)).filter(({ isEqual }) => !isEqual)).toEqual([])
      await expectSameShape(target.database)
      expect(restored.tables.record_versions?.rows).toBeGreaterThan(0)
      // As rows of 1.0.0 are that no pass has filled yet.
      await single.harness.deps.database.query('alter table raw_pages disable trigger user; update raw_pages set company_id = null')
      await expect(restore(await single.backUp('unfilled.backup'), 'unfilled', await onNodes())).rejects.toThrow(
        'rows of raw_pages lack their company',
      )
    } finally {
      await single.close()
    }
  }, 240_000)

  it('is what countinghouse backup writes and countinghouse verify compares', async () => {
    const path = join(deployment.folder, 'command.backup')
    const environment = { DATABASE_URL: cluster.url, DATA_DIR: deployment.dataDir, BACKUP_PASSPHRASE: PASSPHRASE }
    const written = await runCommand(['backup', '--to', path, '--json'], environment)
    expect([written.code, written.stderr]).toEqual([0, ''])
    const compared = await runCommand(['verify', '--from', path, '--json'], environment)
    const { tables, sealed, audit } = JSON.parse(compared.stdout) as {
      tables: { name: string; isEqual: boolean }[]
      sealed: { table: string; opened: number; unreadable: number }[]
      audit: { faults: unknown[] }
    }
    expect(audit.faults).toEqual([])
    expect(sealed.filter(({ unreadable }) => unreadable > 0)).toEqual([])
    expect(sealed.find(({ table }) => table === 'raw_pages')?.opened).toBe(await countOf('raw_pages'))
    // The entry that a backup was taken.
    expect(tables.filter(({ isEqual }) => !isEqual).map(({ name }) => name)).toEqual(['audit_chains', 'audit_entries'])
  }, 120_000)
})
