import { toSearchText, toSearchWords } from '../model/institution-names.ts'
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

/** Writes a page of a directory. */
export async function saveInstitutions(db: Db, connectorKey: string, seenAt: Date, entries: DirectoryEntry[]): Promise<void> {
  await db.query(
    `insert into institutions (connector_key, id, name, search_text, countries, routing_numbers, url, seen_at)
     select $1, r.id, r.name, r.search, array(select jsonb_array_elements_text(r.countries)), array(select jsonb_array_elements_text(r.routing)), r.url, $2
     from jsonb_to_recordset($3::jsonb) as r (id text, name text, search text, countries jsonb, routing jsonb, url text)
     on conflict (connector_key, id) do update set name = excluded.name, search_text = excluded.search_text, countries = excluded.countries,
       routing_numbers = excluded.routing_numbers, url = excluded.url, seen_at = excluded.seen_at, closed_at = null`,
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

/** Institutions of a directory that are open. */
export async function countInstitutions(db: Db, connectorKey: string): Promise<number> {
  const text = 'select count(*)::int as count from institutions where connector_key = $1 and closed_at is null'
  const { rows } = await db.query<{ count: number }>(text, [connectorKey])
  return rows[0]?.count ?? 0
}

/**
 * Open institutions whose name has every word of the text, in English or French, with or without accents, or whose routing number it is;
 * names that begin with it come first.
 */
export async function searchInstitutions(
  db: Db,
  connectorKey: string,
  search: { text: string; country?: string },
  page: { limit: number; offset: number },
): Promise<{ institutions: DirectoryEntry[]; total: number }> {
  const values: unknown[] = [connectorKey, search.country ?? null, page.limit, page.offset, search.text]
  const contains = (part: string) => `search_text like $${values.push(`%${part}%`)}`
  const words = toSearchWords(search.text)
  const byName = words.length > 0 ? words.map((forms) => `(${forms.map(contains).join(' or ')})`).join(' and ') : `$5 = ''`
  const byNumber = /\d/.test(search.text) ? ' or routing_numbers @> array[$5]' : ''
  const first = `search_text like $${values.push(`${words.map(([word = '']) => word).join(' ')}%`)}`
  const { rows } = await db.query<DirectoryEntry & { total: string }>(
    `select ${COLUMNS}, count(*) over () as total from institutions
     where connector_key = $1 and closed_at is null and ($2::text is null or $2 = any(countries)) and ($5::text is not null) and (${byName}${byNumber})
     order by (${first}) desc, name, id limit $3 offset $4`,
    values,
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
  state: 'open' | 'answered'
  requestedBy: string
  createdOn: Date
  /** What was said to it; empty while it is open. */
  answer: string
  answeredOn: Date | null
}

const REQUEST_COLUMNS = `id, service_id as "serviceId", name, country, url, note, state, requested_by as "requestedBy", created_at as "createdOn",
  answer, answered_at as "answeredOn"`

export async function createInstitutionRequest(
  db: Db,
  instanceId: string,
  request: Omit<InstitutionRequest, 'state' | 'createdOn' | 'answer' | 'answeredOn'>,
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

/** Answered again it has the newer answer. Null when there is no such request. */
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
