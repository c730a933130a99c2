import { FIRST_ID } from '../../model/values/first-id.ts'
import type { Db } from '../db/database.ts'
import { batchedScan } from './batched-scan.ts'

/** Hand-offs read by one step. */
const STEP_ROWS = 1_000

interface HandOffPosition {
  instanceId: string
  linkId: string
}

const START: HandOffPosition = { instanceId: FIRST_ID, linkId: FIRST_ID }

/**
 * Retention: deletes the names and addresses of helpers once their link was used, was revoked or has expired. Each run
 * reads at most 100,000 hand-offs, and the next one continues after them. Returns the number of deletions.
 */
export function helperRetention(db: Db): () => Promise<number> {
  return batchedScan(START, async (from) => {
    const { rows } = await db.query<{ deleted: number; seen: number; end: HandOffPosition }>(
      `with step as materialized (select instance_id, link_id from hand_offs
             where helper is not null and (instance_id, link_id) > ($1, $2) order by instance_id, link_id limit ${STEP_ROWS}),
           over as materialized (select s.instance_id, s.link_id from step s
             cross join lateral (select l.completed_at, l.revoked_at, l.expires_at from links l where l.instance_id = s.instance_id and l.id = s.link_id limit 1) l
             where l.completed_at is not null or l.revoked_at is not null or l.expires_at < statement_timestamp()),
           gone as (update hand_offs h set helper = null from over o where h.instance_id = o.instance_id and h.link_id = o.link_id returning 1)
         select (select count(*) from gone)::int as deleted, (select count(*) from step)::int as seen,
           (select json_build_object('instanceId', instance_id, 'linkId', link_id) from step order by instance_id desc, link_id desc limit 1) as end`,
      [from.instanceId, from.linkId],
    )
    const [row] = rows
    return { count: row?.deleted ?? 0, next: row?.seen === STEP_ROWS ? row.end : null }
  })
}
