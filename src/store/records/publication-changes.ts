import type { Db } from '../db/database.ts'
import { toPublicationKey } from './publication-key.ts'
import type { RecordScope } from './records.ts'

/**
 * How long a process may serve a publication that it knows after it asked which ones are about to change. All processes on one database
 * have the same.
 */
export const READ_LEASE_MS = 250

/** What a change waits for beyond the lease: clocks that run at slightly different speeds. */
const DRIFT = 1.1
/** After this an announcement allows no change any more: many times what a publication takes. */
const USABLE_SECONDS = 600
/** Kept long after they are of use, so that every process has met them. */
const KEPT_SECONDS = 3_600
/** How long a change that was made is shown to those who ask. They forget all they know when they have not asked for half of this. */
const SHOWN_SECONDS = 10

/** How long to wait between announcing a change and making it. */
export function changeWaitMs(leaseMs: number): number {
  return Math.ceil(leaseMs * DRIFT)
}

/** What readers see was about to change though nobody had told the processes that serve it. Announce it, wait, try again. */
export class NotAnnounced extends Error {
  override readonly name = 'NotAnnounced'
  readonly scope: RecordScope

  constructor(scope: RecordScope) {
    super('the change of a publication was not announced')
    this.scope = scope
  }
}

/** Tells all processes that the publication is about to change. NOTE not part of the transaction that changes it: it is committed before. */
export async function announceChange(db: Db, scope: RecordScope): Promise<void> {
  await db.query(
    `with old as (delete from publication_changes where ctid = any (array(select ctid from publication_changes
       where announced_at < statement_timestamp() - make_interval(secs => $3) limit 100 for update skip locked)))
     insert into publication_changes (instance_id, key) values ($1, $2)`,
    [scope.instanceId, toPublicationKey(scope), KEPT_SECONDS],
  )
}

/**
 * Part of the transaction that changes what readers see: throws `NotAnnounced` unless the change was announced so long ago that nobody
 * serves the publication without asking. One that does not exist yet needs no announcement. A lease of 0 ms: nobody ever does.
 */
export async function consumeAnnouncement(db: Db, scope: RecordScope, leaseMs: number): Promise<void> {
  if (leaseMs === 0) return
  const { rows } = await db.query<{ mayChange: boolean }>(
    `with made as (update publication_changes set made_at = clock_timestamp()
       where key = $1 and made_at is null and announced_at <= statement_timestamp() - make_interval(secs => $2::float8 / 1000)
         and announced_at > statement_timestamp() - make_interval(secs => $3) returning id)
     select exists (select from made) or not exists (select from publications where key = $1) as "mayChange"`,
    [toPublicationKey(scope), changeWaitMs(leaseMs), USABLE_SECONDS],
  )
  if (!rows[0]?.mayChange) throw new NotAnnounced(scope)
}

/** Whether `consumeAnnouncement` would go through now; for those who would do much work in vain. */
export async function isAnnounced(db: Db, scope: RecordScope, leaseMs: number): Promise<boolean> {
  if (leaseMs === 0) return true
  const { rows } = await db.query<{ isAnnounced: boolean }>(
    `select exists (select from publication_changes where key = $1 and made_at is null
         and announced_at <= statement_timestamp() - make_interval(secs => $2::float8 / 1000)
         and announced_at > statement_timestamp() - make_interval(secs => $3 / 2.0))
       or not exists (select from publications where key = $1) as "isAnnounced"`,
    [toPublicationKey(scope), changeWaitMs(leaseMs), USABLE_SECONDS],
  )
  return rows[0]?.isAnnounced ?? false
}

export interface PublicationChange {
  id: string
  /** Of the publication. */
  key: string
  /** Announced and perhaps being made; otherwise it has been made lately. */
  isOpen: boolean
}

export interface KnownChanges {
  /** Another one after the database was started anew. */
  server: string
  changes: PublicationChange[]
  /** Whoever asks less often may miss one. */
  askAgainWithinMs: number
}

/** The changes of publications that are announced or were made a moment ago, of all instances. */
export async function listPublicationChanges(db: Db): Promise<KnownChanges> {
  const { rows } = await db.query<{ server: string; changes: PublicationChange[] }>({
    name: 'publication-changes',
    text: `select pg_postmaster_start_time()::text as server, coalesce((
             select json_agg(json_build_object('id', id, 'key', key, 'isOpen', made_at is null)) from publication_changes
             where made_at is null or made_at > statement_timestamp() - make_interval(secs => $1)), '[]') as changes`,
    values: [SHOWN_SECONDS],
  })
  const [row] = rows
  if (!row) throw new Error('the database did not answer')
  return { ...row, askAgainWithinMs: (SHOWN_SECONDS * 1_000) / 2 }
}
