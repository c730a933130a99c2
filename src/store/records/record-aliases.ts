import type { QueryResultRow } from 'pg'
import type { Entity } from '../../model/catalogue.ts'
import type { Db } from '../db/database.ts'
import { ofCompany } from '../db/row-companies/of-company.ts'
import { inRecordSet, type RecordScope, scopeValues } from './records.ts'

/**
 * Record alias: a record to which its source has assigned another id. `origId` is the new id, `keptOrigId` the one that
 * readers know.
 */
export interface RecordAlias {
  origId: string
  id: string
  keptOrigId: string
}

const COLUMNS = 'orig_id as "origId", id, kept_orig_id as "keptOrigId"'
/** Aliases inserted by one statement. */
const ALIASES = 1_000
const SCOPE = 'instance_id = $1 and company_id = $2 and service_id = $3'

export async function listAccountAliases(db: Db, scope: RecordScope): Promise<RecordAlias[]> {
  const { rows } = await db.query<RecordAlias>({
    name: 'account-aliases',
    text: `select ${COLUMNS} from record_aliases where ${SCOPE} and entity = 'Accounts'`,
    values: scopeValues(scope),
  })
  return rows
}

export async function findAliases(db: Db, scope: RecordScope, entity: Entity, origIds: string[]): Promise<RecordAlias[]> {
  const { rows } = await db.query<RecordAlias>({
    name: 'find-aliases',
    text: `select ${COLUMNS} from record_aliases where ${SCOPE} and entity = $4 and orig_id = any($5)`,
    values: [...scopeValues(scope), entity, origIds],
  })
  return rows
}

/** An existing alias of an `origId` is kept. */
export async function insertAliases(db: Db, scope: RecordScope, entity: Entity, aliases: RecordAlias[]): Promise<void> {
  for (let from = 0; from < aliases.length; from += ALIASES) {
    const values: unknown[] = [...scopeValues(scope), entity]
    const rows = aliases
      .slice(from, from + ALIASES)
      .map((a) => `($1, $2, $3, $4, $${values.push(a.origId)}, $${values.push(a.id)}, $${values.push(a.keptOrigId)})`)
    await db.query(
      `insert into record_aliases (instance_id, company_id, service_id, entity, orig_id, id, kept_orig_id) values ${rows.join(', ')}
       on conflict do nothing`,
      values,
    )
  }
}

/** First day from which a run listed an account's transactions under new ids. */
export interface MovementWindow {
  account: string
  from: string | null
}

/** Renamed accounts with the time of their newest id. */
const RENAMED = `renamed as (select kept_orig_id as account, max(created_at) as since from record_aliases
  where ${SCOPE} and entity = 'Accounts' group by kept_orig_id)`

/** Columns of a transaction's document, parsed once per row. */
const MOVEMENT = `d("origId" text, "accountOrigId" text, "postedOn" text, "transactionOn" text, amount text, debit text, credit text,
  currency text, "isPending" text, description text)`
const DAY = `coalesce(d."postedOn", d."transactionOn")`
/** Match key of a transaction whose id changed. */
const KEY = `row(d."accountOrigId", ${DAY}, d.amount, d.debit, d.credit, d.currency, d."isPending", d.description)::text`

const TRANSACTIONS = { entity: "'Transactions'" }
const STAGED = `s.instance_id = $1 and s.run_id = $4 and ${ofCompany('s.company_id', '$2')} and s.seq >= 0 and s.entity = 'Transactions'`

/** Staged, never published transactions of renamed accounts. */
const FRESH = `fresh as materialized (select s.id, s.orig_id, s.raw_page_id, d."accountOrigId" as account, ${DAY} as day, ${KEY} as key
  from staged_records s cross join lateral json_to_record(s.doc::json) as ${MOVEMENT}
  where ${STAGED} and s.doc is not null
    and d."accountOrigId" in (select account from renamed)
    and not exists (select from record_versions r where ${inRecordSet('r', TRANSACTIONS)} and r.id = s.id and r.valid_to is null))`

