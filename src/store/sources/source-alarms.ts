import type { Db } from '../db/database.ts'

/** Which keys at which source; `clientHash` tells one set of keys from another without showing any. */
export interface SourceClient {
  connectorKey: string
  clientHash: Uint8Array
}

/** True when it is a new one; a known one stays as it is. */
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
 * How long to leave the source alone; 0 when there is no alarm for these keys. Of all who ask while one is up, one gets 0 each `waitMs`:
 * that one tries.
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

/** The source takes the keys again; true when there was an alarm, of these keys or of older ones. */
export async function clearAlarms(db: Db, connectorKey: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from source_alarms where connector_key = $1', [connectorKey])
  return (rowCount ?? 0) > 0
}

/** Connector keys of sources that refuse the operator's keys, each once; an app of an instance's own, behind a #, is that instance's concern. */
export async function listAlarms(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ connectorKey: string }>(
    `select distinct connector_key as "connectorKey" from source_alarms where position('#' in connector_key) = 0`,
  )
  return rows.map(({ connectorKey }) => connectorKey)
}
