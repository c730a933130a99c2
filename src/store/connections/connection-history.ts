import type { StatusCode } from '../../model/statuses.ts'
import type { Db } from '../db/database.ts'
import { type Columns, type Filter, toCondition } from '../db/list-selection.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import { RUN_COLUMNS, type RunOwner, type StoredRun } from './sync-runs.ts'

/** History entry: an event between a company and a service, beginning with the link. */
export interface HistoryEntry {
  at: Date
  kind: 'linkIssued' | 'linkOpened' | 'consentGiven' | 'consentEnded' | 'linkCompleted' | 'linkRevoked' | 'linkExpired' | 'status' | 'run'
  /** Id of the connection; null for an event of a link. */
  sessionId: string | null
  /** Id of the run, link or consent. */
  subjectId: string | null
  fromStatus: StatusCode | null
  toStatus: StatusCode | null
  detail: string
  detailCode: string | null
  detailParts: Record<string, string | number> | null
}

interface Page {
  filter: Filter
  limit: number
  offset: number
  descending: boolean
}

const ENTRY_COLUMNS: Columns = {
  at: { sql: 'at', type: 'date' },
  kind: { sql: 'kind', type: 'string' },
  sessionId: { sql: '"sessionId"', type: 'uuid' },
  subjectId: { sql: '"subjectId"', type: 'uuid' },
  statusCode: { sql: '"toStatus"', type: 'number' },
}

/** An entry with what entries of one instant are ordered by. */
interface Placed extends HistoryEntry {
  /** Microseconds since 1970: more exact than `at`. */
  micros: number
  place: number
  /** Of the entry's row. */
  rowId: string
  /** Entries of the same origin that the filter leaves, on all pages. */
  total: number
}

interface HistoryScope {
  instanceId: string
  companyId: string
  serviceId: string
  /** Services whose links lead there: the service itself and its parent. */
  linkServiceIds: string[]
}

/** Links and consents: a few for each connection. `$2` is the company, `$3` the services of the links. */
const OF_LINKS = `
  with made as (select * from links where instance_id = $1 and company_id = $2 and service_id = any($3)),
    given as (select k.* from unnest($4::uuid[]) c (id) join consents k on k.instance_id = $1 and k.connection_id = c.id)
  select created_at as at, 0 as place, 'linkIssued' as kind, null::uuid as "sessionId", id as "subjectId", null::int as "fromStatus",
    null::int as "toStatus", 'by ' || issued_by as detail, 'by' as "detailCode", jsonb_build_object('name', issued_by) as "detailParts", id as "rowId" from made
  union all select opened_at, 0, 'linkOpened', null, id, null, null, '', null, null, id from made where opened_at is not null
  union all select given_at, 0, 'consentGiven', connection_id, id, null, null, purpose_key || ', ' || language || ', ' || duration_days || ' days',
    'consent', jsonb_build_object('purpose', purpose_key, 'language', language, 'days', duration_days), id from given
  union all select ended_at, 3, 'consentEnded', connection_id, id, null, null, ended_how, 'ended', jsonb_build_object('how', ended_how), id
    from given where ended_at is not null
  union all select completed_at, 3, 'linkCompleted', null, id, null, null, '', null, null, id from made where completed_at is not null
  union all select revoked_at, 3, 'linkRevoked', null, id, null, null, '', null, null, id from made where revoked_at is not null
  union all select expires_at, 3, 'linkExpired', null, id, null, null, '', null, null, id from made
    where completed_at is null and revoked_at is null and expires_at <= statement_timestamp()`

/** Statuses of the connection `c.id`, which may be many; by an index in the order of time. */
const STATUSES = `
  select at, 1 as place, 'status' as kind, connection_id as "sessionId", null::uuid as "subjectId", from_status as "fromStatus", to_status as "toStatus",
    detail, detail_code as "detailCode", detail_parts as "detailParts", t.id as "rowId"
  from connection_timeline t where t.instance_id = $1 and t.connection_id = c.id`

/** Runs of the connection `c.id`, which may be many; by an index in the order of time. `$2` is the company. */
const RUNS = `
  select started_at as at, 2 as place, 'run' as kind, connection_id as "sessionId", r.id as "subjectId", null::int as "fromStatus", null::int as "toStatus",
    reason || ': ' || state as detail, 'run' as "detailCode", jsonb_build_object('reason', reason, 'state', state) as "detailParts", r.id as "rowId"
  from sync_runs r where r.instance_id = $1 and r.connection_id = c.id and ${ofCompany('r.company_id', '$2')}`

/**
 * Page of the history of a company at a service, over all its connections there. Entries of each origin are read by
 * themselves, no more than the page needs: their tables may lie on different servers, and runs may be many.
 */
