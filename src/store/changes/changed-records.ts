import type { Entity } from '../../model/catalogue.ts'
import { FIRST_ID, LAST_ID } from '../../model/values/first-id.ts'
import type { Db } from '../db/database.ts'
import { visibleFrom } from '../records/records.ts'
import type { ChangedRecord, RecordMark } from './changed-record.ts'
import { listFromShards } from './cluster-records.ts'

/** Order of the entities of a place. */
const ENTITIES = ['Accounts', 'Transactions'] as const satisfies readonly Entity[]

/** Company and service whose changes are read, and the position at which reading continues. */
export interface FeedEntry {
  position: string
  placeId: string
  companyId: string
  serviceId: string
  connectionId: string
  /** all: every record; some: changed ones; none: the data is gone. */
  kind: 'all' | 'some' | 'none'
}

/** Filter of a reader. */
export interface ChangeFilter {
  companyId: string | null
  entity: Entity | null
}

/** The next places: after `position`, or from it on when it was read in part. */
export async function listPlaces(
  db: Db,
  instanceId: string,
  from: { position: string; isOpen: boolean; until: string },
  { companyId }: ChangeFilter,
  limit: number,
): Promise<FeedEntry[]> {
  const { rows } = await db.query<FeedEntry>(
    `select position, id as "placeId", company_id as "companyId", service_id as "serviceId", connection_id as "connectionId", kind
     from placed_changes where instance_id = $1 and position >= $2 and ($3 or position <> $2) and position <= $4
       and ($5::uuid is null or company_id = $5) order by position limit $6`,
    [instanceId, from.position, from.isOpen, from.until, companyId, limit],
  )
  return rows
}

/** Current versions of one entity of a place: each kind by the index that has its order. */
const VERSIONS = `select v.* from (
      (select *, valid_from as mark from record_versions v where s.kind = 'some'
         and v.record_set = record_set_key(s.company_id, s.service_id, s.entity) and v.instance_id = s.instance_id and v.company_id = s.company_id
         and v.service_id = s.service_id and v.entity = s.entity and v.connection_id = s.connection_id
         and v.valid_to is null and v.valid_from > '-infinity' and v.valid_from <= s.until and (v.valid_from, v.id) > (s.mark, s.mark_id)
       order by v.valid_from, v.id limit $2)
      union all
      (select *, '-infinity'::timestamptz as mark from record_versions v where s.kind = 'all'
         and v.record_set = record_set_key(s.company_id, s.service_id, s.entity) and v.instance_id = s.instance_id and v.company_id = s.company_id
         and v.service_id = s.service_id and v.entity = s.entity and v.connection_id = s.connection_id
         and v.valid_to is null and v.valid_from <= s.until and (not v.deleted or s.until < 'infinity') and v.id > s.mark_id
       order by v.id limit $2)) v`

/**
 * Records of `shown` (SQL of places and entities with their marks), in order; data that is no longer published is left
 * out. NOTE publications by their columns: under row-level security no index is used for a key that is put together.
 */
async function listOf(db: Db, shown: string, values: unknown[]): Promise<ChangedRecord[]> {
  if (db.isDistributed) return await listFromShards(db, { shown, values, versions: VERSIONS })
  const { rows } = await db.query<ChangedRecord>(
    `with shown as materialized (${shown})
     select s.position, s.place_id as "placeId", s.company_id as "companyId", s.service_id as "serviceId", s.connection_id as "connectionId", c.category, s.entity,
       v.id, v.mark::text as "from", v.deleted, ${visibleFrom(db, 'v', ['s.instance_id', 's.company_id', 's.service_id'])} as "publishedAt",
       case when v.deleted then '' else v.doc end as doc
     from shown s
     join publications p on p.instance_id = s.instance_id and p.company_id = s.company_id and p.service_id = s.service_id
     join connections c on c.instance_id = s.instance_id and c.id = s.connection_id and c.status <> 26
     cross join lateral (${VERSIONS}) v
     order by s.position, s.entity, v.mark, v.id limit $2`,
    values,
  )
  return rows
}

