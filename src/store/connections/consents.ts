import type { Locale } from '../../model/values/text.ts'
import type { Db } from '../db/database.ts'

/** How a consent ended; `unused`: the owner agreed, but no connection resulted. */
export type ConsentEnd = 'withdrawn' | 'expired' | 'disconnected' | 'replaced' | 'unused' | 'declined'

/** Statements that the owner was shown, in both languages. */
export type ConsentTexts = Record<Locale, readonly string[]>

/** Consent: one row of the ledger, for one connection. */
export interface Consent {
  instanceId: string
  id: string
  companyId: string
  /** Null until the owner has finished at the source. */
  connectionId: string | null
  /** Service of the connection (e.g. the bank); of the link while there is no connection. */
  serviceId: string
  linkId: string
  purposeKey: string
  /** 0: the default text of the deployment. */
  purposeVersion: number
  texts: ConsentTexts
  /** SHA-256 of the texts, hexadecimal. */
  textHash: string
  language: Locale
  /** IANA time zone of the calendar days in the texts; null: not known. */
  timeZone: string | null
  durationDays: number
  givenAt: Date
  expiresAt: Date
  endedAt: Date | null
  endedHow: ConsentEnd | null
}

export interface NewConsent {
  instanceId: string
  id: string
  companyId: string
  serviceId: string
  linkId: string
  purposeKey: string
  purposeVersion: number
  texts: ConsentTexts
  /** SHA-256 of the texts. */
  textHash: Uint8Array
  language: Locale
  timeZone: string | null
  durationDays: number
  givenAt: Date
  expiresAt: Date
}

// NOTE a left join, although each consent has its texts: PostgreSQL leaves it out of a count.
export const CONSENT_SOURCE = `from consents k left join consent_texts t on t.instance_id = k.instance_id and t.hash = k.text_hash
  left join connections c on c.instance_id = k.instance_id and c.id = k.connection_id`

export const CONSENT_COLUMNS = `select k.instance_id as "instanceId", k.id, k.company_id as "companyId", k.connection_id as "connectionId",
  coalesce(c.service_id, k.service_id) as "serviceId", k.link_id as "linkId", k.purpose_key as "purposeKey",
  k.purpose_version as "purposeVersion", t.texts, encode(k.text_hash, 'hex') as "textHash", k.language, k.time_zone as "timeZone", k.duration_days as "durationDays",
  k.given_at as "givenAt", k.expires_at as "expiresAt", k.ended_at as "endedAt", k.ended_how as "endedHow"`

const SELECT_CONSENT = `${CONSENT_COLUMNS} ${CONSENT_SOURCE}`

