import type { Db } from '../db/database.ts'
import type { UnreachedDestination } from '../operators/erasures.ts'
import { CLEANING_JOBS } from './deliveries.ts'
import { type Destination, listDestinations } from './destinations.ts'

/** Erased data of a company, at one service or at all. */
export interface ErasedData {
  companyId: string
  serviceId: string | null
  /**
   * Replicated databases that count: `all` that were ever written to, or those `behind` the end of this data in the
   * change feed, which is known after `placeReplicatedChanges`.
   */
  databases: 'all' | 'behind'
}

/** Destination where data is left so far; `isPending`: its deletion is still being tried. */
export type LeftBehind = UnreachedDestination & { isPending: boolean }

/**
 * Destinations at which something was not deleted: a delivery that says so, a job that is left or dead, and each
 * replication whose database may hold rows. Of an instance (`data` null) that is every replication: it goes once its
 * database is empty.
 */
export async function listLeftBehind(db: Db, instanceId: string, data: ErasedData | null): Promise<LeftBehind[]> {
  const { rows } = await db.query<{ id: string; files: number; rows: boolean; reason: string | null; isPending: boolean }>(
    `with marked as (select coalesce(max(position), 0) as position from placed_changes
       where instance_id = $1 and company_id = $3 and ($4::uuid is null or service_id = $4) and kind = 'none'),
     concerned as (select export_id from export_parts
       where instance_id = $1 and company_id = $3 and ($4::uuid is null or service_id = $4) group by export_id),
     holding as (select r.destination_id, r.error from export_replications r cross join marked m
       where r.instance_id = $1 and ($3::uuid is null
         or (r.pass > 1 or r.token is not null or r.next_token is not null)
           and ($5::boolean or not coalesce((r.position ->> 'isStarting')::boolean = false and (r.position ->> 'position')::bigint >= m.position, false))))
     select d.id, (x.files + j.files)::int as files, h.destination_id is not null as rows, coalesce(h.error, x.error, j.error) as reason,
       h.destination_id is not null or j.pending > 0 as "isPending"
     from export_destinations d
     left join holding h on h.destination_id = d.id
     cross join lateral (select count(*) as files, max(error) as error from export_deliveries
       where instance_id = d.instance_id and destination_id = d.id and state = 'unreached'
         and ($3::uuid is null or export_id in (select export_id from concerned))) x
     cross join lateral (select count(*) filter (where payload ? 'exportId' or payload ? 'objectKey') as files, max(error) as error,
         count(*) filter (where state <> 'dead') as pending from jobs
       where instance_id = d.instance_id and kind = any ($2) and payload ->> 'destinationId' = d.id::text
         and ($3::uuid is null or payload ->> 'exportId' in (select export_id::text from concerned))) j
     where d.instance_id = $1 and (h.destination_id is not null or x.files + j.files > 0) order by d.created_at, d.id`,
    [instanceId, CLEANING_JOBS, data?.companyId ?? null, data?.serviceId ?? null, data?.databases === 'all'],
  )
  const destinations = new Map((await listDestinations(db, instanceId)).map((destination) => [destination.id, destination]))
  return rows.flatMap(({ id, ...left }) => {
    const destination = destinations.get(id)
    return destination ? [{ name: destination.name, kind: destination.kind, place: toAddress(destination), ...left }] : []
  })
}

/** The same, in the form stored in receipts. */
export async function listUnreached(db: Db, instanceId: string, data: ErasedData | null = null): Promise<UnreachedDestination[]> {
  return (await listLeftBehind(db, instanceId, data)).map(({ isPending: _, ...unreached }) => unreached)
}

function toAddress(destination: Destination): string {
  if (destination.kind === 's3') return `${destination.endpoint}/${destination.bucket}/${destination.prefix}`
  const { kind, host, port } = destination
  const origin = `${kind}://${host.includes(':') ? `[${host}]` : host}:${port}`
  return destination.kind === 'sftp' ? `${origin}${destination.path}` : `${origin}/${destination.database}/${destination.schema}`
}