export async function readHistory(db: Db, scope: HistoryScope, page: Page): Promise<{ entries: HistoryEntry[]; total: number }> {
  const { instanceId, companyId, serviceId, linkServiceIds } = scope
  const { rows } = await db.query<{ id: string }>(
    'select id from connections where instance_id = $1 and company_id = $2 and service_id = $3',
    [instanceId, companyId, serviceId],
  )
  const ids = rows.map(({ id }) => id)
  const origins = [
    await readEntries(
      db,
      { from: (where) => `(${OF_LINKS}) e where ${where}`, values: [instanceId, companyId, linkServiceIds, ids] },
      page,
    ),
    await readEntries(db, ofEach(STATUSES, '$2', [instanceId, ids]), page),
    await readEntries(db, ofEach(RUNS, '$3', [instanceId, companyId, ids]), page),
  ]
  const direction = page.descending ? -1 : 1
  const entries = origins.flat().sort((one, other) => direction * compare(one, other))
  return {
    entries: entries.slice(page.offset, page.offset + page.limit).map(toEntry),
    total: origins.reduce((sum, [first]) => sum + (first?.total ?? 0), 0),
  }
}

/** Where entries are selected from: SQL after `from` that leaves those of a condition, the first ones of each connection if `limited`. */
interface Origin {
  from(where: string, limited?: string): string
  values: unknown[]
}

/** Of each connection of the array `ids`, a parameter. */
function ofEach(entries: string, ids: string, values: unknown[]): Origin {
  return {
    from: (where, limited = '') =>
      `unnest(${ids}::uuid[]) c (id) cross join lateral (select * from (${entries}) of_connection where ${where} ${limited}) e`,
    values,
  }
}

/** The first entries of an origin, up to the end of the page. */
async function readEntries(db: Db, { from, values }: Origin, page: Page): Promise<Placed[]> {
  const given = [...values]
  const where = toCondition(page.filter, ENTRY_COLUMNS, given)
  const direction = toDirection(page)
  const limited = `order by at ${direction}, place ${direction}, "rowId" ${direction} limit $${given.push(page.offset + page.limit)}`
  const { rows } = await db.query<Placed>(
    `select e.*, (extract(epoch from at) * 1000000)::float8 as micros, (select count(*) from ${from(where)})::int as total
     from ${from(where, limited)} ${limited}`,
    given,
  )
  return rows
}

function compare(one: Placed, other: Placed): number {
  return one.micros - other.micros || one.place - other.place || (one.rowId < other.rowId ? -1 : 1)
}

function toEntry({ micros: _micros, place: _place, rowId: _rowId, total: _total, ...entry }: Placed): HistoryEntry {
  return entry
}

const RUN_FILTERS: Columns = {
  id: { sql: 'id', type: 'uuid' },
  reason: { sql: 'reason', type: 'string' },
  state: { sql: 'state', type: 'string' },
  startedOn: { sql: 'started_at', type: 'date', key: 'started_at' },
  endedOn: { sql: 'ended_at', type: 'date' },
}

/** Page of the runs of a connection, by start. */
export async function readRuns(db: Db, { instanceId, companyId, id }: RunOwner, page: Page): Promise<{ runs: StoredRun[]; total: number }> {
  const values: unknown[] = [instanceId, id, companyId]
  const from = `from sync_runs where instance_id = $1 and connection_id = $2 and ${ofCompany('company_id', '$3')} and ${toCondition(page.filter, RUN_FILTERS, values)}`
  const counted = await db.query<{ count: number }>(`select count(*)::int as count ${from}`, [...values])
  const { rows } = await db.query<StoredRun>(
    `select ${RUN_COLUMNS} ${from} order by started_at ${toDirection(page)}, id limit $${values.push(page.limit)} offset $${values.push(page.offset)}`,
    values,
  )
  return { runs: rows, total: counted.rows[0]?.count ?? 0 }
}

/** Newest runs of a connection. */
export async function listRuns(db: Db, { instanceId, companyId, id }: RunOwner, limit: number): Promise<StoredRun[]> {
  const { rows } = await db.query<StoredRun>(
    `select ${RUN_COLUMNS} from sync_runs where instance_id = $1 and connection_id = $2 and ${ofCompany('company_id', '$3')} order by started_at desc, id limit $4`,
    [instanceId, id, companyId, limit],
  )
  return rows
}

/** Run of any connection of a company at a service. */
export async function findRun(
  db: Db,
  { instanceId, companyId, serviceId, id }: { instanceId: string; companyId: string; serviceId: string; id: string },
): Promise<StoredRun | null> {
  const { rows } = await db.query<StoredRun>(
    `select ${RUN_COLUMNS} from sync_runs where instance_id = $1 and id = $2 and ${ofCompany('company_id', '$3')}`,
    [instanceId, id, companyId],
  )
  const [run] = rows
  if (!run) return null
  // A second statement: connections and runs may lie on different servers.
  const { rowCount } = await db.query(
    'select from connections where instance_id = $1 and id = $2 and company_id = $3 and service_id = $4',
    [instanceId, run.connectionId, companyId, serviceId],
  )
  return rowCount === 0 ? null : run
}

function toDirection({ descending }: Page): 'asc' | 'desc' {
  return descending ? 'desc' : 'asc'
}