/** Up to `limit` records of these places, in order; of the first place only those after `mark`. */
export async function listChangedRecords(
  db: Db,
  instanceId: string,
  range: { first: string; last: string; mark: RecordMark | null },
  { companyId, entity }: ChangeFilter,
  limit: number,
): Promise<ChangedRecord[]> {
  return await listOf(
    db,
    `select e.instance_id, e.position, e.id as place_id, e.company_id, e.service_id, e.connection_id, e.kind, e.until, x.entity,
         case when m.is_here then $7::timestamptz else coalesce(e.after, '-infinity') end as mark,
         case when m.is_here then $8::uuid when e.kind = 'some' then '${LAST_ID}' else '${FIRST_ID}' end as mark_id
       from placed_changes e cross join unnest($3::text[]) x (entity)
       cross join lateral (select e.position = $4 and coalesce(x.entity = $6, false) as is_here) m
       where e.instance_id = $1 and e.position between $4 and $5 and e.kind <> 'none' and ($9::uuid is null or e.company_id = $9)
         and not (e.position = $4 and coalesce(x.entity < $6, false))`,
    [
      ...[instanceId, limit, entityNames(entity), range.first, range.last],
      ...[range.mark?.entity ?? null, range.mark?.from ?? null, range.mark?.id ?? null, companyId],
    ],
  )
}

/** Record of the list of everything: the last one that was read. */
export interface PublishedMark {
  companyId: string
  serviceId: string
  entity: Entity
  id: string
}

/** The next companies and services with published data, from that of `mark` on. */
export async function listPublished(
  db: Db,
  instanceId: string,
  mark: PublishedMark | null,
  { companyId }: ChangeFilter,
  limit: number,
): Promise<{ companyId: string; serviceId: string }[]> {
  const { rows } = await db.query<{ companyId: string; serviceId: string }>(
    `select company_id as "companyId", service_id as "serviceId" from placed_publications
     where instance_id = $1 and (company_id, service_id) >= ($2, $3) and ($4::uuid is null or company_id = $4)
     order by company_id, service_id limit $5`,
    [instanceId, mark?.companyId ?? FIRST_ID, mark?.serviceId ?? FIRST_ID, companyId, limit],
  )
  return rows
}

/** Up to `limit` published records of these, in order; of the first only those after `mark`. */
export async function listPublishedRecords(
  db: Db,
  instanceId: string,
  range: { last: { companyId: string; serviceId: string }; mark: PublishedMark | null },
  { companyId, entity }: ChangeFilter,
  limit: number,
): Promise<ChangedRecord[]> {
  const { mark, last } = range
  return await listOf(
    db,
    `select o.instance_id, dense_rank() over (order by o.company_id, o.service_id) as position, null::uuid as place_id, o.company_id,
         o.service_id, o.connection_id,
         'all' as kind, 'infinity'::timestamptz as until, x.entity, '-infinity'::timestamptz as mark,
         case when (o.company_id, o.service_id) = ($4, $5) and x.entity = $6 then $7::uuid else '${FIRST_ID}' end as mark_id
       from placed_publications o cross join unnest($3::text[]) x (entity)
       where o.instance_id = $1 and (o.company_id, o.service_id) >= ($4, $5) and (o.company_id, o.service_id) <= ($8, $9)
         and ($10::uuid is null or o.company_id = $10)
         and not ((o.company_id, o.service_id) = ($4, $5) and coalesce(x.entity < $6, false))`,
    [
      ...[instanceId, limit, entityNames(entity), mark?.companyId ?? FIRST_ID, mark?.serviceId ?? FIRST_ID],
      ...[mark?.entity ?? null, mark?.id ?? null, last.companyId, last.serviceId, companyId],
    ],
  )
}

function entityNames(entity: Entity | null): readonly Entity[] {
  return entity === null ? ENTITIES : [entity]
}
