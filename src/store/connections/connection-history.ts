import type { StatusCode } from '../../model/statuses.ts'
import type { Db } from '../db/database.ts'
import { type Columns, type Filter, toCondition } from '../db/list-selection.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import { RUN_COLUMNS, type RunOwner, type StoredRun } from './sync-runs.ts'

/** History entry: an event between a company and a service, beginning with the link. */
export interface HistoryEntry {
  at: Date
  kind: 'linkIssued' | 'linkOpened' | 'consentGiven' | 'consentEnded' | 'linkCompleted' | 'linkRevoked' | 'linkExpired' | 'status' | 'run'
  /** Id of the connection; null for an event of a link. */
  sessionId: string | null
  /** Id of the run, link or consent. */
  subjectId: string | null
  fromStatus: StatusCode | null
  toStatus: StatusCode | null
  detail: string
  detailCode: string | null
  detailParts: Record<string, string | number> | null
}

interface Page {
  filter: Filter
  limit: number
  offset: number
  descending: boolean
}

const ENTRY_COLUMNS: Columns = {
  at: { sql: 'at', type: 'date' },
  kind: { sql: 'kind', type: 'string' },
  sessionId: { sql: '"sessionId"', type: 'uuid' },
  subjectId: { sql: '"subjectId"', type: 'uuid' },
  statusCode: { sql: '"toStatus"', type: 'number' },
}

/**
 * Page of the history of a company at a service, over all its connections there. `linkServiceIds`: services whose links
 * lead there (the service itself and its parent).
 */
export async function readHistory(
  db: Db,
  scope: { instanceId: string; companyId: string; serviceId: string; linkServiceIds: string[] },
  page: Page,
): Promise<{ entries: HistoryEntry[]; total: number }> {
  const values: unknown[] = [scope.instanceId, scope.companyId, scope.serviceId, scope.linkServiceIds, page.limit, page.offset]
  const runs = db.isDistributed ? givenRuns(`$${values.push(await listRunsOfCompany(db, scope))}`) : 'sync_runs r'
  const ofRuns = db.isDistributed ? 'true' : `r.instance_id = $1 and ${ofCompany('r.company_id', '$2')}`
  const { rows } = await db.query<HistoryEntry & { total: string }>(
    `with here as (select id from connections where instance_id = $1 and company_id = $2 and service_id = $3),
     made as (select * from links where instance_id = $1 and company_id = $2 and service_id = any($4)),
     entries as (
       select created_at as at, 0 as place, 'linkIssued' as kind, null::uuid as "sessionId", id as "subjectId", null::int as "fromStatus",
         null::int as "toStatus", 'by ' || issued_by as detail, 'by' as "detailCode", jsonb_build_object('name', issued_by) as "detailParts" from made
       union all select opened_at, 0, 'linkOpened', null, id, null, null, '', null, null from made where opened_at is not null
       union all select k.given_at, 0, 'consentGiven', k.connection_id, k.id, null, null, k.purpose_key || ', ' || k.language || ', ' || k.duration_days || ' days',
         'consent', jsonb_build_object('purpose', k.purpose_key, 'language', k.language, 'days', k.duration_days)
         from consents k join here on here.id = k.connection_id where k.instance_id = $1
       union all select k.ended_at, 3, 'consentEnded', k.connection_id, k.id, null, null, k.ended_how, 'ended', jsonb_build_object('how', k.ended_how)
         from consents k join here on here.id = k.connection_id where k.instance_id = $1 and k.ended_at is not null
       union all select completed_at, 3, 'linkCompleted', null, id, null, null, '', null, null from made where completed_at is not null
       union all select revoked_at, 3, 'linkRevoked', null, id, null, null, '', null, null from made where revoked_at is not null
       union all select expires_at, 3, 'linkExpired', null, id, null, null, '', null, null from made
         where completed_at is null and revoked_at is null and expires_at <= statement_timestamp()
       union all select t.at, 1, 'status', t.connection_id, null, t.from_status, t.to_status, t.detail, t.detail_code, t.detail_parts
         from connection_timeline t join here on here.id = t.connection_id where t.instance_id = $1
       union all select r.started_at, 2, 'run', r.connection_id, r.id, null, null, r.reason || ': ' || r.state, 'run', jsonb_build_object('reason', r.reason, 'state', r.state)
         from ${runs} join here on here.id = r.connection_id where ${ofRuns})
     select at, kind, "sessionId", "subjectId", "fromStatus", "toStatus", detail, "detailCode", "detailParts", count(*) over () as total from entries
     where ${toCondition(page.filter, ENTRY_COLUMNS, values)} order by at ${toDirection(page)}, place ${toDirection(page)}, "subjectId" limit $5 offset $6`,
    values,
  )
  return { entries: rows.map(({ total: _total, ...entry }) => entry), total: Number(rows[0]?.total ?? 0) }
}

