import type { CallbackKind } from '../../model/callback-address.ts'
import type { Db } from '../db/database.ts'

export type KeyTest = 'accepted' | 'refused' | 'untested'

/** Own keys of an instance for its app at a source. */
export interface SourceKeys {
  instanceId: string
  id: string
  connectorKey: string
  /** Hash of the app's id at the source. */
  app: string
  /** Redirect address that is registered for the app. */
  callback: CallbackKind
  sealed: Uint8Array
  generation: number
  names: Record<string, SetKey>
  testedAt: Date
  test: KeyTest
  /** Error of the source in the last test; empty when it accepted them. */
  testReason: string
}

/** When a key was set, and by which user. */
export interface SetKey {
  at: string
  by: string
}

const COLUMNS = `instance_id as "instanceId", id, connector_key as "connectorKey", app, callback, sealed, generation, names, tested_at as "testedAt",
  test, test_reason as "testReason"`

/** Keys for new connections; null when the instance has none. */
export async function findCurrentKeys(db: Db, instanceId: string, connectorKey: string): Promise<SourceKeys | null> {
  const { rows } = await db.query<SourceKeys>(
    `select ${COLUMNS} from source_keys where instance_id = $1 and connector_key = $2 and is_current`,
    [instanceId, connectorKey],
  )
  return rows[0] ?? null
}

/** Keys that a connection was made with, including those of an earlier app. */
export async function findKeys(db: Db, instanceId: string, id: string): Promise<SourceKeys | null> {
  const { rows } = await db.query<SourceKeys>(`select ${COLUMNS} from source_keys where instance_id = $1 and id = $2`, [instanceId, id])
  return rows[0] ?? null
}

/** Keys of one app, current or not. */
export async function findKeysOfApp(db: Db, instanceId: string, connectorKey: string, apps: readonly string[]): Promise<SourceKeys | null> {
  const { rows } = await db.query<SourceKeys>(
    `select ${COLUMNS} from source_keys where instance_id = $1 and connector_key = $2 and app = any($3)`,
    [instanceId, connectorKey, apps],
  )
  return rows[0] ?? null
}

/** All keys of an instance at one source, those for new connections first. */
export async function listKeysAt(db: Db, instanceId: string, connectorKey: string): Promise<SourceKeys[]> {
  const { rows } = await db.query<SourceKeys>(
    `select ${COLUMNS} from source_keys where instance_id = $1 and connector_key = $2 order by is_current desc, id`,
    [instanceId, connectorKey],
  )
  return rows
}

export async function listCurrentKeys(db: Db, instanceId: string): Promise<SourceKeys[]> {
  const { rows } = await db.query<SourceKeys>(`select ${COLUMNS} from source_keys where instance_id = $1 and is_current`, [instanceId])
  return rows
}

/** Keys of any instance with an own app at a source; for data that is the same for all, such as a bank directory. */
export async function findAnyKeys(db: Db, connectorKey: string): Promise<SourceKeys | null> {
  const { rows } = await db.query<SourceKeys>(
    `select ${COLUMNS} from source_keys where connector_key = $1 and is_current and test <> 'refused' order by instance_id limit 1`,
    [connectorKey],
  )
  return rows[0] ?? null
}

/** Locks the keys of this instance at this source until the transaction ends. */
export async function lockKeys(db: Db, instanceId: string, connectorKey: string): Promise<void> {
  await db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`source-keys/${instanceId}/${connectorKey}`])
}

/** Makes these the keys for new connections. Keys of another app stay for the connections made with it. */
export async function writeKeys(db: Db, keys: Omit<SourceKeys, 'testedAt'>): Promise<void> {
  const { instanceId, id, connectorKey, app, callback, sealed, generation, names, test, testReason } = keys
  await db.query('update source_keys set is_current = false where instance_id = $1 and connector_key = $2 and is_current', [
    instanceId,
    connectorKey,
  ])
  await db.query(
    `insert into source_keys (instance_id, id, connector_key, app, sealed, generation, names, test, test_reason, callback)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (instance_id, id) do update set is_current = true, sealed = excluded.sealed, generation = excluded.generation,
       names = excluded.names, tested_at = clock_timestamp(), test = excluded.test, test_reason = excluded.test_reason,
       callback = excluded.callback`,
    [instanceId, id, connectorKey, app, sealed, generation, JSON.stringify(names), test, testReason, callback],
  )
}

/** Records a key test; ignored when the keys have been changed since. */
export async function noteKeyTest(
  db: Db,
  key: Pick<SourceKeys, 'instanceId' | 'id' | 'generation'>,
  test: KeyTest,
  reason: string,
): Promise<void> {
  await db.query(
    `update source_keys set test = $4, test_reason = $5, tested_at = clock_timestamp()
     where instance_id = $1 and id = $2 and generation = $3`,
    [key.instanceId, key.id, key.generation, test, reason],
  )
}

/** Deletes all keys of the instance at this source, including those of earlier apps; false when there were none. */
export async function deleteKeys(db: Db, instanceId: string, connectorKey: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from source_keys where instance_id = $1 and connector_key = $2', [instanceId, connectorKey])
  return (rowCount ?? 0) > 0
}

/** Deletes keys of earlier apps without connections; returns their number. */
export async function pruneSourceKeys(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    `delete from source_keys k where not is_current
     and not exists (select from connections c where c.instance_id = k.instance_id and c.source_keys_id = k.id
       and (c.status <> 26 or c.updated_at > statement_timestamp() - interval '7 days'))
     and not exists (select from authorizations a where a.instance_id = k.instance_id and a.source_keys_id = k.id)
     and not exists (select from jobs j where j.kind = 'revoke' and j.state in ('ready', 'running') and j.payload->>'sourceKeysId' = k.id::text)`,
  )
  return rowCount ?? 0
}

/** Number of active connections of an instance by source and keys (null for the deployment's). */
export interface KeyUse {
  connectorKey: string
  keysId: string | null
  connections: number
}

export async function listKeyUse(db: Db, instanceId: string): Promise<KeyUse[]> {
  const { rows } = await db.query<KeyUse>(
    `select connector_key as "connectorKey", source_keys_id as "keysId", count(*)::int as connections from connections
     where instance_id = $1 and status <> 26 and entity_id is not null group by 1, 2`,
    [instanceId],
  )
  return rows
}

/** Connector keys of sources that the instance does not offer. */
export async function listHiddenSources(db: Db, instanceId: string): Promise<string[]> {
  const { rows } = await db.query<{ connectorKey: string }>(
    'select connector_key as "connectorKey" from hidden_sources where instance_id = $1',
    [instanceId],
  )
  return rows.map(({ connectorKey }) => connectorKey)
}

/** True when this changed anything. */
export async function writeHiddenSource(db: Db, instanceId: string, connectorKey: string, isHidden: boolean): Promise<boolean> {
  const { rowCount } = isHidden
    ? await db.query('insert into hidden_sources (instance_id, connector_key) values ($1, $2) on conflict do nothing', [
        instanceId,
        connectorKey,
      ])
    : await db.query('delete from hidden_sources where instance_id = $1 and connector_key = $2', [instanceId, connectorKey])
  return rowCount === 1
}
