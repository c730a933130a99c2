import type { Database } from '../db/database.ts'
import { acrossInstances } from '../db/instance-scope.ts'

/** Lock of one resource of an instance, by the path of the API at which it is found. */
interface ResourceLock {
  instanceId: string
  path: string
  /** Nobody else may hold it meanwhile; otherwise others may share it. */
  isExclusive: boolean
}

/**
 * Runs `work` under a lock that all processes respect. Holds one connection of the pool outside any transaction, so that
 * work may take longer than a transaction may be idle; `work` uses others. Throws when the lock is not free within the
 * pool's lock timeout.
 */
export async function withResourceLock<T>(
  database: Database,
  { instanceId, path, isExclusive }: ResourceLock,
  work: () => Promise<T>,
): Promise<T> {
  const mode = isExclusive ? '' : '_shared'
  const key = [`resource/${instanceId}${path}`]
  const client = await acrossInstances(() => database.connect())
  let broken: Error | undefined
  const onLost = (error: Error): void => {
    broken = error
  }
  client.on('error', onLost)
  try {
    await client.query(`select pg_advisory_lock${mode}(hashtextextended($1, 0))`, key)
    try {
      return await work()
    } finally {
      // A connection that cannot give its lock back is closed, which does.
      await client.query(`select pg_advisory_unlock${mode}(hashtextextended($1, 0))`, key).catch(onLost)
    }
  } finally {
    client.off('error', onLost)
    client.release(broken)
  }
}
