/**
 * Tables that a cluster distributes by `company_id`, together: rows of one company are on one node. The first is the one
 * that the others are placed with.
 */
export const DISTRIBUTED_TABLES = [
  'record_versions',
  'publications',
  'record_aliases',
  'record_coverage',
  'sync_runs',
  'run_pages',
  'staged_runs',
  'staged_records',
  'quarantined_records',
  'raw_pages',
  'source_files',
] as const

/** Those that are unlogged elsewhere. A shard is moved by logical replication, which has no place for unlogged tables. */
export const UNLOGGED_TABLES: readonly string[] = ['staged_runs', 'staged_records']

const NAMES = new Set<string>(DISTRIBUTED_TABLES)
const NAMED = new RegExp(`\\b(?:${DISTRIBUTED_TABLES.join('|')})\\b`)

export function isDistributedTable(name: string): boolean {
  return NAMES.has(name)
}

/** Whether a statement names a distributed table. */
export function usesNodes(sql: string): boolean {
  return NAMED.test(sql)
}
