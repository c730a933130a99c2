import { onConflict } from '../db/cluster/distribution-key.ts'
import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'

/** Run that staged records and seen records belong to. */
export interface RunKey {
  instanceId: string
  companyId: string
  id: string
}

/** Records seen on a page of a complete listing; `pull` is the index of the pull. */
export interface SeenPage {
  pull: number
  page: number
  /** Eight bytes per record. */
  seen: Uint8Array
}

/** Saves or replaces what a page showed, on a cluster; `saveProgress` does it elsewhere. */
export async function saveSeen(db: Db, run: RunKey, { pull, page, seen }: SeenPage): Promise<void> {
  await db.query(
    `insert into run_pages (instance_id, run_id, pull, page, seen, company_id) values ($1, $2, $3, $4, $5, $6)
     ${onConflict(db, 'instance_id, run_id, pull, page')} do update set seen = excluded.seen`,
    [run.instanceId, run.id, pull, page, seen, run.companyId],
  )
}

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
