import type { Db } from './database.ts'

/** An owner on the way to a source and back; `state` and the cookie are kept hashed, the memo sealed. */
export interface Authorization {
  instanceId: string
  id: string
  linkId: string
  connectionId: string
  memo: Uint8Array | null
}

const COLUMNS = `instance_id as "instanceId", id, link_id as "linkId", connection_id as "connectionId", memo`

export async function createAuthorization(
  db: Db,
  authorization: Authorization & { stateHash: Uint8Array; memoMatch: Uint8Array | null; lifeMinutes: number },
): Promise<void> {
  await db.query(
    `insert into authorizations (instance_id, id, link_id, connection_id, state_hash, memo, memo_match, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + make_interval(mins => $8))`,
    [
      authorization.instanceId,
      authorization.id,
      authorization.linkId,
      authorization.connectionId,
      authorization.stateHash,
      authorization.memo,
      authorization.memoMatch,
      authorization.lifeMinutes,
    ],
  )
}

/** Takes the authorization away: whoever gets the row is the only one to complete it. */
export async function consumeAuthorization(db: Db, stateHash: Uint8Array): Promise<(Authorization & { expired: boolean }) | null> {
  const { rows } = await db.query<Authorization & { expired: boolean }>(
    `delete from authorizations where state_hash = $1 returning ${COLUMNS}, expires_at <= clock_timestamp() as expired`,
    [stateHash],
  )
  return rows[0] ?? null
}

/** The authorization as it waits; null when it is gone or has expired. */
export async function findAuthorization(db: Db, stateHash: Uint8Array): Promise<Authorization | null> {
  const { rows } = await db.query<Authorization>(
    `select ${COLUMNS} from authorizations where state_hash = $1 and expires_at > clock_timestamp()`,
    [stateHash],
  )
  return rows[0] ?? null
}

/** The same by a value that the source's webhook repeats. */
export async function consumeAuthorizationByMatch(db: Db, memoMatch: Uint8Array): Promise<Authorization | null> {
  const { rows } = await db.query<Authorization>(
    `delete from authorizations where memo_match = $1 and expires_at > clock_timestamp() returning ${COLUMNS}`,
    [memoMatch],
  )
  return rows[0] ?? null
}

/** Removes what nobody came back for and names the connections concerned. */
export async function expireAuthorizations(db: Db): Promise<Pick<Authorization, 'instanceId' | 'connectionId'>[]> {
  const { rows } = await db.query<Pick<Authorization, 'instanceId' | 'connectionId'>>(
    `delete from authorizations where expires_at <= clock_timestamp()
     returning instance_id as "instanceId", connection_id as "connectionId"`,
  )
  return rows
}

export async function hasAuthorization(db: Db, instanceId: string, connectionId: string): Promise<boolean> {
  const { rows } = await db.query('select 1 from authorizations where instance_id = $1 and connection_id = $2 limit 1', [
    instanceId,
    connectionId,
  ])
  return rows.length > 0
}

/** Nobody may come back to an ended connection. */
export async function abandonAuthorizations(db: Db, instanceId: string, connectionId: string): Promise<void> {
  await db.query('delete from authorizations where instance_id = $1 and connection_id = $2', [instanceId, connectionId])
}
