import type { Locale } from '../../model/values/text.ts'
import type { Db } from '../db/database.ts'

/** Connection link: a capability for one company at one service, stored by the hash of its token. */
export interface Link {
  instanceId: string
  id: string
  companyId: string
  serviceId: string
  /** E-mail address of the user who created it, or who made the API key that did. */
  issuedBy: string
  /** Application of the API key that created it; null: a user did. */
  applicationId: string | null
  expiresAt: Date
  completedAt: Date | null
  revokedAt: Date | null
  /** Key of a purpose of the instance; null for the current default. */
  purposeKey: string | null
  /** Initial language of the pages; null for the browser's. */
  language: Locale | null
  /** Address to which the owner may return at the end. */
  returnUrl: string | null
  /** First opened at. */
  openedAt: Date | null
  /** Link that this one was handed off from; null for all others. */
  parentId: string | null
  /** Trace that began when its owner agreed, as W3C `traceparent`. */
  traceParent: string | null
}

const COLUMNS = `instance_id as "instanceId", id, company_id as "companyId", service_id as "serviceId", issued_by as "issuedBy", application_id as "applicationId",
  expires_at as "expiresAt", completed_at as "completedAt", revoked_at as "revokedAt",
  purpose_key as "purposeKey", language, return_url as "returnUrl", opened_at as "openedAt",
  parent_id as "parentId", coalesce(trace_parent, (select p.trace_parent from links p
    where p.instance_id = links.instance_id and p.id = links.parent_id)) as "traceParent"`

export interface NewLink {
  instanceId: string
  id: string
  tokenHash: Uint8Array
  companyId: string
  serviceId: string
  issuedBy: string
  applicationId: string | null
  lifeHours: number
  purposeKey: string | null
  language: Locale | null
  returnUrl: string | null
}

/** Inserts a link; false when one with this token exists. */
export async function createLink(db: Db, link: NewLink): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at, purpose_key, language, return_url, application_id)
     values ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(hours => $7), $8, $9, $10, $11) on conflict (token_hash) do nothing`,
    [
      link.instanceId,
      link.id,
      link.tokenHash,
      link.companyId,
      link.serviceId,
      link.issuedBy,
      link.lifeHours,
      link.purposeKey,
      link.language,
      link.returnUrl,
      link.applicationId,
    ],
  )
  return rowCount === 1
}

/** Copies a link for another service of the same company, with the same options; false when it exists. */
export async function copyLink(
  db: Db,
  model: Pick<Link, 'instanceId' | 'id'>,
  copy: { id: string; tokenHash: Uint8Array; serviceId: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at, purpose_key, language, return_url, application_id)
     select instance_id, $3, $4, company_id, $5, issued_by, expires_at, purpose_key, language, return_url, application_id
     from links where instance_id = $1 and id = $2 on conflict do nothing`,
    [model.instanceId, model.id, copy.id, copy.tokenHash, copy.serviceId],
  )
  return rowCount === 1
}

/** Extends an unused link: it can be opened for at least `minutes` from now, whatever its expiry was. */
export async function prolongLink(db: Db, { instanceId, id }: Pick<Link, 'instanceId' | 'id'>, minutes: number): Promise<void> {
  await db.query(
    `update links set expires_at = greatest(expires_at, clock_timestamp() + make_interval(mins => $3))
     where instance_id = $1 and id = $2 and completed_at is null and revoked_at is null`,
    [instanceId, id, minutes],
  )
}

/**
 * Finds a link by the possible hashes of its token. `usable`: neither expired, completed nor revoked, and the link it
 * was handed off from neither completed nor revoked; by the database clock.
 */
export async function findLinkByToken(db: Db, tokenHashes: readonly Uint8Array[]): Promise<(Link & { usable: boolean }) | null> {
  const { rows } = await db.query<Link & { usable: boolean }>(
    `select ${COLUMNS}, (expires_at > statement_timestamp() and completed_at is null and revoked_at is null and not exists (
         select 1 from links p where p.instance_id = links.instance_id and p.id = links.parent_id
           and (p.revoked_at is not null or p.completed_at is not null))) as usable
     from links where token_hash = any($1::bytea[])`,
    [tokenHashes],
  )
  return rows[0] ?? null
}

