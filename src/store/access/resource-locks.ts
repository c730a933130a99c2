import { checkOutSession, type Database, type Db } from '../db/database.ts'

/** Lock of one resource of an instance, by the path of the API at which it is found. */
interface ResourceLock {
  instanceId: string
  path: string
  /** Exclusive, or shared with others. */
  isExclusive: boolean
}

const keyOf = ({ instanceId, path }: Pick<ResourceLock, 'instanceId' | 'path'>): string => `resource/${instanceId}${path}`

/**
 * Lets a job change a resource in its transaction: waits for those who compare and change it, and shares the lock with
 * others until the transaction ends. NOTE first in the transaction, before any row is locked.
 */
export async function shareResource(db: Db, resource: Pick<ResourceLock, 'instanceId' | 'path'>): Promise<void> {
  await db.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [keyOf(resource)])
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
  const key = [keyOf({ instanceId, path })]
  const { client, discard, release } = await checkOutSession(database)
  try {
    await client.query(`select pg_advisory_lock${mode}(hashtextextended($1, 0))`, key)
    try {
      return await work()
    } finally {
      // A connection that cannot release its lock is closed, which releases it.
      await client.query(`select pg_advisory_unlock${mode}(hashtextextended($1, 0))`, key).catch(discard)
    }
  } finally {
    release()
  }
}
