import type { Database, Db } from '../db/database.ts'
import { placeChanges } from './place-changes.ts'
import type { ChangePosition } from './read-changes.ts'

/** Key of the destination. */
interface DestinationKey {
  instanceId: string
  id: string
}

/** Replication of the change feed into the database of a destination. */
export interface Replication {
  instanceId: string
  destinationId: string
  pass: number
  token: string | null
  /** Null: the start of the feed. */
  position: ChangePosition | null
  nextToken: string | null
  nextPosition: ChangePosition | null
  error: string | null
  failures: number
  failingSince: Date | null
  currentAt: Date | null
}

const COLUMNS = `instance_id as "instanceId", destination_id as "destinationId", pass, token, position, next_token as "nextToken",
  next_position as "nextPosition", error, failures, failing_since as "failingSince", current_at as "currentAt"`

export async function insertReplication(db: Db, { instanceId, id }: DestinationKey): Promise<void> {
  await db.query('insert into export_replications (instance_id, destination_id) values ($1, $2)', [instanceId, id])
}

/** Deletes the replication into a database that has been emptied for good. */
export async function deleteReplication(db: Db, { instanceId, id }: DestinationKey): Promise<void> {
  await db.query('delete from export_replications where instance_id = $1 and destination_id = $2', [instanceId, id])
}

export async function findReplication(db: Db, { instanceId, id }: DestinationKey): Promise<Replication | null> {
  const { rows } = await db.query<Replication>(
    `select ${COLUMNS} from export_replications where instance_id = $1 and destination_id = $2`,
    [instanceId, id],
  )
  return rows[0] ?? null
}

export async function listReplications(db: Db, instanceId: string): Promise<Replication[]> {
  const { rows } = await db.query<Replication>(`select ${COLUMNS} from export_replications where instance_id = $1`, [instanceId])
  return rows
}

/** Assigns places to all publications of an instance whose change feed is replicated. */
export async function placeReplicatedChanges(database: Database, instanceId: string): Promise<void> {
  if ((await listReplications(database, instanceId)).length > 0) await placeChanges(database, instanceId)
}

/** NOTE a process at rest asks this alone: one statement instead of a transaction of three. */
export async function hasDueReplications(db: Db): Promise<boolean> {
  return (await db.query(`select from export_replications where next_at <= statement_timestamp() limit 1`)).rows.length > 0
}

/** Claims due replications and sets their next time. */
export async function claimDueReplications(db: Db, everyMs: number, limit: number): Promise<DestinationKey[]> {
  const { rows } = await db.query<DestinationKey>(
    `update export_replications r set next_at = clock_timestamp() + make_interval(secs => $1::float8 / 1000)
     from (select instance_id, destination_id from export_replications where next_at <= statement_timestamp()
       order by next_at limit $2 for update skip locked) d
     where r.instance_id = d.instance_id and r.destination_id = d.destination_id
     returning r.instance_id as "instanceId", r.destination_id as id`,
    [everyMs, limit],
  )
  return rows
}

/**
 * Begins a new pass at a position; null: at the start of the feed. A running worker notices it before its next commit.
 */
export async function rewindReplication(db: Db, { instanceId, id }: DestinationKey, position: ChangePosition | null): Promise<boolean> {
  const { rowCount } = await db.query(
    `update export_replications set pass = pass + 1, token = null, next_token = null, next_position = null, position = $3,
       current_at = null, next_at = clock_timestamp()
     where instance_id = $1 and destination_id = $2`,
    [instanceId, id, position && JSON.stringify(position)],
  )
  return rowCount === 1
}

/** Makes the replication due now, also while it waits after a failure. */
export async function startReplicationNow(db: Db, { instanceId, id }: DestinationKey): Promise<void> {
  await db.query('update export_replications set next_at = clock_timestamp() where instance_id = $1 and destination_id = $2', [
    instanceId,
    id,
  ])
}

/** State of a target: its token, and the position it stands for. */
export interface Given {
  token: string | null
  position: ChangePosition | null
}

/**
 * Records the next state of the target before it is committed there. False if the replication was rewound, or another
 * worker has continued.
 */
export async function writeNext(db: Db, { instanceId, destinationId, pass }: Replication, given: Given, next: Given): Promise<boolean> {
  const { rowCount } = await db.query(
    `update export_replications set token = $4, position = $5, next_token = $6, next_position = $7
     where instance_id = $1 and destination_id = $2 and pass = $3
       and (token is not distinct from $4::uuid or next_token = $4::uuid)`,
    [
      ...[instanceId, destinationId, pass, given.token, given.position && JSON.stringify(given.position)],
      ...[next.token, next.position && JSON.stringify(next.position)],
    ],
  )
  return rowCount === 1
}

/** Records that the target contains everything that is published. */
export async function writeCurrent(db: Db, { instanceId, destinationId, pass }: Replication, { token, position }: Given): Promise<void> {
  await db.query(
    `update export_replications set error = null, failures = 0, failing_since = null, current_at = clock_timestamp(),
       token = $4, position = $5, next_token = null, next_position = null
     where instance_id = $1 and destination_id = $2 and pass = $3 and (token = $4 or next_token = $4)`,
    [instanceId, destinationId, pass, token, position && JSON.stringify(position)],
  )
}

export async function writeFailure(db: Db, { instanceId, destinationId }: Replication, error: string, inMs: number): Promise<void> {
  await db.query(
    `update export_replications set error = $3, failures = failures + 1, failing_since = coalesce(failing_since, clock_timestamp()),
       next_at = clock_timestamp() + make_interval(secs => $4::float8 / 1000)
     where instance_id = $1 and destination_id = $2`,
    [instanceId, destinationId, error, inMs],
  )
}
