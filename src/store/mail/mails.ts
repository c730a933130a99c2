import type { Db } from '../db/database.ts'
import { type Columns, checkBound, countBounded, type Filter, MOST_COUNTED, type Total, toCondition } from '../db/list-selection.ts'
import { enqueueJob } from '../jobs/jobs.ts'

/** Mails deleted by one statement. */
const BATCH = 5_000

/** `refused`: rejected permanently by the mail server; `failed`: all attempts failed. */
export type MailState = 'waiting' | 'sent' | 'refused' | 'failed'

export interface NewMail {
  instanceId: string
  id: string
  kind: string
  companyId: string | null
  recipientHash: Uint8Array
  /** Masked address for display. */
  recipientShown: string
  /** Recipient and content, sealed. */
  sealed: Uint8Array
}

/** Inserts a mail and its job in the caller's transaction. */
export async function insertMail(db: Db, mail: NewMail): Promise<void> {
  const { instanceId, id, kind, companyId, recipientHash, recipientShown, sealed } = mail
  await db.query(
    `insert into mails (instance_id, id, kind, company_id, recipient_hash, recipient_shown, sealed) values ($1, $2, $3, $4, $5, $6, $7)`,
    [instanceId, id, kind, companyId, recipientHash, recipientShown, sealed],
  )
  await enqueueJob(db, { instanceId, kind: 'mail', key: `mail/${id}`, payload: { mailId: id } })
}

/** Mails that an instance may queue per hour: in all, and to one address or about one company. */
export interface MailLimits {
  perRecipient: number
  perCompany: number
  perInstance: number
}

/**
 * Rate limit: seconds until another mail to this address, about this company, may be queued; 0 when now. Locks the
 * limits of the instance until the caller's transaction ends, so that the count stays valid.
 */
export async function secondsUntilAllowed(
  db: Db,
  { instanceId, recipientHash, companyId }: Pick<NewMail, 'instanceId' | 'recipientHash' | 'companyId'>,
  limits: MailLimits,
): Promise<number> {
  await db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`mails/${instanceId}`])
  const { rows } = await db.query<{ seconds: number }>(
    `with recent as (select recipient_hash, company_id, created_at from mails where instance_id = $1 and created_at > statement_timestamp() - interval '1 hour'),
       opens as (
         (select created_at from recent where recipient_hash = $2 order by created_at desc offset $3::int - 1 limit 1)
         union all (select created_at from recent order by created_at desc offset $4::int - 1 limit 1)
         union all (select created_at from recent where company_id = $5 order by created_at desc offset $6::int - 1 limit 1))
     select coalesce(ceil(extract(epoch from max(created_at) + interval '1 hour' - clock_timestamp())), 0)::int as seconds from opens`,
    [instanceId, recipientHash, limits.perRecipient, limits.perInstance, companyId, limits.perCompany],
  )
  return Math.max(0, rows[0]?.seconds ?? 0)
}

export interface WaitingMail {
  instanceId: string
  id: string
  attempts: number
  sealed: Uint8Array
  createdAt: Date
}

/** Null when it was settled or deleted. */
export async function findWaitingMail(db: Db, instanceId: string, id: string): Promise<WaitingMail | null> {
  const { rows } = await db.query<WaitingMail>(
    `select instance_id as "instanceId", id, attempts, sealed, created_at as "createdAt" from mails
     where instance_id = $1 and id = $2 and state = 'waiting' and sealed is not null`,
    [instanceId, id],
  )
  return rows[0] ?? null
}

/** Settles a mail: sets its final state and deletes its content. */
export async function settleMail(
  db: Db,
  instanceId: string,
  id: string,
  state: Exclude<MailState, 'waiting'>,
  problem: string | null,
): Promise<void> {
  await db.query(
    `update mails set state = $3, problem = $4, attempts = attempts + 1, sealed = null, settled_at = clock_timestamp()
     where instance_id = $1 and id = $2 and state = 'waiting'`,
    [instanceId, id, state, problem],
  )
}

export async function noteMailAttempt(db: Db, instanceId: string, id: string, problem: string): Promise<void> {
  await db.query(`update mails set attempts = attempts + 1, problem = $3 where instance_id = $1 and id = $2 and state = 'waiting'`, [
    instanceId,
    id,
    problem,
  ])
}

/** Number of unsent mails of all instances, for metrics. */
export async function countWaitingMails(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from (select from mails where settled_at is null and state = 'waiting' limit ${MOST_COUNTED}) counted`,
  )
  return rows[0]?.count ?? 0
}

/** Mail without its content. */
export interface ListedMail {
  id: string
  kind: string
  companyId: string | null
  recipientShown: string
  state: MailState
  attempts: number
  problem: string | null
  createdAt: Date
  settledAt: Date | null
}

const LISTED: Columns = {
  id: { sql: 'id', type: 'uuid', key: 'id' },
  kind: { sql: 'kind', type: 'string' },
  companyId: { sql: 'company_id', type: 'uuid', key: 'company_id' },
  state: { sql: 'state', type: 'string', key: 'state' },
  attempts: { sql: 'attempts', type: 'number' },
  createdOn: { sql: 'created_at', type: 'date', key: 'created_at', isNeverNull: true },
  settledOn: { sql: 'settled_at', type: 'date' },
}

/** Page of the matching mails, newest first, and the number of all matches. */
export async function listMails(
  db: Db,
  instanceId: string,
  page: { filter: Filter; limit: number; offset: number },
): Promise<{ mails: ListedMail[]; total: Total }> {
  await checkBound(
    db,
    { filter: page.filter, orderBy: 'createdOn' },
    { from: 'from mails where instance_id = $1', instanceId, columns: LISTED, range: 'createdOn' },
  )
  const values: unknown[] = [instanceId]
  const from = `from mails where instance_id = $1 and ${toCondition(page.filter, LISTED, values)}`
  const total = await countBounded(db, from, values)
  const { rows } = await db.query<ListedMail>(
    `select id, kind, company_id as "companyId", recipient_shown as "recipientShown", state, attempts, problem,
       created_at as "createdAt", settled_at as "settledAt"
     ${from} order by created_at desc, id limit $${values.push(page.limit)} offset $${values.push(page.offset)}`,
    values,
  )
  return { mails: rows, total }
}

/** The given ids that are mails of the instance. */
export async function findOwnMails(db: Db, instanceId: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>('select id from mails where instance_id = $1 and id = any($2)', [instanceId, ids])
  return new Set(rows.map(({ id }) => id))
}

/** Retention: deletes mails settled 30 days ago, and unsent ones as old: their links have expired. */
export async function deleteOldMails(db: Db): Promise<number> {
  let deleted = 0
  // NOTE one statement for each index: with `or` PostgreSQL may read the whole table.
  for (const old of ['settled_at <', 'settled_at is null and created_at <']) {
    for (let count = BATCH; count === BATCH; deleted += count) {
      const { rowCount } = await db.query(
        `delete from mails where ctid = any (array(select ctid from mails where ${old} statement_timestamp() - interval '30 days' limit ${BATCH} for update skip locked))`,
      )
      count = rowCount ?? 0
    }
  }
  return deleted
}
