import type { Db } from '../database.ts'
import { TWO_PHASE_TABLE } from './cluster-transaction.ts'
import { DISTRIBUTED_TABLES, isDistributedTable } from './distributed-tables.ts'

/** Comments, texts, names in quotes and bodies of functions, each whole; what ends a statement; everything else. */
const TOKENS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^-/'"$;]+|./g

/** Statements of a migration of any kind, in order, without comments between them. */
export function statementsOf(sql: string): string[] {
  const statements = ['']
  for (const [token] of sql.matchAll(TOKENS)) {
    if (token === ';') statements.push('')
    else if (!token.startsWith('--')) statements.push(`${statements.pop()}${token}`)
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}

/** Statements that change the definition of one table, with its name. */
const CHANGES = [
  /^alter table (?:if exists )?(?:only )?(\w+)\b/i,
  /^create (?:unique )?index (?:concurrently )?(?:if not exists )?(?:\w+ )?on (?:only )?(\w+)\b/i,
  /^comment on table (\w+)\b/i,
  /^comment on column (\w+)\./i,
  /^analyze (\w+)$/i,
]
const DROPPED_INDEX = /^drop index (?:concurrently )?(?:if exists )?"?(\w+)"?$/i

/** Runs statements of migrations on a cluster: as the owner of the distributed tables where they change one of those. */
export class NodeMigration {
  readonly #owner: string

  private constructor(owner: string) {
    this.#owner = owner
  }

  /** Null where the tables of this deployment are not distributed. */
  static async open(db: Db): Promise<NodeMigration | null> {
    const { rows } = await db.query<{ owner: string }>(
      `select quote_ident(pg_get_userbyid(c.relowner)) as owner from pg_class c
       where c.oid = to_regclass('${DISTRIBUTED_TABLES[0]}') and to_regclass('${TWO_PHASE_TABLE}') is not null`,
    )
    return rows[0] ? new NodeMigration(rows[0].owner) : null
  }

  /** In a transaction. What waits for a lock on a node gives up as early as on the coordinator. */
  async runWithin(db: Db, sql: string, lockTimeoutMs: number): Promise<void> {
    // NOTE has a `ClusterTransaction` enter the nodes as the role of the service: the owner may not touch its tables.
    await db.query('savepoint before_nodes')
    await db.query(`set local citus.propagate_set_commands = 'local'`)
    await db.query(`set local lock_timeout = ${lockTimeoutMs}`)
    await db.query(`set local citus.multi_shard_modify_mode = 'sequential'`)
    for (const statement of statementsOf(sql)) {
      const isOfNodes = await this.#isOfNodes(db, statement)
      if (isOfNodes) await db.query(`set local role ${this.#owner}`)
      await db.query(statement)
      if (isOfNodes) await db.query('reset role')
    }
  }

  /** A statement that cannot run in a transaction, on a session of its own, which is closed if this fails. */
  async runAlone(client: Db, statement: string): Promise<void> {
    const isOfNodes = await this.#isOfNodes(client, statement)
    if (isOfNodes) await client.query(`set role ${this.#owner}`)
    await client.query(statement)
    if (isOfNodes) await client.query('reset role')
  }

  async #isOfNodes(db: Db, statement: string): Promise<boolean> {
    const text = statement.replace(/\s+/g, ' ')
    for (const change of CHANGES) {
      const [, table] = change.exec(text) ?? []
      if (table !== undefined) return isDistributedTable(table)
    }
    const [, index] = DROPPED_INDEX.exec(text) ?? []
    if (index === undefined) return false
    const { rows } = await db.query<{ table: string }>(
      'select indrelid::regclass::text as table from pg_index where indexrelid = to_regclass($1)',
      [index],
    )
    return rows[0] !== undefined && isDistributedTable(rows[0].table)
  }
}
