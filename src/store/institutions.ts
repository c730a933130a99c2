import type { Db } from './database.ts'

/** A bank in an aggregator's directory. */
export interface DirectoryEntry {
  id: string
  name: string
  countries: string[]
  routingNumbers: string[]
  url: string | null
}

const COLUMNS = 'id, name, countries, routing_numbers as "routingNumbers", url'

/** Writes a page of a directory; entries that did not change are only marked as seen. */
export async function saveInstitutions(db: Db, connectorKey: string, seenAt: Date, entries: DirectoryEntry[]): Promise<void> {
  await db.query(
    `insert into institutions (connector_key, id, name, countries, routing_numbers, url, seen_at)
     select $1, r.id, r.name, array(select jsonb_array_elements_text(r.countries)), array(select jsonb_array_elements_text(r.routing)), r.url, $2
     from jsonb_to_recordset($3::jsonb) as r (id text, name text, countries jsonb, routing jsonb, url text)
     on conflict (connector_key, id) do update set name = excluded.name, countries = excluded.countries,
       routing_numbers = excluded.routing_numbers, url = excluded.url, seen_at = excluded.seen_at, closed_at = null`,
    [
      connectorKey,
      seenAt,
      JSON.stringify(
        [...new Map(entries.map((e) => [e.id, e])).values()].map((e) => ({
          id: e.id,
          name: e.name,
          countries: e.countries,
          routing: e.routingNumbers,
          url: e.url,
        })),
      ),
    ],
  )
}

/** After a complete listing: what was not seen in it has closed. */
export async function closeUnseenInstitutions(db: Db, connectorKey: string, seenAt: Date): Promise<number> {
  const { rowCount } = await db.query(
    'update institutions set closed_at = $2 where connector_key = $1 and seen_at < $2 and closed_at is null',
    [connectorKey, seenAt],
  )
  return rowCount ?? 0
}

export async function findInstitution(db: Db, connectorKey: string, id: string): Promise<DirectoryEntry | null> {
  const { rows } = await db.query<DirectoryEntry>(
    `select ${COLUMNS} from institutions where connector_key = $1 and id = $2 and closed_at is null`,
    [connectorKey, id],
  )
  return rows[0] ?? null
}

/** Open institutions whose name contains the text or whose routing number is it; names that start with it come first. */
export async function searchInstitutions(
  db: Db,
  connectorKey: string,
  search: { text: string; country?: string },
  page: { limit: number; offset: number },
): Promise<{ institutions: DirectoryEntry[]; total: number }> {
  const pattern = search.text.replace(/[\\%_]/g, '\\$&')
  const { rows } = await db.query<DirectoryEntry & { total: string }>(
    `select ${COLUMNS}, count(*) over () as total from institutions
     where connector_key = $1 and closed_at is null and ($2 = '' or name ilike '%' || $2 || '%' or routing_numbers @> array[$3])
       and ($4::text is null or $4 = any(countries))
     order by (name ilike $2 || '%') desc, name, id limit $5 offset $6`,
    [connectorKey, pattern, search.text, search.country ?? null, page.limit, page.offset],
  )
  return { institutions: rows.map(({ total: _, ...entry }) => entry), total: Number(rows[0]?.total ?? 0) }
}

export interface InstitutionRequest {
  id: string
  serviceId: string
  name: string
  country: string
  url: string
  note: string
  state: string
  requestedBy: string
  createdOn: Date
}

const REQUEST_COLUMNS = `id, service_id as "serviceId", name, country, url, note, state, requested_by as "requestedBy", created_at as "createdOn"`

export async function createInstitutionRequest(
  db: Db,
  instanceId: string,
  request: Omit<InstitutionRequest, 'state' | 'createdOn'>,
): Promise<InstitutionRequest> {
  const { rows } = await db.query<InstitutionRequest>(
    `insert into institution_requests (instance_id, id, service_id, name, country, url, note, requested_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${REQUEST_COLUMNS}`,
    [instanceId, request.id, request.serviceId, request.name, request.country, request.url, request.note, request.requestedBy],
  )
  const [created] = rows
  if (!created) throw new Error('the insert gave no row back')
  return created
}

export async function listInstitutionRequests(db: Db, instanceId: string): Promise<InstitutionRequest[]> {
  const { rows } = await db.query<InstitutionRequest>(
    `select ${REQUEST_COLUMNS} from institution_requests where instance_id = $1 order by created_at, id`,
    [instanceId],
  )
  return rows
}
