import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CheckId } from '../../src/cli/doctor/checks.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { checkServer } from '../../src/store/db/server-check.ts'
import { findCitus } from '../../src/store/db/server-settings.ts'
import { CITUS_FAULTS } from '../cli/machine-faults.ts'
import { runCommand } from '../cli/run-command.ts'
import { type ClusterDatabase, citusNote, clusterDatabase, lacksCitus } from './cluster-database.ts'
import { distributeRecords } from './distribute.ts'
import { tableUses } from './keyed-tables.ts'
import { NOT_YET } from './not-yet.ts'
import { addPublished } from './published.ts'
import { MIXED, OF_ALL_SHARDS, type Published, recordStatements } from './record-statements.ts'
import { recordStatementsOf, type Sent } from './recorder.ts'
import { connect, inScope } from './scoped-client.ts'
import { squeezed } from './source-statements.ts'
import { DISTRIBUTION_KEYS, isDistributed } from './tables.ts'

const OTHER_POLICY = 'create policy other on record_versions'
const OTHERS = new Set([...Object.keys(OF_ALL_SHARDS), ...Object.values(MIXED).flat()])

describe.skipIf(lacksCitus)(`on a cluster of Citus${citusNote}`, () => {
  let cluster: ClusterDatabase
  let of: Published
  let client: pg.Client
  const sent: Record<string, Sent[]> = {}
  beforeAll(async () => {
    cluster = await clusterDatabase()
    await cluster.join(cluster.ports.slice(1, 3))
    of = await addPublished(cluster.database)
    client = await connect(cluster.url)
  }, 60_000)
  afterAll(async () => {
    await client?.end()
    await cluster?.drop()
  })

  it('the tables stay on the coordinator, where every statement on records works', async () => {
    expect(await findCitus(cluster.database)).toMatchObject({ workers: 2, inactive: 0, tables: [] })
    const database = openDatabase(cluster.url, { max: 2 })
    const all = recordStatementsOf(database)
    for (const [name, run] of Object.entries(recordStatements(of))) {
      all.length = 0
      await run(database)
      sent[name] = [...all]
    }
    await database.end()
    expect(await checkServer(cluster.database)).toMatchObject({ fault: null, citus: { tables: [] } })
  })

  it('doctor says that the nodes hold nothing, and names one that is not active', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countinghouse-doctor-'))
    const ids = async (): Promise<CheckId[]> => {
      const { stdout } = await runCommand(['doctor', '--json'], { DATA_DIR: folder, DATABASE_URL: cluster.url })
      const { findings } = JSON.parse(stdout) as { findings: { id: CheckId }[] }
      return findings.map(({ id }) => id).filter((id) => id.startsWith('database-citus') || id === 'database-unsuitable')
    }
    const [, worker] = cluster.ports
    expect(await ids()).toEqual(['database-citus-unused'])
    await cluster.admin.query('select citus_disable_node($1, $2, true)', ['127.0.0.1', worker])
    expect(await ids()).toEqual(['database-citus-unused', 'database-citus-node'])
    await cluster.admin.query('select citus_activate_node($1, $2)', ['127.0.0.1', worker])
    expect(await ids()).toEqual(CITUS_FAULTS.slice(0, 1))
    await rm(folder, { recursive: true })
  }, 60_000)

  describe('once the records are distributed', () => {
    beforeAll(async () => await distributeRecords(cluster), 60_000)

    it('this release does not start', async () => {
      await expect(checkServer(cluster.database)).rejects.toThrow(/Citus manages .*\brecord_versions\b.*; this release works with/)
    })

    it('every statement that has the key and uses no other table goes to one shard, or is listed', async () => {
      const plans: Record<string, string> = {}
      const listed = new Set<string>()
      for (const [name, statements] of Object.entries(sent).filter(([name]) => !OTHERS.has(name))) {
        for (const [number, { text, values }] of statements.entries()) {
          if (!(await tableUses(text, DISTRIBUTION_KEYS)).some(isDistributed)) continue
          const plan = await inScope(client, '*', () => client.query(`explain (costs off) ${text}`, values)).catch((error: Error) => error)
          const told = plan instanceof Error ? plan.message : plan.rows.map((row) => row['QUERY PLAN']).join('\n')
          if (told.includes('Task Count: 1\n') && !told.includes('Distributed Subplan')) plans[`${name}, statement ${number + 1}`] = told
          else {
            const known = NOT_YET.find(({ begins }) => begins.test(squeezed(text)))
            expect(known, `${name}: ${told}\n${text}`).toBeDefined()
            if (known) listed.add(known.reason)
          }
        }
      }
      expect(Object.keys(plans).length).toBeGreaterThan(80)
      expect([...listed].toSorted(), 'a reason that has gone').toEqual(NOT_YET.map(({ reason }) => reason).toSorted())
    })

    it('rows of another instance stay hidden on the nodes, and without a scope every row is', async () => {
      const count = async () =>
        (await client.query('select count(*)::int as count from record_versions where company_id = $1', [of.companyId])).rows
      expect(await inScope(client, of.instanceId, count)).toEqual([{ count: 1 }])
      expect(await inScope(client, crypto.randomUUID(), count)).toEqual([{ count: 0 }])
      // An error, or nothing on a connection that had a scope before.
      const seen = await count().catch((error: Error) => error.message)
      expect(typeof seen === 'string' ? seen.includes('countinghouse.instance') : seen[0]?.count === 0).toBe(true)
    })

    it('what the plan rests on holds still', async () => {
      const columns =
        'instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key, run_id, raw_index, mapping_version'
      const rows = `insert into record_versions (${columns})
        select $1, $2, $1, 'Accounts', g, '-infinity', '', $1, '{}', '', '', $1, 0, 1 from unnest($3::uuid[]) g`
      const write = async (end: string) => await client.query(rows + end, [of.instanceId, of.companyId, [crypto.randomUUID()]])
      const inOwn = async (work: () => Promise<unknown>) => await inScope(client, of.instanceId, work)
      await expect(
        inOwn(() => write('')),
        'rows without a table are sent with COPY',
      ).rejects.toThrow('COPY FROM not supported')
      await inOwn(() => write(' returning 1'))
      await expect(
        inOwn(() => client.query('update record_versions set valid_to = clock_timestamp() where company_id = $1', [of.companyId])),
      ).rejects.toThrow('VOLATILE')
      const hidden = `${OTHER_POLICY} using (instance_id = (select id from instances limit 1))`
      await expect(cluster.admin.query(hidden), 'a policy with a subquery').rejects.toThrow(/SubLink|subquer/)
      await client.query('begin')
      await client.query(`select set_config('countinghouse.instance', $1, true)`, [of.instanceId])
      const seen = client.query('select from record_versions where company_id = $1', [of.companyId])
      expect(
        await seen.then(
          ({ rowCount }) => rowCount,
          () => 0,
        ),
        'a setting that is no SET LOCAL',
      ).toBe(0)
      await client.query('rollback')
    })

    it('a node joins and takes shards while records are read and written, without an error', async () => {
      const [, , , added] = cluster.ports
      if (added === undefined) throw new Error('the cluster needs a fourth node')
      const others = await Promise.all(Array.from({ length: 20 }, () => addRecord(cluster)))
      const load = startLoad(cluster, others)
      await cluster.join([added])
      await rebalance(cluster)
      const { rounds, errors } = await load.stop()
      expect(errors).toEqual([])
      expect(rounds).toBeGreaterThan(20)
      const { rows } = await cluster.admin.query<{ shards: number }>(
        'select count(*)::int as shards from citus_shards where nodeport = $1 and table_name = $2::regclass',
        [added, 'record_versions'],
      )
      expect(rows[0]?.shards).toBeGreaterThan(0)
      expect(await inScope(client, '*', async () => await countVersions(client, others))).toBe(others.length + rounds)
    }, 120_000)
  })
})