/** Inserts a consent that has no connection yet. */
export async function recordConsent(db: Db, consent: NewConsent): Promise<void> {
  await db.query('insert into consent_texts (instance_id, hash, texts) values ($1, $2, $3) on conflict do nothing', [
    consent.instanceId,
    consent.textHash,
    JSON.stringify(consent.texts),
  ])
  await db.query(
    `insert into consents (instance_id, id, company_id, service_id, link_id, purpose_key, purpose_version, text_hash, language,
       time_zone, duration_days, given_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      consent.instanceId,
      consent.id,
      consent.companyId,
      consent.serviceId,
      consent.linkId,
      consent.purposeKey,
      consent.purposeVersion,
      consent.textHash,
      consent.language,
      consent.timeZone,
      consent.durationDays,
      consent.givenAt,
      consent.expiresAt,
    ],
  )
}

/** The consent given with a link that has no connection yet. */
export async function findUnusedConsent(db: Db, instanceId: string, linkId: string): Promise<Consent | null> {
  const { rows } = await db.query<Consent>(
    `${SELECT_CONSENT} where k.instance_id = $1 and k.link_id = $2 and k.connection_id is null and k.ended_at is null
     order by k.given_at desc, k.id limit 1`,
    [instanceId, linkId],
  )
  return rows[0] ?? null
}

/** Whether consents were given with the link and all of them have ended (withdrawn, or without result). */
export async function hasOnlyEndedConsents(db: Db, instanceId: string, linkId: string): Promise<boolean> {
  const { rows } = await db.query<{ isTakenBack: boolean }>(
    `select coalesce(bool_and(ended_at is not null), false) as "isTakenBack" from consents where instance_id = $1 and link_id = $2`,
    [instanceId, linkId],
  )
  return rows[0]?.isTakenBack ?? false
}

/** Whether this text was already declined with this link. */
export async function hasDeclined(db: Db, instanceId: string, linkId: string, textHash: Uint8Array): Promise<boolean> {
  const { rows } = await db.query<{ hasDeclined: boolean }>(
    `select exists (select from consents where instance_id = $1 and link_id = $2 and text_hash = $3 and ended_how = 'declined') as "hasDeclined"`,
    [instanceId, linkId, textHash],
  )
  return rows[0]?.hasDeclined ?? false
}

/** Sets the connection that resulted from a consent. */
export async function attachConsent(db: Db, instanceId: string, consentId: string, connectionId: string): Promise<void> {
  await db.query('update consents set connection_id = $3 where instance_id = $1 and id = $2 and connection_id is null', [
    instanceId,
    consentId,
    connectionId,
  ])
}

/** Adds another connection that resulted from the same consent. */
export async function repeatConsent(
  db: Db,
  instanceId: string,
  consentId: string,
  repeat: { id: string; connectionId: string },
): Promise<void> {
  await db.query(
    `insert into consents (instance_id, id, company_id, service_id, link_id, connection_id, purpose_key, purpose_version, text_hash, language,
       time_zone, duration_days, given_at, expires_at)
     select instance_id, $3, company_id, service_id, link_id, $4, purpose_key, purpose_version, text_hash, language,
       time_zone, duration_days, given_at, expires_at from consents where instance_id = $1 and id = $2`,
    [instanceId, consentId, repeat.id, repeat.connectionId],
  )
}

/** Ends a consent; false when it had already ended or does not exist. Ending the connection is up to the caller. */
export async function endConsent(db: Db, instanceId: string, consentId: string, end: { endedAt: Date; how: ConsentEnd }): Promise<boolean> {
  const { rowCount } = await db.query(
    'update consents set ended_at = $3, ended_how = $4 where instance_id = $1 and id = $2 and ended_at is null',
    [instanceId, consentId, end.endedAt, end.how],
  )
  return rowCount === 1
}

/** Ends all active consents of a connection; returns their number. */
export async function endConsentsOfConnection(
  db: Db,
  instanceId: string,
  connectionId: string,
  end: { endedAt: Date; how: ConsentEnd },
): Promise<number> {
  const { rowCount } = await db.query(
    'update consents set ended_at = $3, ended_how = $4 where instance_id = $1 and connection_id = $2 and ended_at is null',
    [instanceId, connectionId, end.endedAt, end.how],
  )
  return rowCount ?? 0
}

/** Ends consents without a connection whose link was used up, revoked or had expired before `linksBefore`. */
export async function endUnusedConsents(db: Db, endedAt: Date, linksBefore: Date): Promise<number> {
  const { rowCount } = await db.query(
    // Not those with a pending authorization.
    `update consents k set ended_at = $1, ended_how = 'unused' from links l
     where k.connection_id is null and k.ended_at is null and l.instance_id = k.instance_id and l.id = k.link_id
       and (l.completed_at is not null or l.revoked_at is not null or (l.expires_at < $2 and not exists (
         select 1 from links f join authorizations a on a.instance_id = f.instance_id and a.link_id = f.id
         where f.instance_id = l.instance_id and (f.id = l.id or f.parent_id = l.id) and a.expires_at > statement_timestamp())))`,
    [endedAt, linksBefore],
  )
  return rowCount ?? 0
}

/** Deletes the ledger of a company, with the company. */
export async function deleteConsentsOfCompany(db: Db, instanceId: string, companyId: string): Promise<void> {
  await db.query(
    `with gone as (delete from consents where instance_id = $1 and company_id = $2 returning text_hash)
     delete from consent_texts t where t.instance_id = $1 and t.hash in (select text_hash from gone)
       and not exists (select 1 from consents k where k.instance_id = $1 and k.text_hash = t.hash and k.company_id <> $2)`,
    [instanceId, companyId],
  )
}

/** Oldest first. */
export async function listConsentsOfCompany(db: Db, instanceId: string, companyId: string): Promise<Consent[]> {
  const { rows } = await db.query<Consent>(`${SELECT_CONSENT} where k.instance_id = $1 and k.company_id = $2 order by k.given_at, k.id`, [
    instanceId,
    companyId,
  ])
  return rows
}

/** The consent under which a connection may be read now. */
export async function findActiveConsent(db: Db, instanceId: string, connectionId: string): Promise<Consent | null> {
  const { rows } = await db.query<Consent>(
    `${SELECT_CONSENT} where k.instance_id = $1 and k.connection_id = $2 and k.ended_at is null order by k.given_at desc, k.id limit 1`,
    [instanceId, connectionId],
  )
  return rows[0] ?? null
}

/** When a link that led to the connection was first opened. */
export async function findFirstOpening(db: Db, instanceId: string, connectionId: string): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date | null }>(
    `select min(l.opened_at) as at from consents k join links l on l.instance_id = k.instance_id and l.id = k.link_id
     where k.instance_id = $1 and k.connection_id = $2`,
    [instanceId, connectionId],
  )
  return rows[0]?.at ?? null
}

/** Oldest first. */
export async function listConsentsOfConnection(db: Db, instanceId: string, connectionId: string): Promise<Consent[]> {
  const { rows } = await db.query<Consent>(
    `${SELECT_CONSENT} where k.instance_id = $1 and k.connection_id = $2 order by k.given_at, k.id`,
    [instanceId, connectionId],
  )
  return rows
}

/** Oldest first. */
export async function listConsentsOfLink(db: Db, instanceId: string, linkId: string): Promise<Consent[]> {
  const { rows } = await db.query<Consent>(`${SELECT_CONSENT} where k.instance_id = $1 and k.link_id = $2 order by k.given_at, k.id`, [
    instanceId,
    linkId,
  ])
  return rows
}

/** Active consents with a connection that expire before an instant, in all instances, by end. */
export async function listConsentsExpiringBefore(db: Db, before: Date, limit: number): Promise<Consent[]> {
  const { rows } = await db.query<Consent>(
    `${SELECT_CONSENT} where k.ended_at is null and k.connection_id is not null and k.expires_at < $1 order by k.expires_at, k.id limit $2`,
    [before, limit],
  )
  return rows
}
