import type { Db } from '../db/database.ts'
import type { MailState } from '../mail/mails.ts'
import type { Consent } from './consents.ts'
import { lockLinks } from './links.ts'

export interface NewHandOff {
  instanceId: string
  /** Id of the owner's link. */
  parentId: string
  /** Id of the helper's link. */
  linkId: string
  tokenHash: Uint8Array
  institutionId: string | null
  /** Sealed name and address of the helper. */
  helper: Uint8Array
}

/** Maximum number of hand-offs per link. */
const MAX_HAND_OFFS = 20

/**
 * Creates a hand-off: a child of the owner's link with the same options and expiry; revokes earlier hand-offs. `made`
 * is false when this one exists already; null when the owner's link is no longer usable or this one was revoked; `full`
 * when the limit is reached.
 */
export async function createHandOff(db: Db, handOff: NewHandOff): Promise<{ made: boolean; expiresAt: Date } | 'full' | null> {
  const { instanceId, parentId, linkId } = handOff
  if (!(await lockLinks(db, instanceId, parentId))) return null
  const parents = await db.query<{ expiresAt: Date }>(
    `select expires_at as "expiresAt" from links where instance_id = $1 and id = $2 and parent_id is null and expires_at > statement_timestamp()`,
    [instanceId, parentId],
  )
  const [parent] = parents.rows
  if (!parent) return null
  const known = await db.query<{ isOpen: boolean }>('select revoked_at is null as "isOpen" from links where instance_id = $1 and id = $2', [
    instanceId,
    linkId,
  ])
  if (known.rows[0]) return known.rows[0].isOpen ? { made: false, ...parent } : null
  const made = await db.query('select 1 from links where instance_id = $1 and parent_id = $2', [instanceId, parentId])
  if (made.rows.length >= MAX_HAND_OFFS) return 'full'
  await revokeHandOffs(db, instanceId, parentId)
  await db.query(
    `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at, purpose_key, parent_id, application_id)
     select instance_id, $3, $4, company_id, service_id, issued_by, expires_at, purpose_key, id, application_id from links where instance_id = $1 and id = $2`,
    [instanceId, parentId, linkId, handOff.tokenHash],
  )
  await db.query('insert into hand_offs (instance_id, link_id, institution_id, helper) values ($1, $2, $3, $4)', [
    instanceId,
    linkId,
    handOff.institutionId,
    handOff.helper,
  ])
  return { made: true, ...parent }
}

export async function noteHandOffMail(db: Db, instanceId: string, linkId: string, mailId: string): Promise<void> {
  await db.query('update hand_offs set mail_id = $3 where instance_id = $1 and link_id = $2', [instanceId, linkId, mailId])
}

/** Revokes the hand-offs of a link. */
export async function revokeHandOffs(db: Db, instanceId: string, parentId: string): Promise<number> {
  const { rowCount } = await db.query(
    `update links set revoked_at = clock_timestamp()
     where instance_id = $1 and parent_id = $2 and completed_at is null and revoked_at is null`,
    [instanceId, parentId],
  )
  return rowCount ?? 0
}

/** Hand-off with its state. */
export interface HandOff {
  linkId: string
  institutionId: string | null
  helper: Uint8Array | null
  /** Null when the owner removed the address. */
  mailState: MailState | null
  openedAt: Date | null
  declinedAt: Date | null
  expiresAt: Date
  /** Whether an authorization with it is pending at the source. */
  isAtSource: boolean
}

const SELECT = `select l.id as "linkId", h.institution_id as "institutionId", h.helper, m.state as "mailState", l.opened_at as "openedAt",
  h.declined_at as "declinedAt", l.expires_at as "expiresAt", exists (select 1 from authorizations a
    where a.instance_id = l.instance_id and a.link_id = l.id and a.expires_at > statement_timestamp()) as "isAtSource"
  from hand_offs h join links l on l.instance_id = h.instance_id and l.id = h.link_id
  left join mails m on m.instance_id = h.instance_id and m.id = h.mail_id`

/** The usable hand-off; null when there is none. */
export async function findOpenHandOff(db: Db, instanceId: string, parentId: string): Promise<HandOff | null> {
  const { rows } = await db.query<HandOff>(
    `${SELECT} where l.instance_id = $1 and l.parent_id = $2 and l.completed_at is null and l.revoked_at is null
       and l.expires_at > statement_timestamp()`,
    [instanceId, parentId],
  )
  return rows[0] ?? null
}

export async function findHandOff(db: Db, instanceId: string, linkId: string): Promise<HandOff | null> {
  const { rows } = await db.query<HandOff>(`${SELECT} where l.instance_id = $1 and l.id = $2`, [instanceId, linkId])
  return rows[0] ?? null
}

/** Records that the helper declined, or took it back. */
export async function noteHandOffDeclined(db: Db, instanceId: string, linkId: string, isDeclined: boolean): Promise<void> {
  await db.query(
    'update hand_offs set declined_at = case when $3 then clock_timestamp() end where instance_id = $1 and link_id = $2 and (declined_at is null) = $3',
    [instanceId, linkId, isDeclined],
  )
}

/** Ids of the connections that resulted from an owner's link. */
export async function listConnectionsOfLink(db: Db, instanceId: string, linkId: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select distinct connection_id as id from consents where instance_id = $1 and link_id = $2 and connection_id is not null order by 1',
    [instanceId, linkId],
  )
  return rows.map(({ id }) => id)
}

export type LinkConsent = Pick<Consent, 'id' | 'givenAt' | 'texts'> & { endsAt: Date }

/** When the consent of a link was given and ends; null when no connection resulted, or it has ended. */
export async function findConsentOfLink(db: Db, instanceId: string, linkId: string): Promise<LinkConsent | null> {
  const { rows } = await db.query<LinkConsent>(
    `select k.id, k.given_at as "givenAt", k.expires_at as "endsAt", t.texts
     from consents k join consent_texts t on t.instance_id = k.instance_id and t.hash = k.text_hash
     where k.instance_id = $1 and k.link_id = $2 and k.connection_id is not null and k.ended_at is null order by k.given_at desc limit 1`,
    [instanceId, linkId],
  )
  return rows[0] ?? null
}
