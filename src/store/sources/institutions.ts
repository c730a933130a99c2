import { toSearchText } from '../../model/values/institution-names.ts'
import type { Db } from '../db/database.ts'

/** Directory entry: a bank in an aggregator's directory. */
export interface DirectoryEntry {
  id: string
  name: string
  countries: string[]
  routingNumbers: string[]
  url: string | null
}

/** Columns of a `DirectoryEntry`. */
export const ENTRY_COLUMNS = 'id, name, countries, routing_numbers as "routingNumbers", url'

/**
 * Raises the directory version, which invalidates loaded directories: the end of a statement whose CTE `changed` has a
 * row per changed institution.
 */
const RAISE_VERSION = `insert into directories (connector_key, version) select $1, 1 where exists (select from changed)
  on conflict (connector_key) do update set version = directories.version + 1`

/** Upserts a page of a directory. */
export async function saveInstitutions(db: Db, connectorKey: string, seenAt: Date, entries: DirectoryEntry[]): Promise<void> {
  await db.query(
    `with read as (
       select r.id, r.name, r.search, array(select jsonb_array_elements_text(r.countries)) as countries,
         array(select jsonb_array_elements_text(r.routing)) as routing, r.url
       from jsonb_to_recordset($3::jsonb) as r (id text, name text, search text, countries jsonb, routing jsonb, url text)),
     changed as (
       select r.id from read r left join institutions i on i.connector_key = $1 and i.id = r.id and i.closed_at is null
       where (i.name, i.search_text, i.countries, i.routing_numbers) is distinct from (r.name, r.search, r.countries, r.routing)),
     saved as (
       insert into institutions (connector_key, id, name, search_text, countries, routing_numbers, url, seen_at)
       select $1, id, name, search, countries, routing, url, $2 from read
       on conflict (connector_key, id) do update set name = excluded.name, search_text = excluded.search_text, countries = excluded.countries,
         routing_numbers = excluded.routing_numbers, url = excluded.url, seen_at = excluded.seen_at, closed_at = null)
     ${RAISE_VERSION}`,
    [
      connectorKey,
      seenAt,
      JSON.stringify(
        [...new Map(entries.map((e) => [e.id, e])).values()].map((e) => ({
          id: e.id,
          name: e.name,
          search: toSearchText(e.name),
          countries: e.countries,
          routing: e.routingNumbers,
          url: e.url,
        })),
      ),
    ],
  )
}

/** After a complete listing: closes institutions that it did not contain. */
export async function closeUnseenInstitutions(db: Db, connectorKey: string, seenAt: Date): Promise<void> {
  await db.query(
    `with changed as (
       update institutions set closed_at = $2 where connector_key = $1 and seen_at < $2 and closed_at is null returning id)
     ${RAISE_VERSION}`,
    [connectorKey, seenAt],
  )
}

export async function findInstitution(db: Db, connectorKey: string, id: string): Promise<DirectoryEntry | null> {
  const { rows } = await db.query<DirectoryEntry>(
    `select ${ENTRY_COLUMNS} from institutions where connector_key = $1 and id = $2 and closed_at is null`,
    [connectorKey, id],
  )
  return rows[0] ?? null
}

/** Institutions with one of these routing numbers, in all directories. */
export async function listInstitutionsByRoutingNumber(db: Db, numbers: readonly string[]): Promise<DirectoryEntry[]> {
  const { rows } = await db.query<DirectoryEntry>(
    `select ${ENTRY_COLUMNS} from institutions where routing_numbers && $1::text[] and closed_at is null order by connector_key, id limit 20`,
    [numbers],
  )
  return rows
}

/** Whether a directory has an open institution. */
export async function hasInstitutions(db: Db, connectorKey: string): Promise<boolean> {
  const text = 'select exists (select from institutions where connector_key = $1 and closed_at is null) as "hasAny"'
  const { rows } = await db.query<{ hasAny: boolean }>(text, [connectorKey])
  return rows[0]?.hasAny ?? false
}

/** Number of open institutions of a directory. */
export async function countInstitutions(db: Db, connectorKey: string): Promise<number> {
  const text = 'select count(*)::int as count from institutions where connector_key = $1 and closed_at is null'
  const { rows } = await db.query<{ count: number }>(text, [connectorKey])
  return rows[0]?.count ?? 0
}

