import type { Category } from '../../model/catalogue.ts'
import type { StatusCode } from '../../model/statuses.ts'
import type { FaultCode, StatusMessage } from '../../model/texts/status-messages.ts'
import type { Json } from '../../model/values/json.ts'
import type { Db } from '../db/database.ts'
import { REFRESH_MINUTES, SCHEDULED_AT } from '../schedules/refresh-minutes.ts'
import type { Trouble } from './connection-faults.ts'

/** Connection: one authorization of a company for a service. `id` is the API's session id. */
export interface Connection {
  instanceId: string
  id: string
  companyId: string
  serviceId: string
  connectorKey: string
  category: Category
  entityId: string | null
  entityName: string | null
  /** Handle of the connection at the source, as its webhooks name it. */
  reference: string | null
  email: string
  status: StatusCode
  resumeStatus: StatusCode | null
  /** Fault in plain English; null when there is none. */
  fault: string | null
  /** Fault as a code; null where only a text is known. */
  faultCode: FaultCode | null
  /** Temporary problem of reading that needs no action; null when there is none. */
  trouble: Trouble | null
  createdAt: Date
  updatedAt: Date
  publishedAt: Date | null
  /** Next scheduled refresh; null where none will come. */
  updateScheduledAt: Date | null
  /** Interval of scheduled refreshes by the connector. */
  refreshHours: number
  /** Configured interval of scheduled refreshes; 0: never. */
  refreshMinutes: number
  credentialsGeneration: number
  /** Start cursor of the next run, per pull. */
  cursors: Record<string, Json>
  /** Authorized again and not yet read by a complete run. */
  reidentify: boolean
  /** Whether the next complete listing is trusted, however many records are missing from it. */
  acceptsDeletions: boolean
  /** The instance's own keys that are used; null for the deployment's keys. */
  sourceKeysId: string | null
  /** Application of the API key whose link authorized it last; null: a user’s. */
  applicationId: string | null
}

/** Columns of a connection, as `c`. */
export const CONNECTION_COLUMNS = `c.instance_id as "instanceId", c.id, c.company_id as "companyId", c.service_id as "serviceId", c.connector_key as "connectorKey",
  c.category, c.entity_id as "entityId", c.entity_name as "entityName", c.reference, c.email, c.status, c.resume_status as "resumeStatus", c.fault, c.fault_code as "faultCode", c.trouble,
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.published_at as "publishedAt", ${SCHEDULED_AT} as "updateScheduledAt",
  c.refresh_hours as "refreshHours", ${REFRESH_MINUTES} as "refreshMinutes", c.credentials_generation as "credentialsGeneration", c.cursors, c.reidentify,
  c.accepts_deletions as "acceptsDeletions", c.source_keys_id as "sourceKeysId", c.application_id as "applicationId"`

export interface NewConnection {
  instanceId: string
  id: string
  companyId: string
  serviceId: string
  connectorKey: string
  category: Category
  email: string
  status: StatusCode
  refreshHours: number
  applicationId: string | null
}

export async function createConnection(db: Db, connection: NewConnection): Promise<void> {
  await db.query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, refresh_hours, update_scheduled_at, application_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp() + make_interval(hours => $9), $10)`,
    [
      connection.instanceId,
      connection.id,
      connection.companyId,
      connection.serviceId,
      connection.connectorKey,
      connection.category,
      connection.email,
      connection.status,
      connection.refreshHours,
      connection.applicationId,
    ],
  )
  await noteStatus(db, connection.instanceId, connection.id, null, connection.status, '')
}

export async function findConnection(db: Db, instanceId: string, id: string): Promise<Connection | null> {
  const { rows } = await db.query<Connection>(`select ${CONNECTION_COLUMNS} from connections c where instance_id = $1 and id = $2`, [
    instanceId,
    id,
  ])
  return rows[0] ?? null
}

/** Reads and locks the row until the transaction ends. Every change of a connection starts here. */
export async function lockConnection(db: Db, instanceId: string, id: string): Promise<Connection | null> {
  const { rows } = await db.query<Connection>({
    name: 'lock-connection',
    text: `select ${CONNECTION_COLUMNS} from connections c where instance_id = $1 and id = $2 for update`,
    values: [instanceId, id],
  })
  return rows[0] ?? null
}

/** Order of the connections of a company at a service: the current one first, which is the active one, or else the newest. */
export const CURRENT_FIRST = '(status <> 26 and entity_id is not null) desc, created_at desc, id desc'

/** Current connection of a company at a service: the active one, or else the newest, be it an attempt or an ended one. */
export async function findCurrentConnection(db: Db, instanceId: string, companyId: string, serviceId: string): Promise<Connection | null> {
  const { rows } = await db.query<Connection>(
    `select ${CONNECTION_COLUMNS} from connections c where instance_id = $1 and company_id = $2 and service_id = $3
     order by ${CURRENT_FIRST} limit 1`,
    [instanceId, companyId, serviceId],
  )
  return rows[0] ?? null
}

/** The active connection of a company at a service: authorized and not disconnected. */
export async function findActiveConnection(db: Db, instanceId: string, companyId: string, serviceId: string): Promise<Connection | null> {
  const { rows } = await db.query<Connection>(
    `select ${CONNECTION_COLUMNS} from connections c where instance_id = $1 and company_id = $2 and service_id = $3
     and status <> 26 and entity_id is not null`,
    [instanceId, companyId, serviceId],
  )
  return rows[0] ?? null
}

/**
 * Locks the authorization that has started and not succeeded yet, null when there is none; until the transaction ends
 * no other can start here.
 */
export async function lockProvisional(db: Db, instanceId: string, companyId: string, serviceId: string): Promise<Connection | null> {
  await db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`authorization/${instanceId}/${companyId}/${serviceId}`])
  const { rows } = await db.query<Connection>(
    `select ${CONNECTION_COLUMNS} from connections c where instance_id = $1 and company_id = $2 and service_id = $3 and status in (6, 7, 20)
     and entity_id is null order by created_at desc limit 1 for update`,
    [instanceId, companyId, serviceId],
  )
  return rows[0] ?? null
}

/** Writes the status and a timeline entry. The caller checks whether the transition is allowed. */
export async function writeStatus(db: Db, connection: Connection, to: StatusCode, detail: string | StatusMessage): Promise<void> {
  await db.query('update connections set status = $3, updated_at = clock_timestamp() where instance_id = $1 and id = $2', [
    connection.instanceId,
    connection.id,
    to,
  ])
  await noteStatus(db, connection.instanceId, connection.id, connection.status, to, detail)
  connection.status = to
}

/** Writes a timeline entry; the status stays unchanged. */
export async function noteStatus(
  db: Db,
  instanceId: string,
  id: string,
  from: StatusCode | null,
  to: StatusCode,
  detail: string | StatusMessage,
): Promise<void> {
  const { text, code, parts } = typeof detail === 'string' ? { text: detail, code: null, parts: null } : detail
  await db.query(
    `insert into connection_timeline (instance_id, connection_id, from_status, to_status, detail, detail_code, detail_parts)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [instanceId, id, from, to, text, code, parts && JSON.stringify(parts)],
  )
}

