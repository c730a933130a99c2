import type { Db } from '../db/database.ts'

/** A person at a provider. */
export interface ProviderSubject {
  instanceId: string
  issuer: string
  subject: string
}

/** Id of the member that a person is; null: none yet. */
export async function findMemberId(db: Db, { instanceId, issuer, subject }: ProviderSubject): Promise<string | null> {
  const { rows } = await db.query<{ userId: string }>(
    'select user_id as "userId" from provider_identities where instance_id = $1 and issuer = $2 and subject = $3',
    [instanceId, issuer, subject],
  )
  return rows[0]?.userId ?? null
}

/** Whether a member has an identity at this provider. */
export async function hasIdentity(db: Db, instanceId: string, userId: string, issuer: string): Promise<boolean> {
  const { rows } = await db.query('select from provider_identities where instance_id = $1 and user_id = $2 and issuer = $3', [
    instanceId,
    userId,
    issuer,
  ])
  return rows.length > 0
}

/** False when the person is a member already. */
export async function addIdentity(db: Db, { instanceId, issuer, subject }: ProviderSubject, userId: string, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into provider_identities (instance_id, issuer, subject, user_id, created_at) values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [instanceId, issuer, subject, userId, at],
  )
  return rowCount === 1
}
