import type { Db } from '../db/database.ts'
import { toPublicationKey } from './publication-key.ts'
import type { RecordScope } from './records.ts'

/**
 * Read lease: how long a process may serve a known publication after it asked for announced changes. The same in all
 * processes on one database.
 */
export const READ_LEASE_MS = 250

/** Safety factor on the lease: clocks run at slightly different speeds. */
const DRIFT = 1.1
/** Expiry of an announcement: many times the duration of a publication. */
const USABLE_SECONDS = 600
/** Retention of announcements, long enough for every process to have seen them. */
const KEPT_SECONDS = 3_600
/** How long a completed change is listed. A process that has not asked for half of this drops its whole cache. */
const SHOWN_SECONDS = 10

/** Wait between announcing a change and making it. */
export function changeWaitMs(leaseMs: number): number {
  return Math.ceil(leaseMs * DRIFT)
}

/** Thrown when a publication was not announced first. Announce it, wait, retry. */
export class NotAnnounced extends Error {
  override readonly name = 'NotAnnounced'
  readonly scope: RecordScope

  constructor(scope: RecordScope) {
    super('the change of a publication was not announced')
    this.scope = scope
  }
}

/**
 * Announces to all processes that the publication is about to change. NOTE committed before the transaction that
 * changes it, not part of it.
 */
export async function announceChange(db: Db, scope: RecordScope): Promise<void> {
  await db.query(
    `with old as (delete from publication_changes where ctid = any (array(select ctid from publication_changes
       where announced_at < statement_timestamp() - make_interval(secs => $3) limit 100 for update skip locked)))
     insert into publication_changes (instance_id, key) values ($1, $2)`,
    [scope.instanceId, toPublicationKey(scope), KEPT_SECONDS],
  )
}

/**
 * Consumes the announcement, in the transaction that changes what readers see: throws `NotAnnounced` unless it is old
 * enough that no process serves the publication from its cache without asking. A first publication needs none. With a
 * lease of 0 ms nothing is cached and none is needed.
 */
export async function consumeAnnouncement(db: Db, scope: RecordScope, leaseMs: number): Promise<void> {
  if (leaseMs === 0) return
  const { rows } = await db.query<{ id: string }>(
    `update publication_changes set made_at = ${db.isDistributed ? MADE_BUT_OPEN : 'clock_timestamp()'}
     where key = $1 and made_at is null and announced_at <= statement_timestamp() - make_interval(secs => $2::float8 / 1000)
       and announced_at > statement_timestamp() - make_interval(secs => $3) returning id`,
    [toPublicationKey(scope), changeWaitMs(leaseMs), USABLE_SECONDS],
  )
  const ids = rows.map(({ id }) => id)
  db.onCommitted?.((after) => closeChanges(after, scope.instanceId, ids))
  if (ids.length === 0 && (await isPublished(db, scope))) throw new NotAnnounced(scope)
}

/**
 * Time of a change that its transaction has made on a cluster: the coordinator commits before the nodes, so the change
 * stays open for readers until the commit has returned. Nobody else can use the announcement.
 */
const MADE_BUT_OPEN = `'infinity'`

async function closeChanges(db: Db, instanceId: string, ids: string[]): Promise<void> {
  await db.query(
    `update publication_changes set made_at = clock_timestamp() where instance_id = $1 and id = any($2) and made_at = ${MADE_BUT_OPEN}`,
    [instanceId, ids],
  )
}

/** NOTE a statement of its own: publications and what announces their changes may lie on different servers. */
async function isPublished(db: Db, scope: RecordScope): Promise<boolean> {
  const { rowCount } = await db.query('select from publications where key = $1 and company_id = $2', [
    toPublicationKey(scope),
    scope.companyId,
  ])
  return rowCount === 1
}

/** Whether `consumeAnnouncement` would succeed now; avoids work in vain. */
export async function isAnnounced(db: Db, scope: RecordScope, leaseMs: number): Promise<boolean> {
  if (leaseMs === 0) return true
  const { rows } = await db.query<{ isAnnounced: boolean }>(
    `select exists (select from publication_changes where key = $1 and made_at is null
       and announced_at <= statement_timestamp() - make_interval(secs => $2::float8 / 1000)
       and announced_at > statement_timestamp() - make_interval(secs => $3 / 2.0)) as "isAnnounced"`,
    [toPublicationKey(scope), changeWaitMs(leaseMs), USABLE_SECONDS],
  )
  return rows[0]?.isAnnounced || !(await isPublished(db, scope))
}

export interface PublicationChange {
  id: string
  /** Key of the publication. */
  key: string
  /** Announced and perhaps in progress; otherwise completed recently. */
  isOpen: boolean
}

export interface KnownChanges {
  /** Identity of the database server; changes when it restarts. */
  server: string
  changes: PublicationChange[]
  /** A process that asks less often may miss a change. */
  askAgainWithinMs: number
}

/** Announced and recently completed changes of publications, of all instances. */
export async function listPublicationChanges(db: Db): Promise<KnownChanges> {
  const { rows } = await db.query<{ server: string; changes: PublicationChange[] }>({
    name: 'publication-changes',
    text: `select pg_postmaster_start_time()::text as server, coalesce((
             select json_agg(json_build_object('id', id, 'key', key, 'isOpen', coalesce(made_at = ${MADE_BUT_OPEN}, true))) from publication_changes
             where made_at is null or made_at > statement_timestamp() - make_interval(secs => $1)), '[]') as changes`,
    values: [SHOWN_SECONDS],
  })
  const [row] = rows
  if (!row) throw new Error('the database did not answer')
  return { ...row, askAgainWithinMs: (SHOWN_SECONDS * 1_000) / 2 }
}