/** Recounts how often each institution was connected since a moment, in all instances. */
export async function countConnectedInstitutions(db: Db, connectorKey: string, since: Date): Promise<void> {
  await db.query(
    `with counted as (
       select s.institution_id as id, count(*)::int as times from child_services s
       join connections c on c.instance_id = s.instance_id and c.service_id = s.id
       where s.connector_key = $1 and c.entity_id is not null and c.created_at > $2 group by 1),
     changed as (
       update institutions i set connected = known.times
       from (select o.id, coalesce(counted.times, 0) as times from institutions o left join counted using (id) where o.connector_key = $1) known
       where i.connector_key = $1 and i.id = known.id and i.connected <> known.times returning i.id)
     ${RAISE_VERSION}`,
    [connectorKey, since],
  )
}

/** Stores the provider's own ranking, first ones first; all others are unranked. */
export async function rankInstitutions(db: Db, connectorKey: string, ids: readonly string[]): Promise<void> {
  await db.query(
    `with changed as (
       update institutions i set provider_rank = known.rank
       from (select o.id, r.rank from institutions o left join unnest($2::text[]) with ordinality as r (id, rank) using (id)
         where o.connector_key = $1) known
       where i.connector_key = $1 and i.id = known.id and i.provider_rank is distinct from known.rank returning i.id)
     ${RAISE_VERSION}`,
    [connectorKey, [...new Set(ids)]],
  )
}

export interface InstitutionRequest {
  id: string
  serviceId: string
  name: string
  country: string
  url: string
  note: string
  state: 'open' | 'answered'
  requestedBy: string
  createdOn: Date
  /** Answer to the request; empty while it is open. */
  answer: string
  answeredOn: Date | null
}

/** Maximum number of bank requests per link. */
const MAX_REQUESTS_OF_LINK = 20

type NewInstitutionRequest = Omit<InstitutionRequest, 'state' | 'createdOn' | 'answer' | 'answeredOn'>

const REQUEST_COLUMNS = `id, service_id as "serviceId", name, country, url, note, state, requested_by as "requestedBy", created_at as "createdOn",
  answer, answered_at as "answeredOn"`

/**
 * An existing request with this id is returned unchanged, since an earlier execution of the same request created it.
 */
export async function createInstitutionRequest(db: Db, instanceId: string, request: NewInstitutionRequest): Promise<InstitutionRequest> {
  const { rows } = await db.query<InstitutionRequest>(
    `insert into institution_requests (instance_id, id, service_id, name, country, url, note, requested_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (instance_id, id) do nothing returning ${REQUEST_COLUMNS}`,
    [instanceId, request.id, request.serviceId, request.name, request.country, request.url, request.note, request.requestedBy],
  )
  const created = rows[0] ?? (await findInstitutionRequest(db, instanceId, request.id))
  if (!created) throw new Error('the insert returned no row')
  return created
}

/**
 * Like `createInstitutionRequest`, for the holder of a link, which the caller has locked; an existing one stays
 * unchanged. Returns false when the limit per link is reached.
 */
export async function noteInstitutionRequest(db: Db, instanceId: string, linkId: string, request: NewInstitutionRequest): Promise<boolean> {
  const { rows } = await db.query<{ id: string }>('select id from institution_requests where instance_id = $1 and link_id = $2', [
    instanceId,
    linkId,
  ])
  if (rows.some(({ id }) => id === request.id)) return true
  if (rows.length >= MAX_REQUESTS_OF_LINK) return false
  await db.query(
    `insert into institution_requests (instance_id, id, service_id, name, country, url, note, requested_by, link_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [instanceId, request.id, request.serviceId, request.name, request.country, request.url, request.note, request.requestedBy, linkId],
  )
  return true
}

export async function findInstitutionRequest(db: Db, instanceId: string, id: string): Promise<InstitutionRequest | null> {
  const { rows } = await db.query<InstitutionRequest>(
    `select ${REQUEST_COLUMNS} from institution_requests where instance_id = $1 and id = $2`,
    [instanceId, id],
  )
  return rows[0] ?? null
}

export async function listInstitutionRequests(db: Db, instanceId: string): Promise<InstitutionRequest[]> {
  const { rows } = await db.query<InstitutionRequest>(
    `select ${REQUEST_COLUMNS} from institution_requests where instance_id = $1 order by created_at, id`,
    [instanceId],
  )
  return rows
}

/** A second answer replaces the first. Null when the request does not exist. */
export async function answerInstitutionRequest(
  db: Db,
  instanceId: string,
  id: string,
  answer: { text: string; at: Date },
): Promise<InstitutionRequest | null> {
  const { rows } = await db.query<InstitutionRequest>(
    `update institution_requests set state = 'answered', answer = $3, answered_at = $4 where instance_id = $1 and id = $2 returning ${REQUEST_COLUMNS}`,
    [instanceId, id, answer.text, answer.at],
  )
  return rows[0] ?? null
}
