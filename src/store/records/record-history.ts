import type { Entity } from '../../model/catalogue.ts'
import type { RunReason } from '../connections/sync-runs.ts'
import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import { toPublicationKey } from './publication-key.ts'
import { inRecordSet, type RecordScope, scopeValues, visibleFrom } from './records.ts'

/** Version of a record with its provenance. */
export interface RecordVersion {
  id: string
  origId: string
  validFrom: Date
  validTo: Date | null
  deleted: boolean
  /** Finished JSON text. */
  doc: string
  rawPageId: string | null
  rawIndex: number
  mappingVersion: number
  connectionId: string
  runId: string
  runReason: RunReason | null
  runStartedAt: Date | null
}

/**
 * Version of one of these ids that is published now, or was at `asOf`; the first id with a version wins. Null when none
 * is published.
 */
export async function findRecordVersion(
  db: Db,
  scope: RecordScope,
  wanted: { entity: Entity; ids: readonly string[]; asOf: Date | null },
): Promise<RecordVersion | null> {
  const shownFrom = visibleFrom(db, 'v', ['$1', '$2', '$3'])
  const { rows } = await db.query<RecordVersion>(
    `select v.id, v.orig_id as "origId", ${shownFrom} as "validFrom", v.valid_to as "validTo", v.deleted, v.doc, v.raw_page_id as "rawPageId",
       v.raw_index as "rawIndex", v.mapping_version as "mappingVersion", v.connection_id as "connectionId", v.run_id as "runId",
       r.reason as "runReason", r.started_at as "runStartedAt"
     from record_versions v left join sync_runs r on r.instance_id = v.instance_id and r.id = v.run_id and ${ofCompany('r.company_id', '$2')}
     where ${inRecordSet('v')} and v.id = any($5)
       and case when $6::timestamptz is null then v.valid_to is null
         else ${shownFrom} <= $6 and (v.valid_to is null or v.valid_to > $6) end
       and exists (select from publications where key = $7 and company_id = $2)
     order by array_position($5::uuid[], v.id) limit 1`,
    [...scopeValues(scope), wanted.entity, wanted.ids, wanted.asOf, toPublicationKey(scope)],
  )
  return rows[0] ?? null
}
