import type { Db } from '../db/database.ts'
import { announceJobs } from './jobs.ts'

/**
 * Queues a sync for the living connections that a provider's webhook names, `settleMs` from now and not before `spacingMs` have passed since
 * the last read. A sync that waits already keeps its time, because the source may have asked for it, and learns since when there is
 * something new. A provider does not know the instance: of `instanceId` null those of all are meant, else the ones of an instance that were made with an app of its own. Answers how many were queued.
 */
export async function enqueueHintedSyncs(
  db: Db,
  hinted: { connectorKey: string; references: readonly string[]; instanceId: string | null },
  wait: { settleMs: number; spacingMs: number },
): Promise<number> {
  const { rowCount } = await db.query(
    `insert into jobs (instance_id, kind, key, provider, payload, run_at)
     select c.instance_id, 'sync', 'connection/' || c.id, c.connector_key, jsonb_build_object('connectionId', c.id, 'reason', 'hint', 'requestedAt', clock_timestamp()),
       greatest(clock_timestamp() + make_interval(secs => $3::float8 / 1000), c.last_read_at + make_interval(secs => $4::float8 / 1000))
     from connections c
     where c.connector_key = $1 and c.reference = any($2) and ($5::uuid is null or (c.instance_id = $5 and c.source_keys_id is not null)) and c.status not in (6, 7, 8, 20, 26, 27) and c.entity_id is not null
     on conflict (kind, key) where state = 'ready'
       do update set payload = jobs.payload || jsonb_build_object('requestedAt', excluded.payload -> 'requestedAt')`,
    [hinted.connectorKey, hinted.references, wait.settleMs, wait.spacingMs, hinted.instanceId],
  )
  if (rowCount) await announceJobs(db)
  return rowCount ?? 0
}