/** On a connection without the time limits of the service. */
async function rebalance({ admin }: ClusterDatabase): Promise<void> {
  const superuser = await admin.connect()
  await superuser.query('set statement_timeout = 0')
  await superuser.query('set lock_timeout = 0')
  await superuser.query(`select rebalance_table_shards('record_versions')`)
  superuser.release(true)
}

interface Company {
  instanceId: string
  companyId: string
  id: string
}

async function addRecord(cluster: ClusterDatabase): Promise<Company> {
  const company = { instanceId: crypto.randomUUID(), companyId: crypto.randomUUID(), id: crypto.randomUUID() }
  const client = await connect(cluster.url)
  await inScope(client, '*', async () => await addVersion(client, company))
  await client.end()
  return company
}

/** NOTE values, because Citus sends the rows of a query with COPY, which row-level security refuses. */
async function addVersion(client: pg.Client, { instanceId, companyId, id }: Company): Promise<void> {
  await client.query(
    `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key,
       run_id, raw_index, mapping_version)
     values ($1, $2, $1, 'Accounts', $3, '-infinity', '', $1, '{}', '', '', $1, 0, 1)`,
    [instanceId, companyId, id],
  )
}

async function countVersions(client: pg.Client, companies: readonly Company[]): Promise<number> {
  const { rows } = await client.query<{ count: number }>('select count(*)::int as count from record_versions where company_id = any ($1)', [
    companies.map(({ companyId }) => companyId),
  ])
  return rows[0]?.count ?? 0
}

/** Replaces the current version of one record after the other, and reads it, until it is stopped. */
function startLoad(cluster: ClusterDatabase, companies: readonly Company[]): { stop(): Promise<{ rounds: number; errors: unknown[] }> } {
  let isStopping = false
  let rounds = 0
  const errors: unknown[] = []
  const running = connect(cluster.url).then(async (client) => {
    for (let turn = 0; !isStopping; turn += 1) {
      const company = companies[turn % companies.length]
      if (!company) break
      try {
        await inScope(client, company.instanceId, async () => {
          await client.query(
            'update record_versions set valid_to = statement_timestamp() where company_id = $1 and id = $2 and valid_to is null',
            [company.companyId, company.id],
          )
          await addVersion(client, company)
        })
        rounds += 1
      } catch (error) {
        errors.push(error)
      }
    }
    await client.end()
  })
  return {
    stop: async () => {
      isStopping = true
      await running
      return { rounds, errors }
    },
  }
}
