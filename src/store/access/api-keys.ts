import type { Db } from '../db/database.ts'
import { type Columns, type Selection, toCondition, toOrder } from '../db/list-selection.ts'
import { countRows } from '../db/lists/count-rows.ts'

/** API key: what a program calls the API with. Its token is stored by hash only. */
export interface ApiKey {
  instanceId: string
  id: string
  /** Id of the first key of a chain of rotations. */
  applicationId: string
  name: string
  /** Prefix of the token that is shown. */
  prefix: string
  scopes: string[]
  /** A user, who may be gone. */
  createdBy: string
  createdOn: Date
  /** Null if it never expires. */
  expiresOn: Date | null
  /** To the minute; null if it was never used. */
  lastUsedOn: Date | null
  revokedOn: Date | null
  /** Its successor. */
  replacedBy: string | null
}

export type NewApiKey = Omit<ApiKey, 'lastUsedOn' | 'revokedOn' | 'replacedBy'> & { tokenHash: Uint8Array }

const COLUMNS = `instance_id as "instanceId", id, application_id as "applicationId", name, prefix, scopes, created_by as "createdBy",
  created_at as "createdOn", expires_at as "expiresOn", last_used_at as "lastUsedOn", revoked_at as "revokedOn", replaced_by as "replacedBy"`

const LISTED: Columns = {
  id: { sql: 'id', type: 'uuid' },
  applicationId: { sql: 'application_id', type: 'uuid' },
  name: { sql: 'name', type: 'string' },
  prefix: { sql: 'prefix', type: 'string' },
  createdBy: { sql: 'created_by', type: 'uuid' },
  createdOn: { sql: 'created_at', type: 'date', key: 'created_at' },
  expiresOn: { sql: 'expires_at', type: 'date' },
  lastUsedOn: { sql: 'last_used_at', type: 'date' },
  revokedOn: { sql: 'revoked_at', type: 'date' },
}

/** Inserts a key. If a repeated request has inserted it before, only the token is replaced. Returns the stored key. */
export async function createApiKey(db: Db, key: NewApiKey): Promise<ApiKey> {
  const { rows } = await db.query<ApiKey>(
    `insert into api_keys (instance_id, id, application_id, name, prefix, token_hash, scopes, created_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (instance_id, id) do update set prefix = excluded.prefix, token_hash = excluded.token_hash
     returning ${COLUMNS}`,
    [
      key.instanceId,
      key.id,
      key.applicationId,
      key.name,
      key.prefix,
      key.tokenHash,
      key.scopes,
      key.createdBy,
      key.createdOn,
      key.expiresOn,
    ],
  )
  const [stored] = rows
  if (!stored) throw new Error('the insert returned no row')
  return stored
}

/** Finds a key of any instance by the possible hashes of its token, whatever its state. */
export async function findApiKeyByToken(db: Db, tokenHashes: readonly Uint8Array[]): Promise<ApiKey | null> {
  const { rows } = await db.query<ApiKey>({
    name: 'api-key-by-token',
    text: `select ${COLUMNS} from api_keys where token_hash = any($1::bytea[])`,
    values: [tokenHashes],
  })
  return rows[0] ?? null
}

export async function findApiKey(db: Db, instanceId: string, id: string): Promise<ApiKey | null> {
  const { rows } = await db.query<ApiKey>(`select ${COLUMNS} from api_keys where instance_id = $1 and id = $2`, [instanceId, id])
  return rows[0] ?? null
}

/** Reads a key and locks it until the transaction ends. */
export async function lockApiKey(db: Db, instanceId: string, id: string): Promise<ApiKey | null> {
  const { rows } = await db.query<ApiKey>(`select ${COLUMNS} from api_keys where instance_id = $1 and id = $2 for update`, [instanceId, id])
  return rows[0] ?? null
}

export async function listApiKeys(db: Db, instanceId: string, selection: Selection): Promise<{ keys: ApiKey[]; total: number }> {
  const values: unknown[] = [instanceId]
  const from = `from api_keys where instance_id = $1 and ${toCondition(selection.filter, LISTED, values)}`
  const total = await countRows(db, from, values)
  const { rows } = await db.query<ApiKey>(`select ${COLUMNS} ${from} ${toOrder(selection, LISTED, 'id', values)}`, values)
  return { keys: rows, total }
}

/** Records the successor of a key, and when the key expires. */
export async function replaceApiKey(
  db: Db,
  { instanceId, id }: Pick<ApiKey, 'instanceId' | 'id'>,
  { replacedBy, expiresOn }: { replacedBy: string; expiresOn: Date },
): Promise<void> {
  await db.query('update api_keys set replaced_by = $3, expires_at = $4 where instance_id = $1 and id = $2', [
    instanceId,
    id,
    replacedBy,
    expiresOn,
  ])
}

/** Revokes a key; processes learn of it through `ended_sessions`. False if it was already revoked. */
export async function revokeApiKey(db: Db, instanceId: string, id: string, at: Date): Promise<boolean> {
  const { rowCount } = await db.query('update api_keys set revoked_at = $3 where instance_id = $1 and id = $2 and revoked_at is null', [
    instanceId,
    id,
    at,
  ])
  return rowCount === 1
}

/** Use of a key by this process. */
export interface ApiKeyUse {
  instanceId: string
  keyId: string
  at: Date
}

/** Updates the times of last use, truncated to the minute: a key is written at most once a minute. */
export async function noteApiKeyUses(db: Db, uses: readonly ApiKeyUse[]): Promise<void> {
  if (uses.length === 0) return
  // The same row order in all processes, to avoid deadlocks.
  await db.query(
    `with used as (
       select k.instance_id, k.id, date_trunc('minute', u.at) as at
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as u (instance_id, id, at)
         join api_keys k on k.instance_id = u.instance_id and k.id = u.id
       where k.last_used_at is null or k.last_used_at < date_trunc('minute', u.at)
       order by k.instance_id, k.id for update of k
     )
     update api_keys k set last_used_at = used.at from used where k.instance_id = used.instance_id and k.id = used.id`,
    [uses.map(({ instanceId }) => instanceId), uses.map(({ keyId }) => keyId), uses.map(({ at }) => at)],
  )
}
