import { DISTRIBUTED_TABLES } from '../../src/store/db/cluster/distributed-tables.ts'

/** Column by whose hash a table is to be spread over the nodes of a cluster. */
export type DistributionKeys = Readonly<Record<string, string>>

/**
 * Tables whose statements are held to their key by now. The company, so that one huge instance spreads too; the plan for
 * all tables is in docs/decisions/0078.
 */
export const DISTRIBUTION_KEYS: DistributionKeys = Object.fromEntries(DISTRIBUTED_TABLES.map((table) => [table, 'company_id']))

/** Whether a statement uses a table that is to be distributed. */
export function isDistributed({ table }: { table: string }): boolean {
  return table in DISTRIBUTION_KEYS
}
