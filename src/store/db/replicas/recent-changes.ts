import type { Database, Db } from '../database.ts'
import { acrossInstances } from '../instance-scope.ts'
import { LOG_START, type Position, toPosition } from './positions.ts'

/** Retention; no replica that lags further behind is used. */
const KEPT_MINUTES = 60
/** Rows deleted with each change: more than it adds. */
const SWEPT = 10

/** Recent changes of one session or API key, as known to the primary. */
export interface RecentChanges {
  /** Epoch of the table; null if a crash has just emptied it. */
  epoch: string | null
  /** Log position after its last change; without a recent one, a position that every replica in use has passed. */
  changedUntil: Position
  /** End of the log. */
  end: Position
}

/** Records a change of a session or API key, before it is answered: its later reads must not be older. */
export async function noteChange(primary: Database, grant: { grantId: string; instanceId: string }): Promise<void> {
  await acrossInstances(() =>
    primary.query(
      `with old as (
         select grant_id from recent_changes where changed_at < statement_timestamp() - make_interval(mins => ${KEPT_MINUTES})
           and grant_id <> $2 limit ${SWEPT} for update skip locked
       ), swept as (delete from recent_changes where grant_id in (select grant_id from old))
       insert into recent_changes (instance_id, grant_id, position, changed_at) values ($1, $2, pg_current_wal_insert_lsn(), statement_timestamp())
       on conflict (grant_id) do update set position = pg_current_wal_insert_lsn(), changed_at = excluded.changed_at
       returning set_config('synchronous_commit', 'off', true)`,
      [grant.instanceId, grant.grantId],
    ),
  )
}

/** Recent changes of several sessions and API keys, in their order. */
async function findRecentChanges(db: Db, grantIds: string[]): Promise<RecentChanges[]> {
  const { rows } = await db.query<{ epoch: string | null; end: string; changed: Record<string, string> | null }>(
    `select (select id from recent_changes_epoch) as epoch, pg_current_wal_insert_lsn()::text as end,
       (select json_object_agg(grant_id, position::text) from recent_changes where grant_id = any($1::uuid[])) as changed`,
    [grantIds],
  )
  const [row] = rows
  if (!row) throw new Error('a select without from returned no row')
  const end = toPosition(row.end)
  return grantIds.map((id) => {
    const changedUntil = toPosition(row.changed?.[id] ?? '0/0')
    // A position beyond the end of the log was restored from a dump of another server.
    return { epoch: row.epoch, end, changedUntil: changedUntil > end ? LOG_START : changedUntil }
  })
}

const MAX_IN_FLIGHT = 2

interface Asked {
  grantId: string
  resolve(found: RecentChanges): void
  reject(error: unknown): void
}

/**
 * Batcher of queries for recent changes: one query for all callers that arrive during another one; each query begins
 * after its callers asked.
 */
export class RecentChangesBatcher {
  readonly #primary: Database
  #waiting: Asked[] = []
  #inFlight = 0
  #isScheduled = false

  constructor(primary: Database) {
    this.#primary = primary
  }

  load(grantId: string): Promise<RecentChanges> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ grantId, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled || this.#inFlight === MAX_IN_FLIGHT) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#ask()
    })
  }

  async #ask(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    this.#inFlight += 1
    try {
      const found = await acrossInstances(() =>
        findRecentChanges(
          this.#primary,
          batch.map(({ grantId }) => grantId),
        ),
      )
      for (const [at, { resolve, reject }] of batch.entries()) {
        const each = found[at]
        if (each) resolve(each)
        else reject(new Error('the primary did not answer for all'))
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    this.#inFlight -= 1
    if (this.#waiting.length > 0) this.#schedule()
  }
}
