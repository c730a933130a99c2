import type { Db } from './database.ts'

/** A connection link: a capability for one company at one service, kept by the hash of its token. */
export interface Link {
  instanceId: string
  id: string
  companyId: string
  serviceId: string
  /** E-mail address of the user who made it. */
  issuedBy: string
  expiresAt: Date
  completedAt: Date | null
  revokedAt: Date | null
}

const COLUMNS = `instance_id as "instanceId", id, company_id as "companyId", service_id as "serviceId", issued_by as "issuedBy",
  expires_at as "expiresAt", completed_at as "completedAt", revoked_at as "revokedAt"`

export interface NewLink {
  instanceId: string
  id: string
  tokenHash: Uint8Array
  companyId: string
  serviceId: string
  issuedBy: string
  lifeDays: number
}

export async function createLink(db: Db, link: NewLink): Promise<void> {
  await db.query(
    `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(days => $7))`,
    [link.instanceId, link.id, link.tokenHash, link.companyId, link.serviceId, link.issuedBy, link.lifeDays],
  )
}

/** The link that may still be used: not expired, not completed, not revoked; `usable` is decided by the database's clock. */
export async function findLinkByToken(db: Db, tokenHash: Uint8Array): Promise<(Link & { usable: boolean }) | null> {
  const { rows } = await db.query<Link & { usable: boolean }>(
    `select ${COLUMNS}, (expires_at > clock_timestamp() and completed_at is null and revoked_at is null) as usable
     from links where token_hash = $1`,
    [tokenHash],
  )
  return rows[0] ?? null
}

export async function findLinkById(db: Db, instanceId: string, id: string): Promise<Link | null> {
  const { rows } = await db.query<Link>(`select ${COLUMNS} from links where instance_id = $1 and id = $2`, [instanceId, id])
  return rows[0] ?? null
}

/** Marks the link as used up; false when it was already. */
export async function completeLink(db: Db, instanceId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update links set completed_at = clock_timestamp() where instance_id = $1 and id = $2 and completed_at is null and revoked_at is null',
    [instanceId, id],
  )
  return rowCount === 1
}

export async function revokeLinks(db: Db, instanceId: string, companyId: string, serviceId: string): Promise<number> {
  const { rowCount } = await db.query(
    `update links set revoked_at = clock_timestamp()
     where instance_id = $1 and company_id = $2 and service_id = $3 and revoked_at is null and completed_at is null`,
    [instanceId, companyId, serviceId],
  )
  return rowCount ?? 0
}
