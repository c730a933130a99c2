import type { Category, Entity } from '../../model/catalogue.ts'
import type { StatusCode } from '../../model/statuses.ts'
import type { RunOwner } from '../connections/sync-runs.ts'
import { THROUGH_CONNECTION, throughConnection } from '../connections/through-connection.ts'
import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import type { CompanyScope } from '../records/account-matches.ts'
import { IN_RECORD_SET, NOT_DELETED, scopeValues } from '../records/records.ts'
import { SCHEDULED_AT } from '../schedules/refresh-minutes.ts'

/** Connection as shown to its owner. */
export interface OwnedConnection {
  instanceId: string
  id: string
  companyId: string
  serviceId: string
  connectorKey: string
  category: Category
  entityName: string
  status: StatusCode
  connectedAt: Date
  endedAt: Date | null
  /** Last read of the source; null before the first. */
  lastReadAt: Date | null
  nextReadAt: Date | null
  ownerPausedAt: Date | null
  operatorSuspendedAt: Date | null
  /** Erasure date: until then the data is locked and its owner can still download or delete it. */
  eraseAt: Date | null
}

const OWNED = `select c.instance_id as "instanceId", c.id, c.company_id as "companyId", c.service_id as "serviceId",
  c.connector_key as "connectorKey", c.category, coalesce(c.entity_name, '') as "entityName", c.status,
  coalesce((select min(t.at) from connection_timeline t where t.instance_id = c.instance_id and t.connection_id = c.id and t.to_status = 9),
    c.created_at) as "connectedAt",
  case when c.status = 26 then c.updated_at end as "endedAt", c.last_read_at as "lastReadAt", ${SCHEDULED_AT} as "nextReadAt",
  c.owner_paused_at as "ownerPausedAt", c.operator_suspended_at as "operatorSuspendedAt", c.erase_at as "eraseAt"
  from connections c`

interface Page {
  limit: number
  offset: number
}

/** Connections ever authorized for a company: instance ($1), company ($2). */
const OF_OWNER = 'c.instance_id = $1 and c.company_id = $2 and c.entity_id is not null'

/** Connections whose end is shown to their owner: after an instant ($3), or with a receipt. */
const END_SHOWN = `c.status = 26 and (c.updated_at > $3 or c.id in (select r.connection_id from receipts r where r.instance_id = $1 and r.company_id = $2))`

/** Numbers of connections in the two lists of an owner. */
export async function countOwnedConnections(
  db: Db,
  { instanceId, companyId }: CompanyScope,
  endedAfter: Date,
): Promise<{ active: number; ended: number }> {
  const { rows } = await db.query<{ active: number; ended: number }>(
    `select count(*) filter (where c.status <> 26)::int as active, count(*) filter (where ${END_SHOWN})::int as ended
     from connections c where ${OF_OWNER}`,
    [instanceId, companyId, endedAfter],
  )
  return rows[0] ?? { active: 0, ended: 0 }
}

/** Page of the active connections of a company, in the order in which they were connected. */
export async function listActiveConnections(db: Db, { instanceId, companyId }: CompanyScope, page: Page): Promise<OwnedConnection[]> {
  const { rows } = await db.query<OwnedConnection>(
    `${OWNED} where ${OF_OWNER} and c.status <> 26 order by c.created_at, c.id limit $3 offset $4`,
    [instanceId, companyId, page.limit, page.offset],
  )
  return rows
}

/** Page of the connections of a company that ended after an instant or have a receipt, the last that ended first. */
export async function listEndedConnections(
  db: Db,
  { instanceId, companyId }: CompanyScope,
  endedAfter: Date,
  page: Page,
): Promise<OwnedConnection[]> {
  const { rows } = await db.query<OwnedConnection>(
    `${OWNED} where ${OF_OWNER} and ${END_SHOWN} order by c.updated_at desc, c.id limit $4 offset $5`,
    [instanceId, companyId, endedAfter, page.limit, page.offset],
  )
  return rows
}

export async function findOwnedConnection(
  db: Db,
  scope: { instanceId: string; companyId: string; connectionId: string },
): Promise<OwnedConnection | null> {
  const { rows } = await db.query<OwnedConnection>(
    `${OWNED} where c.instance_id = $1 and c.company_id = $2 and c.id = $3 and c.entity_id is not null`,
    [scope.instanceId, scope.companyId, scope.connectionId],
  )
  return rows[0] ?? null
}

/** Active accounts and transactions, and the raw data they were read from. */
export interface StoredCounts {
  accounts: number
  transactions: number
  rawPages: number
}