/** Writes the grant: entity, sealed credentials, service of the bank. */
export async function writeGrant(
  db: Db,
  connection: Pick<Connection, 'instanceId' | 'id'>,
  grant: {
    serviceId: string
    entityId: string
    entityName: string
    reference: string | null
    email: string | null
    credentials: Uint8Array
    credentialsExpireAt: Date | null
    credentialsRefreshAt: Date | null
    sourceKeysId: string | null
    applicationId: string | null
  },
): Promise<void> {
  await db.query(
    `update connections set service_id = $3, entity_id = $4, entity_name = $5, reference = $6, email = coalesce($7, email),
       credentials = $8, credentials_expires_at = $9, credentials_refresh_at = $10, credentials_issued_at = clock_timestamp(),
       credentials_generation = credentials_generation + 1, granted_generation = credentials_generation + 1,
       refresh_owner = null, refresh_lease_until = null, refresh_started_at = null, refresh_failures = 0, refresh_not_before = null,
       fault = null, fault_code = null, trouble = null, updated_at = clock_timestamp(),
       source_keys_id = $11, application_id = $12, cursors = case when reference is distinct from $6 then '{}' else cursors end
     where instance_id = $1 and id = $2`,
    [
      connection.instanceId,
      connection.id,
      grant.serviceId,
      grant.entityId,
      grant.entityName,
      grant.reference,
      grant.email,
      grant.credentials,
      grant.credentialsExpireAt,
      grant.credentialsRefreshAt,
      grant.sourceKeysId,
      grant.applicationId,
    ],
  )
}

/** Sets whether the next complete listing must be matched against the records from before a reconnect. */
export async function writeReidentify(db: Db, instanceId: string, id: string, isDue: boolean): Promise<void> {
  await db.query('update connections set reidentify = $3 where instance_id = $1 and id = $2', [instanceId, id, isDue])
}

export async function writeAcceptsDeletions(db: Db, instanceId: string, id: string, accepts: boolean): Promise<void> {
  await db.query('update connections set accepts_deletions = $3 where instance_id = $1 and id = $2', [instanceId, id, accepts])
}

export async function writeSuspension(db: Db, instanceId: string, id: string, resumeStatus: StatusCode | null): Promise<void> {
  await db.query('update connections set resume_status = $3 where instance_id = $1 and id = $2', [instanceId, id, resumeStatus])
}

/** Deletes an unfinished connection, e.g. one that turned out to be a reconnect of another. */
export async function deleteConnection(db: Db, instanceId: string, id: string): Promise<void> {
  await db.query('delete from connections where instance_id = $1 and id = $2', [instanceId, id])
}

/** Records a finished run: next cursor, time of the read and, if anything changed, of the publication. */
export async function writeRead(
  db: Db,
  connection: Pick<Connection, 'instanceId' | 'id'>,
  read: { cursors: Record<string, Json>; at: Date; isNews: boolean },
): Promise<void> {
  await db.query(
    `update connections set cursors = $3, last_read_at = $4, published_at = case when $5 then $4 else published_at end,
       first_published_at = case when $5 and published_at is null then $4 else first_published_at end
     where instance_id = $1 and id = $2`,
    [connection.instanceId, connection.id, JSON.stringify(read.cursors), read.at, read.isNews],
  )
}