function givenRuns(parameter: string): string {
  return `jsonb_to_recordset(${parameter}::jsonb) as r (id uuid, connection_id uuid, reason text, state text, started_at timestamptz)`
}

/** Runs as JSON text, on a cluster: they lie in the shard of the company, the other entries on the coordinator. */
async function listRunsOfCompany(db: Db, { instanceId, companyId }: { instanceId: string; companyId: string }): Promise<string> {
  const { rows } = await db.query<{ runs: string | null }>(
    `select json_agg(json_build_object('id', id, 'connection_id', connection_id, 'reason', reason, 'state', state, 'started_at', started_at::text))::text as runs
     from sync_runs where instance_id = $1 and company_id = $2`,
    [instanceId, companyId],
  )
  return rows[0]?.runs ?? '[]'
}

const RUN_FILTERS: Columns = {
  id: { sql: 'id', type: 'uuid' },
  reason: { sql: 'reason', type: 'string' },
  state: { sql: 'state', type: 'string' },
  startedOn: { sql: 'started_at', type: 'date', key: 'started_at' },
  endedOn: { sql: 'ended_at', type: 'date' },
}

/** Page of the runs of a connection, by start. */
export async function readRuns(db: Db, { instanceId, companyId, id }: RunOwner, page: Page): Promise<{ runs: StoredRun[]; total: number }> {
  const values: unknown[] = [instanceId, id, companyId]
  const from = `from sync_runs where instance_id = $1 and connection_id = $2 and ${ofCompany('company_id', '$3')} and ${toCondition(page.filter, RUN_FILTERS, values)}`
  const counted = await db.query<{ count: number }>(`select count(*)::int as count ${from}`, [...values])
  const { rows } = await db.query<StoredRun>(
    `select ${RUN_COLUMNS} ${from} order by started_at ${toDirection(page)}, id limit $${values.push(page.limit)} offset $${values.push(page.offset)}`,
    values,
  )
  return { runs: rows, total: counted.rows[0]?.count ?? 0 }
}

/** Newest runs of a connection. */
export async function listRuns(db: Db, { instanceId, companyId, id }: RunOwner, limit: number): Promise<StoredRun[]> {
  const { rows } = await db.query<StoredRun>(
    `select ${RUN_COLUMNS} from sync_runs where instance_id = $1 and connection_id = $2 and ${ofCompany('company_id', '$3')} order by started_at desc, id limit $4`,
    [instanceId, id, companyId, limit],
  )
  return rows
}

/** Run of any connection of a company at a service. */
export async function findRun(
  db: Db,
  { instanceId, companyId, serviceId, id }: { instanceId: string; companyId: string; serviceId: string; id: string },
): Promise<StoredRun | null> {
  const { rows } = await db.query<StoredRun>(
    `select ${RUN_COLUMNS} from sync_runs where instance_id = $1 and id = $2 and ${ofCompany('company_id', '$3')}`,
    [instanceId, id, companyId],
  )
  const [run] = rows
  if (!run) return null
  // A second statement: connections and runs may lie on different servers.
  const { rowCount } = await db.query(
    'select from connections where instance_id = $1 and id = $2 and company_id = $3 and service_id = $4',
    [instanceId, run.connectionId, companyId, serviceId],
  )
  return rowCount === 0 ? null : run
}

function toDirection({ descending }: Page): 'asc' | 'desc' {
  return descending ? 'desc' : 'asc'
}
