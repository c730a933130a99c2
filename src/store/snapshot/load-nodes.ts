import pg from 'pg'
import { createOnNodes, findOwnerOnNodes, readyTables } from '../db/cluster/distribute.ts'
import { DISTRIBUTED_TABLES, isDistributedTable } from '../db/cluster/distributed-tables.ts'
import { announceFilled } from '../db/row-companies/fill-rows.ts'
import { fillFirstPublications, fillNotes } from './cluster-columns.ts'

/** Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const WITHOUT_VALUE = ['22004', '23502']

/**
 * Load on a cluster that distributes the tables: role that will own those, and that fills them, because row-level
 * security would refuse COPY to the service.
 */
export class NodeLoad {
  readonly #client: pg.Client
  readonly #owner: string

  private constructor(client: pg.Client, owner: string) {
    this.#client = client
    this.#owner = owner
  }

  /**
   * Before the migrations; null without nodes, or without such a role. NOTE functions that are made here are sent to the
   * nodes with the tables that use them: as the service’s, the owner would not see them before the end.
   */
  static async open(client: pg.Client): Promise<NodeLoad | null> {
    const owner = await findOwnerOnNodes(client)
    if (owner === null) return null
    await client.query(`set local citus.create_object_propagation = 'deferred'`)
    return new NodeLoad(client, owner)
  }

  /** Readies the tables; false for a snapshot from before rows knew their company, whose tables stay on the coordinator. */
  async ready(): Promise<boolean> {
    if (!(await haveCompanies(this.#client))) return false
    await announceFilled(this.#client)
    await readyTables(this.#client)
    return true
  }

  /** Distributes the tables, which are empty. */
  async distribute(): Promise<void> {
    await createOnNodes(this.#client, this.#owner)
  }

  /** Runs what changes this table, as its owner. */
  async own<T>(table: string, work: () => Promise<T>): Promise<T> {
    if (!isDistributedTable(table)) return await work()
    await this.#client.query(`set local role ${this.#owner}`)
    const done = await work()
    await this.#client.query('reset role')
    return done
  }

  /** Why rows could not be loaded: the distribution key is missing, or what PostgreSQL says. */
  explain(error: unknown, table: string): unknown {
    const isWithoutKey = error instanceof pg.DatabaseError && isDistributedTable(table) && WITHOUT_VALUE.includes(error.code ?? '')
    if (!isWithoutKey) return error
    const message = `rows of ${table} lack their company, so no node is theirs: let the service of this backup fill them, which it does by itself, and back it up again; or restore it on one server`
    return new Error(message, { cause: error })
  }

  /** Once all rows are there: the columns that only a cluster has, and the functions that statements call on nodes. */
  async complete(): Promise<void> {
    const own = <T>(work: () => Promise<T>): Promise<T> => this.own('publications', work)
    await fillFirstPublications(this.#client, own)
    await fillNotes(this.#client, own)
    await this.#sendFunctions()
  }

  async #sendFunctions(): Promise<void> {
    await this.#client.query(`set local citus.create_object_propagation = 'immediate'`)
    const { rows } = await this.#client.query<{ definition: string }>(
      `select pg_get_functiondef(p.oid) as definition from pg_proc p where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f'
         and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)
         and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
       order by p.oid`,
    )
    for (const { definition } of rows) await this.#client.query(definition)
  }
}

async function haveCompanies(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = current_schema()::regnamespace and c.relname = any($1) and a.attname = 'company_id'`,
    [DISTRIBUTED_TABLES],
  )
  return rows[0]?.count === DISTRIBUTED_TABLES.length
}