/** Published transactions of renamed accounts that have no newer id yet. */
const LEFT = `remaining as materialized (select r.id, r.orig_id, r.raw_page_id, r.raw_index, r.mapping_version, r.deleted,
    d."origId" as kept, renamed.account, ${DAY} as day, d."isPending" = 'true' as pending, ${KEY} as key
  from record_versions r cross join lateral json_to_record(r.doc::json) as ${MOVEMENT}
    join renamed on renamed.account = d."accountOrigId"
  where ${inRecordSet('r', TRANSACTIONS)} and r.valid_to is null
    and (r.deleted or r.valid_from < renamed.since)
    and not exists (select from record_aliases a where a.instance_id = $1 and a.company_id = $2 and a.service_id = $3
      and a.entity = 'Transactions' and a.id = r.id and a.created_at >= renamed.since)
    and not exists (select from staged_records s where ${STAGED} and s.id = r.id))`

/**
 * Runs a statement that compares two whole sets. NOTE freshly staged rows have no statistics: the planner expects one
 * or two and would choose a nested loop.
 */
async function compareSets<Row extends QueryResultRow>(db: Db, text: string, values: unknown[]): Promise<Row[]> {
  await db.query('set local enable_nestloop = off')
  const { rows } = await db.query<Row>(text, values)
  await db.query('set local enable_nestloop = on')
  return rows
}

export async function listFreshWindows(db: Db, scope: RecordScope, runId: string): Promise<MovementWindow[]> {
  return await compareSets<MovementWindow>(db, `with ${RENAMED}, ${FRESH} select account, min(day) as "from" from fresh group by account`, [
    ...scopeValues(scope),
    runId,
  ])
}

/**
 * Transaction matching: recognizes the transactions that a renamed account lists under new ids, by account, day, amount
 * and description, one to one, so that two equal ones stay two. Removes them from the staged records; returns their
 * number and the raw pages to stage again.
 */
export async function aliasMovements(db: Db, scope: RecordScope, runId: string): Promise<{ count: number; rawPageIds: string[] }> {
  const [known] = await compareSets<{ count: number; rawPageIds: string[] }>(
    db,
    `with ${RENAMED}, ${FRESH}, ${LEFT},
       coming as materialized (select *, row_number() over (partition by key order by orig_id) as n from fresh),
       known as materialized (select *, row_number() over (partition by key order by deleted, orig_id) as n from remaining),
       pairs as (select coming.id as staged_id, coming.orig_id, coming.raw_page_id, known.id, known.kept from coming join known using (key, n)),
       made as (insert into record_aliases (instance_id, company_id, service_id, entity, orig_id, id, kept_orig_id)
         select $1, $2, $3, 'Transactions', orig_id, id, kept from pairs on conflict do nothing),
       gone as (delete from staged_records s using pairs
         where ${STAGED} and s.id = pairs.staged_id)
     select count(*)::int as count, coalesce(array_agg(distinct raw_page_id), '{}') as "rawPageIds" from pairs`,
    [...scopeValues(scope), runId],
  )
  return known ?? { count: 0, rawPageIds: [] }
}

/**
 * Stages the removal of transactions that a renamed account no longer lists: those from the first day of a window on,
 * and pending ones, which are never booked under their old ids.
 */
export async function stageStaleMovements(db: Db, scope: RecordScope, runId: string, windows: MovementWindow[]): Promise<void> {
  if (windows.length === 0) return
  await compareSets(
    db,
    `insert into staged_records (instance_id, run_id, entity, orig_id, seq, id, raw_page_id, raw_index, mapping_version, company_id)
     with ${RENAMED}, ${LEFT}
     select $1, $4, 'Transactions', remaining.orig_id, 0, remaining.id, remaining.raw_page_id, raw_index, mapping_version, ${db.isDistributed ? 'own_run.company_id' : '$2'}
     from remaining join unnest($5::text[], $6::text[]) as w (account, first_day) using (account)
       ${db.isDistributed ? 'join sync_runs own_run on own_run.instance_id = $1 and own_run.id = $4 and own_run.company_id = $2' : ''}
     where not remaining.deleted and (remaining.pending or remaining.day >= w.first_day)`,
    [...scopeValues(scope), runId, windows.map((w) => w.account), windows.map((w) => w.from)],
  )
}