export async function findLinkById(db: Db, instanceId: string, id: string): Promise<Link | null> {
  const { rows } = await db.query<Link>(`select ${COLUMNS} from links where instance_id = $1 and id = $2`, [instanceId, id])
  return rows[0] ?? null
}

/** Records the first opening of the link. */
export async function noteOpened(db: Db, instanceId: string, id: string): Promise<boolean> {
  const update = 'update links set opened_at = clock_timestamp() where instance_id = $1 and id = $2 and opened_at is null'
  const { rowCount } = await db.query(update, [instanceId, id])
  return rowCount === 1
}

/** Notes the trace in which an owner agreed. */
export async function noteTrace(db: Db, instanceId: string, id: string, traceParent: string): Promise<void> {
  await db.query('update links set trace_parent = $3 where instance_id = $1 and id = $2', [instanceId, id, traceParent])
}

/** Id of the owner's link: consent and connections belong to it, even when a helper finished. */
export function rootLinkId(link: Pick<Link, 'id' | 'parentId'>): string {
  return link.parentId ?? link.id
}

/**
 * Link that $2 was handed off from, or $2 itself. NOTE as a join it would be compared with every link of the instance.
 */
const ROOT = '(select coalesce(parent_id, id) from links where instance_id = $1 and id = $2)'

/**
 * Locks a link, its parent and its hand-offs in a fixed order: until the transaction ends none of them can be
 * completed, revoked or agreed to. Returns their ids; null when the link or its parent was completed or revoked.
 */
export async function lockLinks(db: Db, instanceId: string, id: string): Promise<string[] | null> {
  const { rows } = await db.query<{ id: string; isWanted: boolean; isOpen: boolean }>(
    `select f.id, f.id in ($2, ${ROOT}) as "isWanted", f.completed_at is null and f.revoked_at is null as "isOpen"
     from links f where f.instance_id = $1 and (f.id = ${ROOT} or f.parent_id = ${ROOT}) order by f.id for update`,
    [instanceId, id],
  )
  if (rows.length === 0 || rows.some(({ isWanted, isOpen }) => isWanted && !isOpen)) return null
  return rows.map((row) => row.id)
}

/** Completes the link, its parent and its hand-offs; false when it was already completed or revoked. */
export async function completeLink(db: Db, instanceId: string, id: string): Promise<boolean> {
  const ids = await lockLinks(db, instanceId, id)
  if (!ids) return false
  await db.query(
    `update links set completed_at = clock_timestamp()
     where instance_id = $1 and id = any($2) and completed_at is null and revoked_at is null`,
    [instanceId, ids],
  )
  return true
}

export async function revokeLinks(db: Db, instanceId: string, companyId: string, serviceId: string): Promise<number> {
  const { rowCount } = await db.query(
    `update links set revoked_at = clock_timestamp()
     where instance_id = $1 and company_id = $2 and service_id = $3 and revoked_at is null and completed_at is null`,
    [instanceId, companyId, serviceId],
  )
  return rowCount ?? 0
}

/** Bank the owner chose last, preselected when the link is opened again; empty: to be chosen at the provider. */
export async function noteChosenInstitution(db: Db, link: Pick<Link, 'instanceId' | 'id'>, institutionId: string): Promise<void> {
  await db.query('update links set institution_id = $3 where instance_id = $1 and id = $2 and institution_id is distinct from $3', [
    link.instanceId,
    link.id,
    institutionId,
  ])
}

export async function findChosenInstitution(db: Db, link: Pick<Link, 'instanceId' | 'id'>): Promise<string | null> {
  const { rows } = await db.query<{ id: string | null }>('select institution_id as id from links where instance_id = $1 and id = $2', [
    link.instanceId,
    link.id,
  ])
  return rows[0]?.id ?? null
}
