import type { Db } from '../db/database.ts'

/** Access to a company's own page: whoever has its address may open it. */
export interface OwnerAccess {
  instanceId: string
  id: string
  companyId: string
}

/** Days that an address stays valid after the last connection has ended. */
const DAYS_AFTER_THE_LAST = 30

/** Stores an access by the hash of its token; an existing one stays unchanged, revoked or not. */
export async function saveOwnerAccess(db: Db, access: OwnerAccess & { tokenHash: Uint8Array }): Promise<void> {
  await db.query(
    `insert into owner_accesses (instance_id, id, company_id, token_hash) values ($1, $2, $3, $4) on conflict (token_hash) do nothing`,
    [access.instanceId, access.id, access.companyId, access.tokenHash],
  )
}

/** Stores the access of a link that was used up at `usedAt`, unless all addresses of the company were revoked later. */
export async function saveAccessOfLink(db: Db, access: OwnerAccess & { tokenHash: Uint8Array }, usedAt: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into owner_accesses (instance_id, id, company_id, token_hash) select $1, $2, $3, $4
     where not exists (select 1 from owner_accesses where instance_id = $1 and company_id = $3 and revoked_at > $5)
     on conflict (token_hash) do nothing`,
    [access.instanceId, access.id, access.companyId, access.tokenHash, usedAt],
  )
  return rowCount === 1
}

/** Whether there is or was an access with one of these hashes, revoked or not. */
export async function isOwnerAccessStored(db: Db, tokenHashes: readonly Uint8Array[]): Promise<boolean> {
  const { rows } = await db.query('select from owner_accesses where token_hash = any($1::bytea[])', [tokenHashes])
  return rows.length > 0
}

/** Null when unknown or revoked, or when the company has had no connection for `DAYS_AFTER_THE_LAST`. */
export async function findOwnerAccess(db: Db, tokenHashes: readonly Uint8Array[]): Promise<OwnerAccess | null> {
  const { rows } = await db.query<OwnerAccess>(
    `select a.instance_id as "instanceId", a.id, a.company_id as "companyId" from owner_accesses a
     where a.token_hash = any($1::bytea[]) and a.revoked_at is null and (a.created_at > statement_timestamp() - make_interval(days => $2)
       or exists (select from connections c where c.instance_id = a.instance_id and c.company_id = a.company_id and c.entity_id is not null
         and (c.status <> 26 or c.updated_at > statement_timestamp() - make_interval(days => $2))))`,
    [tokenHashes, DAYS_AFTER_THE_LAST],
  )
  return rows[0] ?? null
}

/** Number of addresses of the company's own page that have not been revoked. */
export async function countOwnerAccesses(db: Db, instanceId: string, companyId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from owner_accesses where instance_id = $1 and company_id = $2 and revoked_at is null',
    [instanceId, companyId],
  )
  return rows[0]?.count ?? 0
}

/** Revokes all addresses of the company's own page; returns their number. */
export async function revokeOwnerAccesses(db: Db, instanceId: string, companyId: string): Promise<number> {
  const { rowCount } = await db.query(
    'update owner_accesses set revoked_at = clock_timestamp() where instance_id = $1 and company_id = $2 and revoked_at is null',
    [instanceId, companyId],
  )
  return rowCount ?? 0
}
