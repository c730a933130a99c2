import type { FaultCode, FaultMessage } from '../../model/texts/status-messages.ts'
import type { Db } from '../db/database.ts'

/** Trouble: a failed read that is retried automatically. Instants are ISO 8601, UTC. */
export interface Trouble {
  code: FaultCode
  message: string
  at: string
  nextAt: string
}

/** Sets or clears (null) the fault; clears an earlier trouble in both cases. */
export async function writeFault(db: Db, instanceId: string, id: string, fault: FaultMessage | string | null): Promise<void> {
  const { text, code } = fault === null || typeof fault === 'string' ? { text: fault, code: null } : fault
  await db.query(
    `update connections set fault = $3, fault_code = $4, trouble = null where instance_id = $1 and id = $2
     and (fault is distinct from $3 or fault_code is distinct from $4 or trouble is not null)`,
    [instanceId, id, text, code],
  )
}

/** Records a failed read and its retry in `inMs`; ignored when the connection has been suspended or has ended. */
export async function writeTrouble(db: Db, instanceId: string, id: string, trouble: FaultMessage, inMs: number): Promise<void> {
  await db.query(
    `update connections set trouble = jsonb_build_object('code', $3::text, 'message', $4::text,
       'at', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
       'nextAt', to_char((clock_timestamp() + make_interval(secs => $5::float8 / 1000)) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
     where instance_id = $1 and id = $2 and status not in (26, 27)`,
    [instanceId, id, trouble.code, trouble.text, inMs],
  )
}

/** Clears the trouble: no retry is pending. */
export async function clearTrouble(db: Db, instanceId: string, id: string): Promise<void> {
  await db.query('update connections set trouble = null where instance_id = $1 and id = $2 and trouble is not null', [instanceId, id])
}

/** Status and fault of the newest connection that its owner has not finished authorizing; null when there is none. */
export async function findUnfinished(
  db: Db,
  key: { instanceId: string; companyId: string },
  serviceId: string,
): Promise<{ status: number; faultCode: string | null } | null> {
  const { rows } = await db.query<{ status: number; faultCode: string | null }>(
    `select status, fault_code as "faultCode" from connections where instance_id = $1 and company_id = $2 and service_id = $3
     and status in (6, 7, 20) and entity_id is null order by created_at desc limit 1`,
    [key.instanceId, key.companyId, serviceId],
  )
  return rows[0] ?? null
}
