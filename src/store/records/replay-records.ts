import type { Entity } from '../../model/catalogue.ts'
import type { RunOwner, SyncRun } from '../connections/sync-runs.ts'
import { THROUGH_CONNECTION, throughConnection } from '../connections/through-connection.ts'
import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import { IN_RECORD_SET, type RecordScope, scopeValues } from './records.ts'

/**
 * Quarantined by a published run of the company ($3), so that the replayed result may be published too; a replay ignores
 * all others.
 */
const SETTLED = `${ofCompany('q.company_id', '$3')} and exists (select from sync_runs r
  where r.instance_id = q.instance_id and r.id = q.run_id and ${ofCompany('r.company_id', '$3')} and (r.state in ('published', 'unchanged') or r.reason = 'replay'))`

/** Raw pages of the published and quarantined records of a connection, oldest first. */
export async function listPagesToReplay(db: Db, instanceId: string, connectionId: string): Promise<{ id: string; fetchedAt: Date }[]> {
  const { rows } = await db.query<{ id: string; fetchedAt: Date }>(
    `with told as (
       select distinct raw_page_id as id from record_versions
       where ${THROUGH_CONNECTION} and valid_to is null and not deleted
       union select raw_page_id from quarantined_records q where instance_id = $1 and connection_id = $2 and ${SETTLED})
     select p.id, p.fetched_at as "fetchedAt" from raw_pages p join told on told.id = p.id
     where p.instance_id = $1 and ${ofCompany('p.company_id', '$3')} order by p.fetched_at, p.id`,
    await throughConnection(db, instanceId, connectionId),
  )
  return rows
}

/** Connections with published records, in an order that differs by `seed`. */
export async function listPublishedConnections(
  db: Db,
  seed: string,
  limit: number,
): Promise<{ instanceId: string; connectionId: string }[]> {
  const { rows } = await db.query<{ instanceId: string; connectionId: string }>(
    `select instance_id as "instanceId", id as "connectionId" from connections where published_at is not null
     order by md5(id::text || $1) limit $2`,
    [seed, limit],
  )
  return rows
}

/** The version published now under an id. */
export interface ReplayTarget {
  id: string
  connectionId: string
  deleted: boolean
  doc: string
  contentHash: Uint8Array
  rawPageId: string | null
}

export async function listReplayTargets(db: Db, scope: RecordScope, entity: Entity, ids: string[]): Promise<ReplayTarget[]> {
  const { rows } = await db.query<ReplayTarget>({
    name: 'replay-targets',
    text: `select id, connection_id as "connectionId", deleted, doc, content_hash as "contentHash", raw_page_id as "rawPageId"
           from record_versions
           where ${IN_RECORD_SET} and id = any($5) and valid_to is null`,
    values: [...scopeValues(scope), entity, ids],
  })
  return rows
}

/** Quarantined records of a page. */
export async function listQuarantinedOfPage(
  db: Db,
  { instanceId, companyId, id }: RunOwner,
  rawPageId: string,
): Promise<{ entity: Entity; origId: string }[]> {
  const { rows } = await db.query<{ entity: Entity; origId: string }>(
    `select entity, orig_id as "origId" from quarantined_records q
     where instance_id = $1 and connection_id = $2 and raw_page_id = $4 and ${SETTLED}`,
    [instanceId, id, companyId, rawPageId],
  )
  return rows
}

/** Number of active records of a connection whose raw page no longer exists. */
export async function countWithoutPage(db: Db, instanceId: string, connectionId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from record_versions v
     where ${THROUGH_CONNECTION} and valid_to is null and not deleted
       and not exists (select from raw_pages p where p.instance_id = $1 and ${ofCompany('p.company_id', '$3')} and p.id = v.raw_page_id)`,
    await throughConnection(db, instanceId, connectionId),
  )
  return rows[0]?.count ?? 0
}

/** Releases from quarantine what a run is about to publish. */
export async function releaseReplayed(db: Db, run: SyncRun): Promise<void> {
  await db.query(
    `delete from quarantined_records q using staged_records s
     where q.instance_id = $1 and q.connection_id = $2 and ${ofCompany('q.company_id', '$4')} and q.run_id <> $3
       and s.instance_id = $1 and s.run_id = $3 and ${ofCompany('s.company_id', '$4')} and s.seq >= 0
       and s.entity = q.entity and s.orig_id = q.orig_id and s.doc is not null`,
    [run.instanceId, run.connectionId, run.id, run.companyId],
  )
}

/** Records that readers got new data without a read of the source. */
export async function noteReplayed(db: Db, instanceId: string, connectionId: string, at: Date): Promise<void> {
  await db.query('update connections set published_at = $3 where instance_id = $1 and id = $2', [instanceId, connectionId, at])
}
