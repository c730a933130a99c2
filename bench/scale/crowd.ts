import { createHash } from 'node:crypto'
import { type Database, type Db, inTransaction } from '../../src/store/db/database.ts'
import { advanceFeed, openPartitions } from './crowd-partitions.ts'

/** Whose crowd it is, and the synced company whose records it copies. */
export interface CrowdScope {
  instanceId: string
  /** Service of the companies' first connections, which have records. */
  serviceId: string
  connectorKey: string
  /** Company with synced records of that service: the template of all others. */
  companyId: string
  subscriptionId: string
}

/** What the crowd's rows depend on besides their numbers. */
interface CrowdFacts extends CrowdScope {
  /** Visible records of the template. */
  accounts: number
  transactions: number
  /** Added to twice a company's number: the place of its first event in the feed. */
  placeOffset: number
}

/** Rows of one table for the companies `$3` to `$4` (numbers); `$1` is the instance, `$2` the service. */
interface CrowdTable {
  table: string
  text: string
  /** More parameters, from `$5` on. */
  values?(facts: CrowdFacts): unknown[]
}

/** Id of a company by its number. */
export function toCompanyId(number: number): string {
  return createHash('md5')
    .update(`company/${number}`)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const company = `md5('company/' || n)::uuid`
const connection = `md5('connection/' || n || '/' || k)::uuid`
const link = `md5('link/' || n || '/' || k)::uuid`
const event = `md5('event/' || n || '/' || k)::uuid`
const run = `md5('run/' || n || '/' || k)::uuid`
/** A second connection has another service and has not published yet. */
const service = `case k when 0 then $2::uuid else md5('service/' || n % 40)::uuid end`
/** Spread over two years, the same for every run; microseconds apart. */
const created = `(timestamptz '2024-11-01' + make_interval(secs => (hashint8(n) & 2147483647) % 63072000 + n % 1000 / 1000.0))`
/** Spread over the last 80 days, within the retention of events. */
const recent = `(statement_timestamp() - make_interval(secs => 3600 + (hashint8(n * 2 + k) & 2147483647) % 6912000))`
const thisMonth = `greatest(${recent}, statement_timestamp() - interval '29 days')`
const companies = 'generate_series($3::int, $4::int) n'
/** Three connections for two companies. */
const connections = `${companies}, generate_series(0, n % 2) k`
const pairs = `${companies}, generate_series(0, 1) k`
const CITIES = `(array['Montréal','Québec','Laval','Gatineau','Sherbrooke','Toronto','Ottawa','Calgary','Halifax','Winnipeg'])[1 + n % 10]`
const INDUSTRIES = `(array['Bakery','Dentist','Garage','Grocer','Plumber','Restaurant','Roofing','Software','Trucking','Winery'])[1 + n / 7 % 10]`

/** Every table that grows with companies, in the order of their foreign keys. */
export const CROWD_TABLES: readonly CrowdTable[] = [
  {
    table: 'companies',
    text: `insert into companies (instance_id, id, name, industry, full_address, country, city, contact_number, created_at, external_id, metadata)
      select $1::uuid, ${company}, initcap(substr(md5(n::text), 1, 7)) || ' ' || ${INDUSTRIES} || ' ' || n || ' inc.', ${INDUSTRIES}, n % 9000 || ' rue Saint-Denis', 'CA', ${CITIES},
        '+1514' || lpad((n % 10000000)::text, 7, '0'), ${created}, 'customer-' || n, jsonb_build_object('segment', 's' || n % 50)
      from ${companies} where $2::uuid is not null`,
  },
  {
    table: 'links',
    text: `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, created_at, expires_at, completed_at, opened_at)
      select $1::uuid, ${link}, sha256(('link/' || n || '/' || k)::bytea), ${company}, ${service}, 'crowd@example.com', ${created}, ${created} + interval '3 years', ${created}, ${created}
      from ${connections}`,
  },
  {
    table: 'link_progress',
    text: `insert into link_progress (instance_id, link_id, opened_at, source, language, is_framed, steps)
      select $1::uuid, ${link}, ${created}, 'bench-bank', 'en', false, '{opened,agreed,chose,connected}' from ${connections} where $2::uuid is not null`,
  },
  {
    table: 'connections',
    text: `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, refresh_hours, update_scheduled_at,
        entity_id, entity_name, created_at, updated_at, published_at, first_published_at, last_read_at, credentials, credentials_issued_at, cursors)
      select $1::uuid, ${connection}, ${company}, ${service}, $5, 'Banking', 'owner' || n || '@example.com', case when k = 0 then 19 else 15 end, 24,
        statement_timestamp() + make_interval(secs => 7200 + (hashint8(n * 2 + k) & 2147483647) % 86400), 'entity-' || n, 'Books ' || n, ${created}, ${recent},
        case when k = 0 then ${recent} end, case when k = 0 then ${recent} end, ${recent}, decode(repeat(md5(n::text), 4), 'hex'), ${recent}, '{}'
      from ${connections}`,
    values: ({ connectorKey }) => [connectorKey],
  },
  {
    table: 'connection_timeline',
    text: `insert into connection_timeline (instance_id, connection_id, at, from_status, to_status)
      select $1::uuid, ${connection}, ${created} + make_interval(secs => step), case step when 0 then 6 else 9 end, case step when 0 then 9 else 19 end
      from ${connections}, generate_series(0, 1) step where $2::uuid is not null`,
  },
  {
    table: 'consents',
    text: `insert into consents (instance_id, id, company_id, service_id, link_id, connection_id, purpose_key, purpose_version, text_hash, language, duration_days,
        given_at, expires_at, ended_at, ended_how)
      select $1::uuid, md5('consent/' || n || '/' || k)::uuid, ${company}, ${service}, ${link}, ${connection}, 'lending', 0, 'crowd', 'en', 1095, ${created},
        ${created} + interval '3 years', case when n % 20 = 0 then ${created} + interval '1 hour' end, case when n % 20 = 0 then 'withdrawn' end
      from ${connections}`,
  },
  {
    table: 'receipts',
    text: `insert into receipts (instance_id, id, company_id, connection_id, kind, issued_at, service_name, signed)
      select $1::uuid, md5('receipt/' || n)::uuid, ${company}, ${connection}, 'withdrawal', ${created}, 'Caisse du Plateau', repeat('x', 600)
      from ${connections} where k = 0 and n % 20 = 0 and $2::uuid is not null`,
  },
  {
    table: 'sync_runs',
    text: `insert into sync_runs (instance_id, id, connection_id, reason, state, fence, counts, started_at, ended_at, company_id)
      select $1::uuid, case nth when 0 then ${run} else md5('run/' || n || '/' || k || '/' || nth)::uuid end, ${connection}, 'schedule', case nth when 0 then 'published' else 'unchanged' end, 1,
        '{"pages":2,"records":20,"changed":0,"setAside":0,"deleted":0,"heldBack":0,"reidentified":0,"unclear":0}', ${recent}, ${recent} + interval '2 seconds', ${company}
      from ${connections}, generate_series(0, 1) nth where $2::uuid is not null`,
  },
  {
    table: 'raw_pages',
    text: `insert into raw_pages (instance_id, id, connection_id, pull, page, fetched_at, content_hash, sealed, company_id)
      select $1::uuid, md5('page/' || n)::uuid, ${connection}, 'accounts', 0, ${recent}, sha256(n::text::bytea), decode(repeat(md5(n::text), 40), 'hex'), ${company}
      from ${connections} where k = 0 and $2::uuid is not null`,
  },
  {
    table: 'stored_bytes',
    text: `insert into stored_bytes (instance_id, connection_id, bytes) select $1::uuid, ${connection}, 0 from ${connections}
      where k = 1 and $2::uuid is not null on conflict do nothing`,
  },
  {
    table: 'record_versions',
    text: `with template as materialized (
        select entity, doc, content_hash, sort_key, orig_id, row_number() over (partition by entity order by id) as place from record_versions
        where company_id = $5::uuid and service_id = $2::uuid and instance_id = $1 and record_set = any (record_set_keys($5, $2)))
      insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key, run_id, raw_page_id, raw_index, mapping_version)
      select $1::uuid, ${company}, $2::uuid, entity, m.id, '-infinity', orig_id, ${connection}, '{"id":"' || m.id || substr(doc, 44), content_hash, sort_key, ${run}, md5('page/' || n)::uuid, place, 1
      from ${companies}, generate_series(0, 0) k, template, lateral (select md5(n || entity || place)::uuid as id) m`,
    values: ({ companyId }) => [companyId],
  },
  {
    table: 'publications',
    text: `insert into publications (key, instance_id, company_id, service_id, version, published_at, accounts, transactions)
      select $1::uuid || '/' || ${company} || '/' || $2::uuid, $1::uuid, ${company}, $2::uuid, (extract(epoch from clock_timestamp()) * 1000000)::bigint + n, ${recent}, $5::int, $6::int
      from ${companies}, generate_series(0, 0) k`,
    values: ({ accounts, transactions }) => [accounts, transactions],
  },
  {
    table: 'events',
    text: `insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body, created_at, position)
      select $1::uuid, ${event}, 'NormalizedData', ${company}, $2::uuid, md5('connection/' || n || '/0')::uuid, 'crowd/' || n || '/' || k, (select body from events where instance_id = $1 and company_id = $5::uuid and kind = 'NormalizedData' limit 1), ${recent}, $6::bigint + n * 2 + k
      from ${pairs}`,
    values: ({ companyId, placeOffset }) => [companyId, placeOffset],
  },
  {
    table: 'deliveries',
    text: `insert into deliveries (instance_id, id, event_id, subscription_id, kind, status, step, attempt_count, due_at, created_at, delivered_at)
      select $1::uuid, md5('delivery/' || n || '/' || k)::uuid, ${event}, $5, 'NormalizedData', 'delivered', 1, 1, ${recent}, ${recent}, ${recent} from ${pairs} where $2::uuid is not null`,
    values: ({ subscriptionId }) => [subscriptionId],
  },
  {
    table: 'delivery_attempts',
    text: `insert into delivery_attempts (instance_id, delivery_id, number, started_at, duration_ms, http_status, response)
      select $1::uuid, md5('delivery/' || n || '/' || k)::uuid, 1, ${thisMonth}, 40, 200, 'ok' from ${pairs}
      where $2::uuid is not null`,
  },
  {
    table: 'audit_entries',
    text: `insert into audit_entries (instance_id, position, at, entry, hash)
      select $1::uuid, 1000000 + n * 2 + k, ${recent}, json_build_object('action', 'company.created', 'subject', 'company/' || ${company}, 'userId', md5('user/' || n % 20)::uuid,
        'actor', 'user', 'network', '10.0.' || n % 200 || '.0/24')::text, sha256((n * 2 + k)::text::bytea) from ${pairs} where $2::uuid is not null`,
  },
  {
    table: 'owner_addresses',
    text: `insert into owner_addresses (instance_id, company_id, address, locale, noted_at)
      select $1::uuid, ${company}, decode(repeat(md5(n::text), 4), 'hex'), 'en', ${created} from ${companies} where $2::uuid is not null`,
  },
  {
    table: 'source_limits',
    text: `insert into source_limits (connector_key, scope, name, calls, per_ms, updated_at)
      select 'bench-bank', 'entity-' || n, 'minute', 60, 60000, statement_timestamp() - make_interval(secs => n % 80000) from ${companies}
      where $1::uuid is not null and $2::uuid is not null`,
  },
  {
    table: 'idempotency_keys',
    text: `insert into idempotency_keys (instance_id, id, key_hash, request_hash, status, headers, sealed)
      select $1::uuid, md5('idempotency/' || n)::uuid, sha256(('k' || n)::bytea), sha256(('r' || n)::bytea), 200, '{}', decode(repeat(md5(n::text), 8), 'hex')
      from ${companies} where $2::uuid is not null and n % 4 = 0`,
  },
  {
    table: 'mails',
    text: `insert into mails (instance_id, id, kind, company_id, recipient_hash, recipient_shown, state, created_at, settled_at)
      select $1::uuid, md5('mail/' || n)::uuid, 'link', ${company}, sha256(n::text::bytea), 'o…@example.com', 'sent', ${thisMonth}, ${thisMonth} from ${companies}, generate_series(0, 0) k
      where $2::uuid is not null`,
  },
]

/** Companies in one statement: bounds its memory and its time. */
const BATCH = 5_000
const SMALLEST = 200

/** Adds the rows of the companies `from` to `to`, a batch in a transaction. */
export async function addCrowd(
  database: Database,
  scope: CrowdScope,
  from: number,
  to: number,
  onBatch: (done: number) => void = () => undefined,
): Promise<void> {
  const facts = { ...scope, ...(await readFacts(database, scope, from)) }
  const places = await openPartitions(database, scope.instanceId)
  await database.query(
    `insert into consent_texts (instance_id, hash, texts) values ($1, 'crowd', '{"en":["I agree."],"fr-CA":["J’accepte."]}') on conflict do nothing`,
    [scope.instanceId],
  )
  let analyzeAt = Math.max(from, SMALLEST)
  for (let first = from; first <= to; ) {
    const last = Math.min(to, first + Math.min(BATCH, Math.max(SMALLEST, first)) - 1)
    await inTransaction(database, (db) => addRows(db, places, [scope.instanceId, scope.serviceId, first, last], facts))
    onBatch(last)
    // NOTE checks of foreign keys are planned once for a session: without statistics they scan what was empty then.
    if (last >= analyzeAt) {
      await database.query('analyze')
      analyzeAt = last * 8
    }
    first = last + 1
  }
  await advanceFeed(database, scope.instanceId, facts.placeOffset + to * 2 + 1)
}

async function addRows(db: Db, places: ReadonlyMap<string, string>, of: readonly unknown[], facts: CrowdFacts): Promise<void> {
  for (const { table, text, values } of CROWD_TABLES)
    await db.query(text.replace(`into ${table} `, `into ${places.get(table) ?? table} `), [...of, ...(values?.(facts) ?? [])])
}

async function readFacts(
  db: Db,
  { instanceId, companyId, serviceId }: CrowdScope,
  from: number,
): Promise<Omit<CrowdFacts, keyof CrowdScope>> {
  const { rows } = await db.query<{ accounts: number; transactions: number; position: number }>(
    `select (count(*) filter (where entity = 'Accounts'))::int as accounts, (count(*) filter (where entity = 'Transactions'))::int as transactions,
       greatest((select max(position) from events where instance_id = $3), (select position from event_feeds where instance_id = $3), 0)::float8 as position
     from record_versions where record_set = any (record_set_keys($1, $2)) and valid_to is null`,
    [companyId, serviceId, instanceId],
  )
  const [row] = rows
  return { accounts: row?.accounts ?? 0, transactions: row?.transactions ?? 0, placeOffset: (row?.position ?? 0) + 1 - from * 2 }
}
