import { FIRST_ID, LAST_ID } from '../../model/values/first-id.ts'
import { type Database, type Db, inTransaction } from '../db/database.ts'

/** Connections looked at by one statement, and counted in one transaction. */
const CONNECTIONS = 100
const LOOKED_AT = 2_000

/**
 * Periodic task that counts the stored bytes of connections from a release that did not, once for each process:
 * triggers keep the sums of all others, in whatever release they are written (functions/count-stored-bytes.sql).
 */
export function storedBytesCounter(database: Database, isStopping: () => boolean): () => Promise<void> {
  let isCounted = false
  return async () => {
    if (isCounted) return
    await countStoredBytes(database, isStopping)
    isCounted = !isStopping()
  }
}

/** Counts the stored bytes of all connections that are not counted yet; on a cluster all are. */
export async function countStoredBytes(database: Database, isStopping: () => boolean = () => false): Promise<void> {
  if (database.isDistributed) return
  for (let after: Position | null = FIRST; after !== null && !isStopping(); ) {
    const from: Position = after
    const { rows } = await database.query<Position>(
      `select instance_id as "instanceId", id from connections where (instance_id, id) > ($1, $2) order by instance_id, id
       offset ${LOOKED_AT - 1} limit 1`,
      [from.instanceId, from.id],
    )
    after = rows[0] ?? null
    await countBetween(database, from, after ?? LAST, isStopping)
  }
}

/** Bytes of a connection `c`. */
const SUM = `coalesce((select sum(octet_length(p.sealed) + coalesce(p.object_bytes, 0)) from raw_pages p
    where p.instance_id = c.instance_id and p.connection_id = c.id), 0)
  + coalesce((select sum(octet_length(f.sealed)) from source_files f where f.instance_id = c.instance_id and f.connection_id = c.id), 0)`

interface Position {
  instanceId: string
  id: string
}

const FIRST: Position = { instanceId: FIRST_ID, id: FIRST_ID }
const LAST: Position = { instanceId: LAST_ID, id: LAST_ID }

async function countBetween(database: Database, after: Position, until: Position, isStopping: () => boolean): Promise<void> {
  while (!isStopping()) {
    const count = await inTransaction(database, async (db) => {
      const { rows } = await db.query<Position>(
        `select c.instance_id as "instanceId", c.id from connections c
         where (c.instance_id, c.id) > ($2, $3) and (c.instance_id, c.id) <= ($4, $5)
           and not exists (select from stored_bytes s where s.instance_id = c.instance_id and s.connection_id = c.id)
         order by c.instance_id, c.id limit $1 for key share`,
        [CONNECTIONS, after.instanceId, after.id, until.instanceId, until.id],
      )
      for (const instanceId of new Set(rows.map((row) => row.instanceId)))
        await db.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [`stored bytes/${instanceId}`])
      // NOTE a separate statement: it must see deletions before the lock.
      await db.query(
        `insert into stored_bytes (instance_id, connection_id, bytes)
         select c.instance_id, c.id, ${SUM}
         from unnest($1::uuid[], $2::uuid[]) as c (instance_id, id) on conflict do nothing`,
        [rows.map((row) => row.instanceId), rows.map((row) => row.id)],
      )
      return rows.length
    })
    if (count < CONNECTIONS) return
  }
}

/**
 * Counts connections again whose pages are gone without their trigger. Needs a transaction, and locks their rows. NOTE in
 * two statements: the sum has to see what writers added that the lock waited for; later ones add their difference to it.
 */
export async function recountStoredBytes(db: Db, connections: readonly { instanceId: string; connectionId: string }[]): Promise<void> {
  const values = [connections.map(({ instanceId }) => instanceId), connections.map(({ connectionId }) => connectionId)]
  const given = 'unnest($1::uuid[], $2::uuid[]) as c (instance_id, id)'
  await db.query(
    `select from stored_bytes s join ${given} on s.instance_id = c.instance_id and s.connection_id = c.id
     order by s.instance_id, s.connection_id for update of s`,
    values,
  )
  await db.query(
    `update stored_bytes s set bytes = ${SUM} from ${given} where s.instance_id = c.instance_id and s.connection_id = c.id`,
    values,
  )
}
