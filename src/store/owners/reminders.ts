import type { Db } from '../db/database.ts'

/** Due reminder to an owner whose address is known. */
export interface DueReminder {
  instanceId: string
  companyId: string
  serviceId: string
  /** Identity of the reminder: each is sent once. */
  about: string
  /** E-mail address of the user who created the link of the connection. */
  issuedBy: string
  /** Application of the API key that created it; null: a user did. */
  applicationId: string | null
  purposeKey: string | null
}

/** Consent that expires soon; `days` is the reminder step it has reached. */
export type DueConsent = DueReminder & { days: number; endsAt: Date }

const OF_CONNECTION = `c.instance_id as "instanceId", c.company_id as "companyId", c.service_id as "serviceId", c.email as "issuedBy", c.application_id as "applicationId"`

/**
 * Consents that expire within one of the steps (in days) and whose owner has not been reminded of that step; by end.
 */
export async function listConsentsToRemind(db: Db, now: Date, steps: readonly number[], limit: number): Promise<DueConsent[]> {
  const { rows } = await db.query<DueConsent>(
    `select ${OF_CONNECTION}, 'consent/' || k.id || '/' || step.days as about, step.days, k.expires_at as "endsAt",
       (select l.purpose_key from links l where l.instance_id = k.instance_id and l.id = k.link_id) as "purposeKey"
     from consents k
       join owner_addresses a on a.instance_id = k.instance_id and a.company_id = k.company_id
       join connections c on c.instance_id = k.instance_id and c.id = k.connection_id
       cross join lateral (select min(days) as days from unnest($2::int[]) as of (days)
         where k.expires_at <= $1::timestamptz + make_interval(days => days)) step
     where k.ended_at is null and k.expires_at > $1
       and k.expires_at <= $1::timestamptz + make_interval(days => (select max(days) from unnest($2::int[]) as of (days))) and step.days is not null and c.status <> 26
       and not exists (select 1 from reminders r where r.instance_id = k.instance_id and r.about = 'consent/' || k.id || '/' || step.days)
     order by k.expires_at, k.id limit $3`,
    [now, steps, limit],
  )
  return rows
}

/**
 * Connections that need their owner, in instances that allow mails to owners, and whose owner has not been reminded
 * since they began to.
 */
export async function listConnectionsToRepair(db: Db, limit: number): Promise<DueReminder[]> {
  const { rows } = await db.query<DueReminder>(
    `select ${OF_CONNECTION}, 'repair/' || c.id || '/' || extract(epoch from since.at)::bigint as about,
       (select l.purpose_key from consents k join links l on l.instance_id = k.instance_id and l.id = k.link_id
        where k.instance_id = c.instance_id and k.connection_id = c.id order by k.given_at desc limit 1) as "purposeKey"
     from connections c
       join mail_settings s on s.instance_id = c.instance_id and s.writes_to_owners
       join owner_addresses a on a.instance_id = c.instance_id and a.company_id = c.company_id
       cross join lateral (select max(t.at) as at from connection_timeline t
         where t.instance_id = c.instance_id and t.connection_id = c.id and t.to_status = 8) since
     where c.status = 8 and since.at is not null
       and not exists (select 1 from reminders r where r.instance_id = c.instance_id
         and r.about = 'repair/' || c.id || '/' || extract(epoch from since.at)::bigint)
     order by since.at, c.id limit $1`,
    [limit],
  )
  return rows
}

/** Records that a reminder is sent; false when it already was. */
export async function noteReminder(db: Db, { instanceId, companyId, about }: DueReminder): Promise<boolean> {
  const { rowCount } = await db.query('insert into reminders (instance_id, company_id, about) values ($1, $2, $3) on conflict do nothing', [
    instanceId,
    companyId,
    about,
  ])
  return rowCount === 1
}
