import type { Db } from '../db/database.ts'

/** Whose passkeys: a user of an instance, or an operator, whose rows belong to the nil instance. */
export interface PasskeyHolder {
  kind: 'user' | 'operator'
  instanceId: string
  id: string
}

/** Passkey as its holder sees it. */
export interface Passkey {
  id: string
  name: string
  createdOn: Date
  lastUsedOn: Date | null
}

/** Passkey with what its signatures are checked by. */
export interface PasskeyCredential extends Passkey {
  credentialId: Uint8Array
  /** COSE key. */
  publicKey: Uint8Array
  transports: string[]
}

export type NewPasskey = Pick<PasskeyCredential, 'id' | 'name' | 'credentialId' | 'publicKey' | 'transports'> & { signCount: number }

/** Purpose of a challenge; one for a registration cannot sign anyone in. */
export type PasskeyPurpose = 'registration' | 'login' | 'proof'

const COLUMNS = `id, name, credential_id as "credentialId", public_key as "publicKey", transports, created_at as "createdOn",
  last_used_at as "lastUsedOn"`
const TABLE = { user: 'users', operator: 'operators' } as const
const HOLDER = { user: 'user_id', operator: 'operator_id' } as const

/** Oldest first. */
export async function listPasskeys(db: Db, holder: PasskeyHolder): Promise<PasskeyCredential[]> {
  const { rows } = await db.query<PasskeyCredential>(
    `select ${COLUMNS} from passkeys where instance_id = $1 and ${HOLDER[holder.kind]} = $2 order by created_at, id`,
    [holder.instanceId, holder.id],
  )
  return rows
}

/** Locks the holder until the transaction ends, so that no other passkey is stored in between. */
export async function lockPasskeyHolder(db: Db, { kind, instanceId, id }: PasskeyHolder): Promise<void> {
  await db.query(`select from ${TABLE[kind]} where instance_id = $1 and id = $2 for no key update`, [instanceId, id])
}

/** Stores a passkey; false when the instance has one with its credential already. */
export async function insertPasskey(db: Db, holder: PasskeyHolder, passkey: NewPasskey, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into passkeys (instance_id, ${HOLDER[holder.kind]}, id, name, credential_id, public_key, sign_count, transports, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [
      ...[holder.instanceId, holder.id, passkey.id, passkey.name, passkey.credentialId, passkey.publicKey, passkey.signCount],
      ...[passkey.transports, at],
    ],
  )
  return rowCount === 1
}

/** Records a use; false when the counter did not increase, as with a copied passkey. Authenticators without a counter always send 0. */
export async function notePasskeyUse(db: Db, holder: PasskeyHolder, id: string, signCount: number, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update passkeys set sign_count = $4, last_used_at = $5
     where instance_id = $1 and ${HOLDER[holder.kind]} = $2 and id = $3 and (sign_count < $4 or (sign_count = 0 and $4 = 0))`,
    [holder.instanceId, holder.id, id, signCount, at],
  )
  return rowCount === 1
}

/** False when the holder has no such passkey. */
export async function renamePasskey(db: Db, holder: PasskeyHolder, id: string, name: string): Promise<boolean> {
  const { rowCount } = await db.query(`update passkeys set name = $4 where instance_id = $1 and ${HOLDER[holder.kind]} = $2 and id = $3`, [
    holder.instanceId,
    holder.id,
    id,
    name,
  ])
  return rowCount === 1
}

/** False when the holder has no such passkey. */
export async function deletePasskey(db: Db, holder: PasskeyHolder, id: string): Promise<boolean> {
  const { rowCount } = await db.query(`delete from passkeys where instance_id = $1 and ${HOLDER[holder.kind]} = $2 and id = $3`, [
    holder.instanceId,
    holder.id,
    id,
  ])
  return rowCount === 1
}

/** Deletes all passkeys of a holder; returns how many. */
export async function deletePasskeys(db: Db, holder: PasskeyHolder): Promise<number> {
  const { rowCount } = await db.query(`delete from passkeys where instance_id = $1 and ${HOLDER[holder.kind]} = $2`, [
    holder.instanceId,
    holder.id,
  ])
  return rowCount ?? 0
}

export async function createPasskeyChallenge(
  db: Db,
  holder: PasskeyHolder,
  { challenge, purpose, expiresAt }: { challenge: Uint8Array; purpose: PasskeyPurpose; expiresAt: Date },
): Promise<void> {
  await db.query(
    `insert into passkey_challenges (instance_id, challenge, ${HOLDER[holder.kind]}, purpose, expires_at) values ($1, $2, $3, $4, $5)`,
    [holder.instanceId, challenge, holder.id, purpose, expiresAt],
  )
}

/** Consumes a challenge; false if it is unknown, used or expired, or was issued for another purpose or holder. */
export async function consumePasskeyChallenge(
  db: Db,
  holder: PasskeyHolder,
  challenge: Uint8Array,
  purpose: PasskeyPurpose,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `delete from passkey_challenges
     where instance_id = $1 and ${HOLDER[holder.kind]} = $2 and challenge = $3 and purpose = $4 and expires_at > $5`,
    [holder.instanceId, holder.id, challenge, purpose, at],
  )
  return rowCount === 1
}

export async function deleteOldPasskeyChallenges(db: Db, at: Date): Promise<void> {
  await db.query('delete from passkey_challenges where expires_at < $1', [at])
}
