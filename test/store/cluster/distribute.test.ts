import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { createInstance } from '../../../src/store/access/instances.ts'
import { distributeNew, findOwnerOnNodes, isDistributed } from '../../../src/store/db/cluster/distribute.ts'
import { DISTRIBUTED_TABLES } from '../../../src/store/db/cluster/distributed-tables.ts'
import { withinInstance } from '../../../src/store/db/instance-scope.ts'
import { isOnCluster, serverNote } from '../../harness/database.ts'
import { addBooks, addVersion, idOf } from '../../records/record-store.ts'
import { type PlainCluster, plainCluster } from './plain-cluster.ts'

/** Rows of a statement that lists one value each. */
async function list(cluster: PlainCluster, text: string, values: unknown[] = []): Promise<unknown[]> {
  const { rows } = await cluster.admin.query<[unknown]>({ text, values, rowMode: 'array' })
  return rows.map(([value]) => value)
}

describe.skipIf(isOnCluster)(`the first start on a cluster${serverNote}`, () => {
  const cluster = plainCluster()
  const ours = 'c.relname = any($1) and c.relnamespace = current_schema()::regnamespace'

  it('gives each table to the nodes as their owner, all beside the first, and nothing a second time', async () => {
    const [first, ...others] = DISTRIBUTED_TABLES
    const given = [
      { role: cluster.role, what: 'two_phase_commits' },
      { role: cluster.owner, what: `${first} company_id` },
      ...others.map((table) => ({ role: cluster.owner, what: `${table} company_id with ${first}` })),
    ].map((each) => ({ ...each, mode: 'sequential', limits: '0 0' }))
    expect(await cluster.listGiven()).toEqual(given)
    expect([cluster.database.isDistributed, await isDistributed(cluster.database), await distributeNew(cluster.database)]).toEqual([
      true,
      true,
      true,
    ])
    expect(await cluster.listGiven()).toEqual(given)
  })

  it('makes tables that can be moved and that hold the service to its rows', async () => {
    const { rows } = await cluster.admin.query(
      `select c.relname as name, pg_get_userbyid(c.relowner) as owner, c.relpersistence as kind, c.relforcerowsecurity as forced,
         c.relrowsecurity as secured, c.relreplident as identity, (select array_agg(policyname || ' ' || cmd) from pg_policies p where p.tablename = c.relname) as policies,
         (select array_agg(privilege_type::text order by privilege_type) from information_schema.table_privileges g where g.table_name = c.relname and grantee = $2) as rights
       from pg_class c where ${ours} order by array_position($1, c.relname::text)`,
      [DISTRIBUTED_TABLES, cluster.role],
    )
    expect(rows).toEqual(
      DISTRIBUTED_TABLES.map((name) => ({
        ...{ name, owner: cluster.owner, kind: 'p', forced: false, secured: true, identity: 'f', policies: ['one_instance ALL'] },
        rights: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
      })),
    )
  })

  it('leaves neither triggers, nor foreign keys, nor unique indexes without the company', async () => {
    expect(
      await list(cluster, `select t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid where ${ours} and not t.tgisinternal`, [
        DISTRIBUTED_TABLES,
      ]),
    ).toEqual([])
    const unique = await list(cluster, `select indexdef from pg_indexes where tablename = any($1) and indexdef like 'CREATE UNIQUE%'`, [
      DISTRIBUTED_TABLES,
    ])
    expect(unique.length).toBeGreaterThanOrEqual(DISTRIBUTED_TABLES.length)
    for (const text of unique) expect(text).toMatch(/\(.*\bcompany_id\b.*\)/)
    // Neither of theirs nor to them.
    const keys = `select conrelid::regclass || ': ' || pg_get_constraintdef(oid) from pg_constraint
      where contype = 'f' and (conrelid::regclass::text = any($1) or confrelid::regclass::text = any($1))`
    expect(await list(cluster, keys, [DISTRIBUTED_TABLES])).toEqual([])
  })

  it('adds what a cluster keeps besides', async () => {
    const { rows } = await cluster.admin.query(
      `select table_name || '.' || column_name as name, data_type as type, is_nullable as "isNullable" from information_schema.columns
       where table_name = 'two_phase_commits' or (table_name, column_name) in (('publications', 'first_published_at'), ('unplaced_publications', 'version'),
         ('unplaced_publications', 'is_removed')) order by 1`,
    )
    expect(rows).toEqual([
      { name: 'publications.first_published_at', type: 'timestamp with time zone', isNullable: 'YES' },
      { name: 'two_phase_commits.id', type: 'integer', isNullable: 'NO' },
      { name: 'two_phase_commits.note', type: 'text', isNullable: 'YES' },
      { name: 'unplaced_publications.is_removed', type: 'boolean', isNullable: 'YES' },
      { name: 'unplaced_publications.version', type: 'bigint', isNullable: 'YES' },
    ])
    expect(await list(cluster, 'select rows_lack_company()')).toEqual([false])
  })

  it('makes a database in which an instance sees and changes its own rows alone', async () => {
    const { database } = cluster
    const [own, other] = [await addBooks(database), await addBooks(database)]
    for (const books of [own, other]) await addVersion(database, books, { id: idOf(1) })
    await withinInstance(own.instanceId, async () => {
      const { rows } = await database.query('select connection_id as id from record_versions')
      expect(rows).toEqual([{ id: own.connectionId }])
      expect((await database.query('update record_versions set sort_key = $1', ['own'])).rowCount).toBe(1)
      await expect(addVersion(database, other, { id: idOf(2) })).rejects.toThrow('row-level security')
    })
    const { rows } = await database.query('select sort_key as key from record_versions order by sort_key')
    expect(rows).toEqual([{ key: '01' }, { key: 'own' }])
  })
})

