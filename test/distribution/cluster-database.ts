import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { distributeNew } from '../../src/store/db/cluster/distribute.ts'
import { urlsOf } from '../../src/store/db/connection/database-url.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { FUNCTIONS, replaceFunctions } from '../../src/store/db/functions.ts'
import { migrate, upgradeSchema } from '../../src/store/db/migrate.ts'
import { fillNewDatabase } from '../../src/store/db/row-companies/fill-rows.ts'
import { withDatabase } from '../harness/global-setup.ts'

const clusterUrl = process.env.CITUS_URL

/** Nobody packages Citus for the machines of CI: these tests run where an address is given, and say so elsewhere. */
export const lacksCitus = clusterUrl === undefined
export const citusNote = lacksCitus ? ' (SKIPPED: no CITUS_URL; npm run citus starts a cluster)' : ''

/** A database on every node of the cluster, with the service's tables on the coordinator. */
export interface ClusterDatabase {
  /** As the service's own role. */
  database: Database
  url: string
  /** As superuser. */
  admin: Database
  /** Ports of the nodes, the coordinator first. */
  ports: readonly number[]
  /** Joins further nodes to the database; the coordinator keeps no shards. */
  join(ports: readonly number[]): Promise<void>
  drop(): Promise<void>
}

/** Role of the service on a cluster that distributes its tables: it has a role to own them, and inherits nothing of it. */
const ROLE_WITH_OWNER = 'countinghouse_nodes'
const ROLE = 'countinghouse'

/**
 * `nodes`: workers that are there before the service first starts. `hasOwner`: so is a role that may own distributed
 * tables, so that the first start distributes them.
 */
export async function clusterDatabase(options: ClusterOptions = {}): Promise<ClusterDatabase> {
  const nodes = urlsOf(options.url ?? clusterUrl ?? '')
  return await oneAtATime(nodes[0] ?? '', () => createOnNodes(nodes, options))
}

async function firstStartWith(database: Database, migrations: string): Promise<void> {
  await migrate(database, migrations)
  const functions = await mkdtemp(join(tmpdir(), 'countinghouse-functions-'))
  try {
    // An earlier version has no functions of later migrations.
    const { rows } = await database.query<{ name: string }>(
      `select proname as name from pg_proc where pronamespace = 'public'::regnamespace`,
    )
    const names = new Set(rows.map(({ name }) => `${name.replaceAll('_', '-')}.sql`))
    await cp(FUNCTIONS, functions, { recursive: true, filter: (path) => !path.endsWith('.sql') || names.has(basename(path)) })
    await replaceFunctions(database, functions)
  } finally {
    await rm(functions, { recursive: true, force: true })
  }
  await fillNewDatabase(database)
  database.isDistributed = await distributeNew(database)
}

interface ClusterOptions {
  workers?: number
  hasOwner?: boolean
  /** Of another cluster than that of CITUS_URL. */
  url?: string
  /** Ports at which the nodes find each other, where a proxy stands between them. */
  reachedAt?: readonly number[]
  /** Without tables: nothing has started yet. */
  isEmpty?: boolean
  /** Folder with the migrations of an earlier version, whose first start this is. */
  migrations?: string
}

async function createOnNodes(
  nodes: readonly string[],
  { workers = 0, hasOwner = false, reachedAt, isEmpty = false, migrations }: ClusterOptions,
): Promise<ClusterDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const ports = reachedAt ?? nodes.map((node) => Number(new URL(node).port))
  const role = hasOwner ? ROLE_WITH_OWNER : ROLE
  for (const node of nodes) await createDatabase(node, name, role)
  const adminUrl = withDatabase(nodes[0] ?? '', name)
  const url = adminUrl.replace('postgres@', `${role}@`)
  const [admin, database] = [openDatabase(adminUrl, { max: 2 }), openDatabase(url, { max: 8 })]
  for (const pool of [admin, database]) pool.on('error', () => undefined)
  await admin.query('select citus_set_coordinator_host($1, $2)', ['127.0.0.1', ports[0]])
  await admin.query(`select citus_set_node_property($1, $2, 'shouldhaveshards', false)`, ['127.0.0.1', ports[0]])
  const join = async (added: readonly number[]) => {
    for (const port of added) await admin.query('select citus_add_node($1, $2)', ['127.0.0.1', port])
  }
  await join(ports.slice(1, workers + 1))
  if (migrations === undefined && !isEmpty) await upgradeSchema(database)
  else if (migrations !== undefined) await firstStartWith(database, migrations)
  return {
    ...{ database, url, admin, ports, join },
    drop: async () => {
      await Promise.all([admin.end(), database.end()])
      await oneAtATime(nodes[0] ?? '', async () => {
        for (const node of nodes) await asSuperuser(node, async (server) => await server.query(`drop database ${name} with (force)`))
      })
    },
  }
}

/** Databases of a cluster are created and dropped one after the other, by whatever process: nodes share their roles. */
async function oneAtATime<T>(coordinator: string, work: () => Promise<T>): Promise<T> {
  const server = openDatabase(coordinator, { max: 1 })
  server.on('error', () => undefined)
  const client = await server.connect()
  try {
    await client.query('set lock_timeout = 0')
    await client.query('set statement_timeout = 0')
    await client.query(`select pg_advisory_lock(hashtextextended('cluster databases', 0))`)
    return await work()
  } finally {
    client.release(true)
    await server.end()
  }
}

async function createDatabase(node: string, name: string, role: string): Promise<void> {
  await asSuperuser(node, async (server) => {
    const { rowCount } = await server.query('select from pg_roles where rolname = $1', [role])
    if (rowCount === 0) await server.query(`create role ${role} login noinherit`)
    if (rowCount === 0 && role === ROLE_WITH_OWNER) {
      await server.query(`create role ${role}_owner login`)
      await server.query(`grant ${role}_owner to ${role}`)
    }
    await server.query(`create database ${name} owner ${role}`)
  })
  await asSuperuser(withDatabase(node, name), async (server) => {
    await server.query('create extension citus')
    await server.query(`grant all on schema public to ${role === ROLE ? role : `${role}, ${role}_owner`}`)
  })
}

/** Port of the node that holds the records of a company. */
export async function portOf(admin: Database, companyId: string): Promise<number> {
  const { rows } = await admin.query<{ port: number }>(
    `select nodeport as port from citus_shards where table_name = 'record_versions'::regclass
     and shardid = get_shard_id_for_distribution_column('record_versions', $1::uuid)`,
    [companyId],
  )
  return rows[0]?.port ?? 0
}

/** Folder of the programs that the cluster of CITUS_URL, on this machine, runs. */
export async function programsOfCluster(): Promise<string> {
  const server = openDatabase(urlsOf(clusterUrl ?? '')[0] ?? '', { max: 1 })
  const { rows } = await server.query<{ folder: string }>(`select current_setting('data_directory') as folder`)
  await server.end()
  const pid = Number.parseInt(await readFile(join(rows[0]?.folder ?? '', 'postmaster.pid'), 'utf8'), 10)
  return dirname(await readlink(`/proc/${pid}/exe`))
}

async function asSuperuser(url: string, work: (server: Database) => Promise<unknown>): Promise<void> {
  const server = openDatabase(url, { max: 1 })
  server.on('error', () => undefined)
  try {
    await work(server)
  } finally {
    await server.end()
  }
}
