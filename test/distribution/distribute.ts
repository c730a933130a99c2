import { TWO_PHASE_TABLE } from '../../src/store/db/cluster/cluster-transaction.ts'
import type { ClusterDatabase } from './cluster-database.ts'
import { readyTables } from './ready-tables.ts'
import { DISTRIBUTION_KEYS } from './tables.ts'

const OWNER = 'countinghouse_owner'
const ALL_OR_OWN = `coalesce(current_setting('countinghouse.instance') = '*' or current_setting('countinghouse.instance') = instance_id::text, false)`
const UNLOGGED = new Set(['staged_runs', 'staged_records'])
const FIRST = 'record_versions'

/**
 * Spreads the tables over the nodes by their company, as docs/decisions/0078 plans it: together, with the key in each
 * unique index, a policy without a subquery, no triggers and no foreign keys to tables of the coordinator, and whole old
 * rows in what a moved shard is brought up to date with. Another role than the service's owns them: a shard that is
 * moved is written to by the owner, whom forced row-level security would stop, and so would COPY be, with which the rows
 * that are there are sent.
 */
export async function distributeRecords({ admin }: ClusterDatabase): Promise<void> {
  const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [OWNER])
  if (rowCount === 0) await admin.query(`create role ${OWNER} login`)
  await admin.query(`grant all on schema public to ${OWNER}`)
  await readyTables(admin)
  await admin.query(`grant select, update on ${TWO_PHASE_TABLE} to countinghouse`)
  await admin.query('select citus_add_local_table_to_metadata($1::regclass)', [TWO_PHASE_TABLE])
  const others = Object.keys(DISTRIBUTION_KEYS).filter((table) => table !== FIRST)
  for (const table of [FIRST, ...others]) {
    for (const text of [
      // A shard is moved by logical replication, which has no place for unlogged tables.
      ...(UNLOGGED.has(table) ? [`alter table ${table} set logged`] : []),
      ...[`drop policy one_instance on ${table}`, `alter table ${table} no force row level security`],
      `create policy one_instance on ${table} using (${ALL_OR_OWN}) with check (${ALL_OR_OWN})`,
      ...[`alter table ${table} owner to ${OWNER}`, `grant select, insert, update, delete on ${table} to countinghouse`],
      `select create_distributed_table('${table}', 'company_id'${table === FIRST ? '' : `, colocate_with => '${FIRST}'`})`,
      `alter table ${table} replica identity full`,
    ])
      await admin.query(text)
  }
}
