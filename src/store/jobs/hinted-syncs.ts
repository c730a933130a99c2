import { currentTraceParent } from '../../tracing/spans.ts'
import type { Db } from '../db/database.ts'
import { IS_READ } from '../schedules/refresh-minutes.ts'
import { announceJobs } from './jobs.ts'

/**
 * Queues a sync for the active connections named by a provider webhook, in `settleMs` and no earlier than `spacingMs`
 * after the last read. A sync that is already queued keeps its time, because the source may have asked for it, and
 * records since when there is new data. A provider does not know the instance: with `instanceId` null the connections
 * of all instances are meant, otherwise those of one instance made with its own app. Returns the number of queued
 * syncs.
 */
export async function enqueueHintedSyncs(
  db: Db,
  hinted: { connectorKey: string; references: readonly string[]; instanceId: string | null },
  wait: { settleMs: number; spacingMs: number },
): Promise<number> {
  const { rowCount } = await db.query(
    `insert into jobs (instance_id, kind, key, provider, payload, run_at, trace_parent)
     select c.instance_id, 'sync', 'connection/' || c.id, c.connector_key, jsonb_build_object('connectionId', c.id, 'reason', 'hint', 'requestedAt', clock_timestamp()),
       greatest(clock_timestamp() + make_interval(secs => $3::float8 / 1000), c.last_read_at + make_interval(secs => $4::float8 / 1000)), $6
     from connections c
     where c.connector_key = $1 and c.reference = any($2) and ($5::uuid is null or (c.instance_id = $5 and c.source_keys_id is not null)) and ${IS_READ} and c.entity_id is not null
     on conflict (kind, key) where state = 'ready'
       do update set payload = jobs.payload || jsonb_build_object('requestedAt', excluded.payload -> 'requestedAt')`,
    [hinted.connectorKey, hinted.references, wait.settleMs, wait.spacingMs, hinted.instanceId, currentTraceParent()],
  )
  if (rowCount) await announceJobs(db)
  return rowCount ?? 0
}