describe.skipIf(isOnCluster)(`tables stay on the coordinator${serverNote}`, () => {
  const cluster = plainCluster({ hasNodes: false })
  /** Runs statements as superuser. */
  const set = async (...texts: string[]) => {
    for (const text of texts) await cluster.admin.query(text)
  }
  const fill = (node: string) => [`insert into citus.extensions values ('citus')`, `insert into citus.pg_dist_node values ${node}`]
  const NODE = `(true, true, 'primary')`

  afterEach(async () => {
    await set(
      'truncate citus.extensions, citus.pg_dist_node',
      `alter role ${cluster.role} noinherit`,
      `grant ${cluster.owner} to ${cluster.role}`,
    )
  })

  const distribute = async () => [
    await distributeNew(cluster.database),
    await isDistributed(cluster.database),
    (await cluster.listGiven()).length,
    cluster.database.isDistributed,
  ]
  const NOT = [false, false, 0, false]

  it('without Citus, and without nodes that take them', async () => {
    expect(await distribute()).toEqual(NOT)
    await set(`insert into citus.pg_dist_node values ${NODE}`)
    expect([await distribute(), await findOwnerOnNodes(cluster.database)]).toEqual([NOT, null])
    for (const node of [`(false, true, 'primary')`, `(true, false, 'primary')`, `(true, true, 'secondary')`]) {
      await set('truncate citus.extensions, citus.pg_dist_node', ...fill(node))
      expect([node, await distribute(), await findOwnerOnNodes(cluster.database)]).toEqual([node, NOT, null])
    }
    await set('truncate citus.pg_dist_node')
    expect(await distribute()).toEqual(NOT)
  })

  it('without a role to own them, of which the service is a member', async () => {
    await set(...fill(NODE))
    expect(await findOwnerOnNodes(cluster.database)).toBe(cluster.owner)
    await set(`revoke ${cluster.owner} from ${cluster.role}`)
    expect([await distribute(), await findOwnerOnNodes(cluster.database)]).toEqual([NOT, null])
    await set(`alter role ${cluster.owner} rename to another_${cluster.owner}`, `grant another_${cluster.owner} to ${cluster.role}`)
    try {
      expect([await distribute(), await findOwnerOnNodes(cluster.database)]).toEqual([NOT, null])
    } finally {
      await set(`alter role another_${cluster.owner} rename to ${cluster.owner}`)
    }
  })

  it('and the start ends where the service inherits the rights of their owner', async () => {
    await set(...fill(NODE), `alter role ${cluster.role} inherit`, `revoke ${cluster.owner} from ${cluster.role}`)
    await set(`grant ${cluster.owner} to ${cluster.role}`)
    await expect(distributeNew(cluster.database)).rejects.toMatchObject({
      name: 'UnsupportedDatabase',
      message: `the role of the service inherits the rights of ${cluster.owner}, so row-level security would not hold it; see docs/guides/citus.md`,
    })
    expect([await isDistributed(cluster.database), await cluster.listGiven()]).toEqual([false, []])
    await set(`revoke ${cluster.owner} from ${cluster.role}`)
  })

  it('once there is an instance', async () => {
    await createInstance(cluster.database, { id: randomUUID(), name: 'Maple Lending' })
    await set(...fill(NODE))
    expect(await distribute()).toEqual(NOT)
  })
  it('until there are nodes and no instance: then processes that start at once distribute them once', async () => {
    await set(...fill(NODE), 'delete from instances')
    expect(await Promise.all([1, 2, 3].map(() => distributeNew(cluster.database)))).toEqual([true, true, true])
    expect((await cluster.listGiven()).length).toBe(1 + DISTRIBUTED_TABLES.length)
  })
})
