/** Column by whose hash a table is to be spread over the nodes of a cluster. */
export type DistributionKeys = Readonly<Record<string, string>>

/**
 * Tables whose statements are held to their key by now. The company, so that one huge instance spreads too; the plan for
 * all tables is in docs/decisions/0078.
 */
export const DISTRIBUTION_KEYS: DistributionKeys = {
  record_versions: 'company_id',
  publications: 'company_id',
  record_aliases: 'company_id',
  record_coverage: 'company_id',
  sync_runs: 'company_id',
  run_pages: 'company_id',
  staged_runs: 'company_id',
  staged_records: 'company_id',
  quarantined_records: 'company_id',
  raw_pages: 'company_id',
  source_files: 'company_id',
}

/** Whether a statement uses a table that is to be distributed. */
export function isDistributed({ table }: { table: string }): boolean {
  return table in DISTRIBUTION_KEYS
}
