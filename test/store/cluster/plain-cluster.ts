import { randomUUID } from 'node:crypto'
import { type Database, openDatabase } from '../../../src/store/db/database.ts'
import { upgradeSchema } from '../../../src/store/db/migrate.ts'
import { adminUrlOf, databaseOfOneServer } from '../../harness/database.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { withDatabase } from '../../harness/global-setup.ts'

/**
 * What the service asks of Citus, by the names that Citus has, on one server: it has nodes if a test says so, and each
 * table that is given to the nodes is noted, with the role that gives it. `pg_catalog` comes last in the search path, so
 * that these names are found before those of PostgreSQL.
 */
const CITUS = `
  create schema citus;
  create table citus.extensions (extname name);
  create view citus.pg_extension as select extname from pg_catalog.pg_extension union all select extname from citus.extensions;
  create table citus.pg_dist_node (isactive boolean, shouldhaveshards boolean, noderole text);
  create table citus.pg_dist_object (classid oid, objid oid);
  create table citus.given (id integer generated always as identity, role name default current_user, what text, mode text,
    limits text default concat_ws(' ', current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout')));
  create function citus.citus_add_local_table_to_metadata(text) returns void language sql as
    $$ insert into citus.given (what, mode) values ($1, pg_catalog.current_setting('citus.multi_shard_modify_mode')) $$;
  create function citus.create_distributed_table(text, text, colocate_with text default null) returns void language sql as
    $$ insert into citus.given (what, mode) values (concat_ws(' ', $1, $2, 'with ' || $3), pg_catalog.current_setting('citus.multi_shard_modify_mode')) $$;
  grant usage on schema citus to public;
  grant all on all tables in schema citus to public`

/** Nodes as a cluster has them that may take the tables: the coordinator keeps none. */
const NODES = `
  insert into citus.extensions values ('citus');
  insert into citus.pg_dist_node values (true, false, 'primary'), (true, true, 'primary'), (true, true, 'secondary')`

/** What was given to the nodes, by which role, and the settings then: Citus’s mode, and the limits of time. */
interface Given {
  role: string
  what: string
  mode: string
  limits: string
}

export interface PlainCluster {
  /** As the role of the service. */
  database: Database
  url: string
  /** As superuser. */
  admin: Database
  /** Role of the service, without rights of `owner`, of which it is a member. */
  role: string
  /** Role that may own the distributed tables. */
  owner: string
  /** What was given to the nodes, in order. */
  listGiven(): Promise<Given[]>
  drop(): Promise<void>
}

interface PlainClusterOptions {
  /** With nodes from the beginning; default true. */
  hasNodes?: boolean
  /** Without tables: the service has not started yet. */
  isEmpty?: boolean
}

/** A database on one server, which looks like one on a cluster, for the tests of a `describe`. */
export function plainCluster(options: PlainClusterOptions = {}): PlainCluster {
  return openForTests(
    () => openPlainCluster(options),
    ({ drop }) => drop(),
  )
}

async function openPlainCluster({ hasNodes = true, isEmpty = false }: PlainClusterOptions): Promise<PlainCluster> {
  const { url, drop } = await databaseOfOneServer({ migrated: false })
  const adminUrl = await adminUrlOf(url)
  const role = `service_${randomUUID().slice(0, 8)}`
  const owner = `${role}_owner`
  const name = await asAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ name: string }>('select quote_ident(current_database()) as name')
    const database = rows[0]?.name
    await admin.query(`create role ${role} noinherit; create role ${owner}; grant ${owner} to ${role}; grant ${role} to countinghouse`)
    await admin.query(`alter database ${database} owner to ${role}; grant create on schema public to ${owner}; ${CITUS}`)
    if (hasNodes) await admin.query(NODES)
    // The tests' server lets in the one role alone, which is another one from then on.
    await admin.query(`alter role countinghouse in database ${database} set role = ${role}`)
    await admin.query(`alter database ${database} set search_path = public, citus, pg_catalog`)
    return database
  })
  const [database, admin] = [openDatabase(url, { max: 4 }), openDatabase(adminUrl, { max: 2 })]
  for (const pool of [database, admin]) pool.on('error', () => undefined)
  if (!isEmpty) await upgradeSchema(database)
  return {
    ...{ database, url, admin, role, owner },
    listGiven: async () => (await admin.query<Given>('select role, what, mode, limits from citus.given order by id')).rows,
    drop: async () => {
      await Promise.all([database.end(), admin.end()])
      await asAdmin(withDatabase(adminUrl, 'postgres'), (other) => other.query(`alter database ${name} owner to countinghouse`))
      await drop()
      await asAdmin(withDatabase(adminUrl, 'postgres'), (other) => other.query(`drop role ${role}, ${owner}`))
    },
  }
}

async function asAdmin<T>(url: string, work: (admin: Database) => Promise<T>): Promise<T> {
  const admin = openDatabase(url, { max: 1 })
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}
