import { randomUUID } from 'node:crypto'
import { type Database, inTransaction } from '../db/database.ts'
import { admitToQuota } from './quotas.ts'

/** Begins an upload of an instance; `lifeMs` is longer than any upload may take. Returns its id. Throws `QuotaReached`. */
export async function beginUpload(database: Database, instanceId: string, lifeMs: number): Promise<string> {
  const id = randomUUID()
  await inTransaction(database, async (db) => {
    await admitToQuota(db, instanceId, 'uploads')
    await db.query('delete from uploads_in_flight where instance_id = $1 and expires_at <= statement_timestamp()', [instanceId])
    await db.query(
      `insert into uploads_in_flight (instance_id, id, expires_at) values ($1, $2, clock_timestamp() + make_interval(secs => $3::float8 / 1000))`,
      [instanceId, id, lifeMs],
    )
  })
  return id
}

export async function endUpload(database: Database, instanceId: string, id: string): Promise<void> {
  await database.query('delete from uploads_in_flight where instance_id = $1 and id = $2', [instanceId, id])
}
