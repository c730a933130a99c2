import type { Db } from '../db/database.ts'
import type { UnreachedDestination } from '../operators/erasures.ts'
import { CLEANING_JOBS } from './deliveries.ts'
import { type Destination, listDestinations } from './destinations.ts'

/**
 * Destinations of an instance at which something was not deleted: a delivery that says so, a job that is left or dead,
 * and each replication, which goes once its database is empty.
 */
export async function listUnreached(db: Db, instanceId: string): Promise<UnreachedDestination[]> {
  const { rows } = await db.query<{ id: string; files: number; rows: boolean; reason: string | null }>(
    `select d.id, (x.files + j.files)::int as files, r.destination_id is not null as rows, coalesce(r.error, x.error, j.error) as reason
     from export_destinations d
     left join export_replications r on r.instance_id = d.instance_id and r.destination_id = d.id
     cross join lateral (select count(*) as files, max(error) as error from export_deliveries
       where instance_id = d.instance_id and destination_id = d.id and state = 'unreached') x
     cross join lateral (select count(*) filter (where payload ? 'exportId' or payload ? 'objectKey') as files, max(error) as error from jobs
       where instance_id = d.instance_id and kind = any ($2) and payload ->> 'destinationId' = d.id::text) j
     where d.instance_id = $1 and (r.destination_id is not null or x.files + j.files > 0) order by d.created_at, d.id`,
    [instanceId, CLEANING_JOBS],
  )
  const destinations = new Map((await listDestinations(db, instanceId)).map((destination) => [destination.id, destination]))
  return rows.flatMap(({ id, ...left }) => {
    const destination = destinations.get(id)
    return destination ? [{ name: destination.name, kind: destination.kind, place: toAddress(destination), ...left }] : []
  })
}

function toAddress(destination: Destination): string {
  if (destination.kind === 's3') return `${destination.endpoint}/${destination.bucket}/${destination.prefix}`
  const { kind, host, port } = destination
  const origin = `${kind}://${host.includes(':') ? `[${host}]` : host}:${port}`
  return destination.kind === 'sftp' ? `${origin}${destination.path}` : `${origin}/${destination.database}/${destination.schema}`
}
