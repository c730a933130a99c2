import type { Db } from '../db/database.ts'

export interface SealedSecret {
  id: string
  subscriptionId: string
  sealed: Uint8Array
  /** Start of signing bodies, unless a newer secret has started; until then it signs headers only. */
  activeFrom: Date
  /** Null until there is a successor. */
  expiresAt: Date | null
  /** Whether it signs bodies now: the newest active secret does. */
  isCurrent: boolean
}

/**
 * Active secrets of some subscriptions, the one that signs bodies first. `aheadMs` is nonzero only in tests, which
 * travel in time.
 */
export async function listUnexpiredSecrets(db: Db, instanceId: string, subscriptionIds: string[], aheadMs = 0): Promise<SealedSecret[]> {
  const { rows } = await db.query<SealedSecret>({
    name: 'list-active-secrets',
    text: `select id, subscription_id as "subscriptionId", sealed, active_from as "activeFrom", expires_at as "expiresAt",
             active_from <= now and id = first_value(id) over (
               partition by subscription_id order by active_from <= now desc, active_from desc) as "isCurrent"
           from subscription_secrets, lateral (select clock_timestamp() + make_interval(secs => $3::float8 / 1000) as now) clock
           where instance_id = $1 and subscription_id = any($2) and (expires_at is null or expires_at > now)
           order by subscription_id, "isCurrent" desc, active_from desc`,
    values: [instanceId, subscriptionIds, aheadMs],
  })
  return rows
}

/** The secret starts to sign bodies `activeAfterMs` from now. */
export async function insertSecret(
  db: Db,
  instanceId: string,
  secret: { id: string; subscriptionId: string; sealed: Uint8Array; activeAfterMs: number },
): Promise<Date> {
  const { rows } = await db.query<{ activeFrom: Date }>(
    `insert into subscription_secrets (instance_id, id, subscription_id, sealed, active_from)
     values ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5::float8 / 1000)) returning active_from as "activeFrom"`,
    [instanceId, secret.id, secret.subscriptionId, secret.sealed, secret.activeAfterMs],
  )
  const [row] = rows
  if (!row) throw new Error('the insert gave no row back')
  return row.activeFrom
}

/** Makes a secret sign bodies from now on; returns that time. */
export async function activateSecret(db: Db, instanceId: string, id: string): Promise<Date> {
  const { rows } = await db.query<{ activeFrom: Date }>(
    `update subscription_secrets set active_from = clock_timestamp() where instance_id = $1 and id = $2 returning active_from as "activeFrom"`,
    [instanceId, id],
  )
  const [row] = rows
  if (!row) throw new Error('the secret is gone')
  return row.activeFrom
}

/** Expires all secrets of a subscription but `id` in `afterMs`, unless they expire earlier. */
export async function expireOtherSecrets(db: Db, instanceId: string, subscriptionId: string, id: string, afterMs: number): Promise<void> {
  await db.query(
    `update subscription_secrets set expires_at = least(expires_at, clock_timestamp() + make_interval(secs => $4::float8 / 1000))
     where instance_id = $1 and subscription_id = $2 and id <> $3`,
    [instanceId, subscriptionId, id, afterMs],
  )
}

/** Deletes the secrets that signed bodies before `id` did; returns their number. */
export async function deleteOlderSecrets(db: Db, instanceId: string, subscriptionId: string, id: string): Promise<number> {
  const { rowCount } = await db.query(
    `delete from subscription_secrets s using subscription_secrets kept
     where s.instance_id = $1 and s.subscription_id = $2 and kept.instance_id = $1 and kept.id = $3 and s.active_from < kept.active_from`,
    [instanceId, subscriptionId, id],
  )
  return rowCount ?? 0
}

/** Deletes expired secrets, and all but `keepId` if given. */
export async function deleteSecrets(db: Db, instanceId: string, subscriptionId: string, keepId: string | null): Promise<void> {
  await db.query(
    `delete from subscription_secrets where instance_id = $1 and subscription_id = $2
       and (expires_at < statement_timestamp() or id <> $3::uuid)`,
    [instanceId, subscriptionId, keepId],
  )
}
