import type { ClusterDatabase } from './cluster-database.ts'

const OWNER = 'countinghouse_owner'
const ALL_OR_OWN = `coalesce(current_setting('countinghouse.instance') = '*' or current_setting('countinghouse.instance') = instance_id::text, false)`

/**
 * Spreads the records over the nodes by their company, as docs/decisions/0078 plans it: with the key in the unique
 * index, a policy without a subquery, and whole old rows in what a moved shard is brought up to date with. Another role
 * than the service's owns them: a shard that is moved is written to by the owner, whom forced row-level security would
 * stop, and so would COPY be, with which the rows that are there are sent.
 */
export async function distributeRecords({ admin }: ClusterDatabase): Promise<void> {
  const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [OWNER])
  if (rowCount === 0) await admin.query(`create role ${OWNER} login`)
  for (const statement of [
    ...['drop policy one_instance on record_versions', 'alter table record_versions no force row level security'],
    `create policy one_instance on record_versions using (${ALL_OR_OWN}) with check (${ALL_OR_OWN})`,
    'drop index record_versions_of_record',
    'create unique index record_versions_of_record on record_versions (record_set, id, valid_to, company_id) nulls not distinct',
    ...[`grant all on schema public to ${OWNER}`, `alter table record_versions owner to ${OWNER}`],
    'grant select, insert, update, delete on record_versions to countinghouse',
    `select create_distributed_table('record_versions', 'company_id')`,
    'alter table record_versions replica identity full',
  ])
    await admin.query(statement)
}
