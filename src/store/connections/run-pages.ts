import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import type { RunKey } from './sync-runs.ts'

/** Rewrites the records seen on a page; pages outside a complete listing have none. */
export async function replaceSeen(db: Db, run: RunKey, pull: number, page: number, seen: Uint8Array): Promise<void> {
  await db.query(
    `update run_pages set seen = $5 where instance_id = $1 and run_id = $2 and pull = $3 and page = $4 and ${ofCompany('company_id', '$6')}`,
    [run.instanceId, run.id, pull, page, seen, run.companyId],
  )
}

/** Records seen by the complete listings of a run, page by page; `pull` is the index of the pull. */
export async function listSeen(db: Db, run: RunKey): Promise<{ pull: number; seen: Uint8Array }[]> {
  const { rows } = await db.query<{ pull: number; seen: Uint8Array }>(
    `select pull, seen from run_pages where instance_id = $1 and run_id = $2 and ${ofCompany('company_id', '$3')}`,
    [run.instanceId, run.id, run.companyId],
  )
  return rows
}
