import { checkOutSession, type Database, type Db } from '../db/database.ts'
import type { CredentialsGenerationKey } from './credentials.ts'

/** Longer than the slowest refresh. */
const LEASE_S = 60
/** Grace period after its lease in which a live but silent holder (stopped, cut off) keeps the right to refresh. */
const SILENT_HOLDER_GRACE_S = 300

/**
 * Liveness lock: a session lock that shows that its holder is alive, independent of clocks. Ends on release or with the
 * process. Null while another process holds it for this connection.
 */
export async function holdLivenessLock(
  database: Database,
  instanceId: string,
  connectionId: string,
): Promise<{ end(): Promise<void> } | null> {
  const name = `refresh/${instanceId}/${connectionId}`
  const { client, discard, release } = await checkOutSession(database)
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [name])
    if (!rows[0]?.held) {
      release()
      return null
    }
  } catch (error) {
    discard(error instanceof Error ? error : new Error(String(error)))
    release()
    throw error
  }
  return {
    end: async () => {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(discard)
      release()
    },
  }
}

/**
 * Refresh lease: claims the right to refresh this generation for 60 s of database time. False when another process has
 * it, the generation is not current, or the last refresh has just failed. `isAlone`: no other process holds the
 * liveness lock, so that an old lease ends at its expiry.
 */
export async function claimRefresh(db: Db, key: CredentialsGenerationKey, owner: string, isAlone: boolean): Promise<boolean> {
  const { rowCount } = await db.query(
    `update connections set refresh_owner = $4, refresh_started_at = clock_timestamp(),
       refresh_lease_until = clock_timestamp() + make_interval(secs => ${LEASE_S})
     where instance_id = $1 and id = $2 and credentials_generation = $3 and status <> 26
       and (refresh_not_before is null or refresh_not_before <= statement_timestamp())
       and (refresh_lease_until is null or refresh_lease_until < statement_timestamp() - make_interval(secs => $5))`,
    [key.instanceId, key.connectionId, key.generation, owner, isAlone ? 0 : SILENT_HOLDER_GRACE_S],
  )
  return rowCount === 1
}

/**
 * Releases the lease of a refresh without result. With `waitMs` it counts as a failure and blocks refreshes for that
 * long.
 */
export async function releaseRefresh(
  db: Db,
  key: { instanceId: string; connectionId: string },
  owner: string,
  waitMs: number | null,
): Promise<void> {
  await db.query(
    `update connections set refresh_owner = null, refresh_lease_until = null, refresh_started_at = null,
       refresh_failures = refresh_failures + ($4::float8 is not null)::int,
       refresh_not_before = clock_timestamp() + make_interval(secs => $4::float8 / 1000)
     where instance_id = $1 and id = $2 and refresh_owner = $3`,
    [key.instanceId, key.connectionId, owner, waitMs],
  )
}