export async function countStored(db: Db, instanceId: string, connectionId: string): Promise<StoredCounts> {
  const { rows } = await db.query<StoredCounts>(
    `select count(*) filter (where entity = 'Accounts')::int as accounts, count(*) filter (where entity = 'Transactions')::int as transactions,
       (select count(*)::int from raw_pages where instance_id = $1 and connection_id = $2 and ${ofCompany('company_id', '$3')}) as "rawPages"
     from record_versions where ${THROUGH_CONNECTION} and valid_to is null and not deleted`,
    await throughConnection(db, instanceId, connectionId),
  )
  return rows[0] ?? { accounts: 0, transactions: 0, rawPages: 0 }
}

/** JSON texts of the active records of a connection: the next ones after `after`, by id. */
export async function listStoredDocuments(
  db: Db,
  scope: { instanceId: string; companyId: string; serviceId: string; connectionId: string },
  entity: Entity,
  after: string,
  limit: number,
): Promise<{ id: string; doc: string }[]> {
  const { rows } = await db.query<{ id: string; doc: string }>(
    `select id, doc from record_versions where ${IN_RECORD_SET} and id > $5
       and connection_id = $6 and valid_to is null and ${NOT_DELETED} order by id limit $7`,
    [...scopeValues(scope), entity, after, scope.connectionId, limit],
  )
  return rows
}

/** JSON texts of the first active accounts of each of some connections of a company, by connection; at most `limit` of each. */
export async function listFirstAccounts(
  db: Db,
  { instanceId, companyId }: CompanyScope,
  connections: readonly { id: string; serviceId: string }[],
  limit: number,
): Promise<Map<string, string[]>> {
  if (connections.length === 0) return new Map()
  const { rows } = await db.query<{ connectionId: string; docs: string[] }>(
    `select c.id as "connectionId", a.docs from unnest($3::uuid[], $4::uuid[]) as c (id, service_id) cross join lateral (
       select array_agg(f.doc order by f.id) as docs from (
         select r.id, r.doc from record_versions r where r.instance_id = $1 and r.company_id = $2 and r.service_id = c.service_id
           and r.entity = 'Accounts' and r.record_set = record_set_key($2, c.service_id, 'Accounts')
           and r.connection_id = c.id and r.valid_to is null and r.${NOT_DELETED} order by r.id limit $5) f) a
     where a.docs is not null`,
    [instanceId, companyId, connections.map(({ id }) => id), connections.map(({ serviceId }) => serviceId), limit],
  )
  return new Map(rows.map(({ connectionId, docs }) => [connectionId, docs]))
}

/** Number of records read so far by the running run; null when none is running. */
export async function countReadSoFar(db: Db, { instanceId, companyId, id }: RunOwner): Promise<{ since: Date; records: number } | null> {
  const { rows } = await db.query<{ since: Date; records: number }>(
    `select started_at as since, coalesce((counts ->> 'records')::int, 0) as records from sync_runs
     where instance_id = $1 and connection_id = $2 and ${ofCompany('company_id', '$3')} and state = 'running'`,
    [instanceId, id, companyId],
  )
  return rows[0] ?? null
}

/** Suspensions of a connection: since when the operator and the owner each suspend it; null: not suspended. */
export interface Pauses {
  owner: Date | null
  operator: Date | null
}

/** NOTE connections suspended before the two sides were distinguished count as suspended by the operator. */
export async function readPauses(db: Db, connection: { instanceId: string; id: string }): Promise<Pauses> {
  const { rows } = await db.query<Pauses>(
    `select owner_paused_at as owner,
       case when owner_paused_at is null then coalesce(operator_suspended_at, updated_at) else operator_suspended_at end as operator
     from connections where instance_id = $1 and id = $2 and status = 27`,
    [connection.instanceId, connection.id],
  )
  return rows[0] ?? { owner: null, operator: null }
}

export async function writePauses(db: Db, connection: { instanceId: string; id: string }, pauses: Pauses): Promise<void> {
  await db.query('update connections set owner_paused_at = $3, operator_suspended_at = $4 where instance_id = $1 and id = $2', [
    connection.instanceId,
    connection.id,
    pauses.owner,
    pauses.operator,
  ])
}

/** Keeps the data of an ended connection, locked, for `days`; 0: erased at once. */
export async function writeEraseIn(db: Db, connection: { instanceId: string; id: string }, days: number): Promise<void> {
  await db.query(
    `update connections set erase_at = case when $3 > 0 then clock_timestamp() + make_interval(days => $3) end
     where instance_id = $1 and id = $2`,
    [connection.instanceId, connection.id, days],
  )
}

/** Claims connections of all instances whose locked data is due for erasure; each is returned once. */
export async function claimDueErasures(db: Db, limit: number): Promise<{ instanceId: string; id: string; connectorKey: string }[]> {
  const { rows } = await db.query<{ instanceId: string; id: string; connectorKey: string }>(
    `update connections set erase_at = null where (instance_id, id) in (
       select instance_id, id from connections where erase_at <= statement_timestamp() order by erase_at limit $1 for update skip locked)
     returning instance_id as "instanceId", id, connector_key as "connectorKey"`,
    [limit],
  )
  return rows
}
