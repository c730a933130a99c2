import type { Database, Db } from '../db/database.ts'
import { acrossInstances } from '../db/instance-scope.ts'
import type { CredentialsGenerationKey } from './credentials.ts'

/** Longer than the slowest refresh. */
const LEASE_S = 60
/** So long after its lease a holder who is alive but silent (stopped, cut off) still has the right; then he is given up. */
const SILENT_HOLDER_GRACE_S = 300

/**
 * A sign of life that no clock can take away: it ends when it is given back or when this process dies. Null while another process shows
 * it for this connection.
 */
export async function holdLivenessLock(
  database: Database,
  instanceId: string,
  connectionId: string,
): Promise<{ end(): Promise<void> } | null> {
  const name = `refresh/${instanceId}/${connectionId}`
  const client = await acrossInstances(() => database.connect())
  let broken: Error | undefined
  const onLost = (error: Error): void => {
    broken = error
  }
  client.on('error', onLost)
  const release = (): void => {
    client.off('error', onLost)
    client.release(broken)
  }
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [name])
    if (!rows[0]?.held) {
      release()
      return null
    }
  } catch (error) {
    onLost(error instanceof Error ? error : new Error(String(error)))
    release()
    throw error
  }
  return {
    end: async () => {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(onLost)
      release()
    },
  }
}

/**
 * Takes the right to refresh this generation for 60 s of database time; false when another has it, the generation is not the current
 * one, or the last refresh failed just now. `isAlone`: nobody else shows life, so an old lease ends with its time.
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

/** Ends a refresh that gave nothing. With `waitMs` it counts as a failure, and nobody tries again for so long. */
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
