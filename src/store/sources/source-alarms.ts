import type { Db } from '../db/database.ts'

/** Set of keys at a source; `clientHash` identifies the set without revealing a key. */
export interface SourceClient {
  connectorKey: string
  clientHash: Uint8Array
}

/** True when the alarm is new; an existing one stays unchanged. */
export async function raiseAlarm(db: Db, client: SourceClient, message: string, waitMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into source_alarms (connector_key, client_hash, message, retry_at)
     values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4::float8 / 1000))
     on conflict do nothing`,
    [client.connectorKey, client.clientHash, message, waitMs],
  )
  return rowCount === 1
}

/**
 * Wait in milliseconds before the source may be called; 0 without an alarm for these keys. During an alarm one caller
 * per `waitMs` gets 0 and acts as the probe.
 */
export async function waitForAlarm(db: Db, client: SourceClient, waitMs: number): Promise<number> {
  const { rows } = await db.query<{ inMs: number }>(
    `with chosen as (update source_alarms set retry_at = clock_timestamp() + make_interval(secs => $3::float8 / 1000)
       where connector_key = $1 and client_hash = $2 and retry_at <= statement_timestamp() returning 1)
     select greatest(1, ceil(extract(epoch from retry_at - clock_timestamp()) * 1000))::float8 as "inMs" from source_alarms
     where connector_key = $1 and client_hash = $2 and not exists (select 1 from chosen)`,
    [client.connectorKey, client.clientHash, waitMs],
  )
  return rows[0]?.inMs ?? 0
}

/** Clears the alarms of these and older keys once the source accepts the keys; true when there was one. */
export async function clearAlarms(db: Db, connectorKey: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from source_alarms where connector_key = $1', [connectorKey])
  return (rowCount ?? 0) > 0
}

/**
 * Connector keys of sources that reject the operator's keys, distinct. Alarms of an instance's own app, marked by a #,
 * concern only that instance.
 */
export async function listAlarms(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ connectorKey: string }>(
    `select distinct connector_key as "connectorKey" from source_alarms where position('#' in connector_key) = 0`,
  )
  return rows.map(({ connectorKey }) => connectorKey)
}
