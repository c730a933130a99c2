import type { Db } from '../db/database.ts'
import type { CompanyScope } from './account-matches.ts'
import { inRecordSet, type RecordScope, scopeValues, visibleFrom } from './records.ts'

/** Bank account of a company at one of its services, as it is published. */
export interface CompanyAccountRow {
  /** Id of the record. */
  id: string
  serviceId: string
  connectionId: string
  /** JSON text. */
  doc: string
  rawPageId: string | null
  rawIndex: number
}

/**
 * Bank accounts of a company at all services that readers see, in the order of services, numbers and names; as
 * published at `asOf`, or now.
 */
export async function listBankAccountsOfCompany(db: Db, company: CompanyScope, asOf: Date | null): Promise<CompanyAccountRow[]> {
  const shownFrom = visibleFrom(db, 'r', ['$1', '$2', 'r.service_id'])
  const values: unknown[] = [company.instanceId, company.companyId, ...(asOf === null ? [] : [asOf])]
  const services = db.isDistributed
    ? `select service_id as id from publications where instance_id = $1 and company_id = $2
         and service_id = any ($${values.push(await listBanks(db, company))}::uuid[])`
    : `select distinct c.service_id as id from connections c
       join publications p on p.instance_id = c.instance_id and p.company_id = $2 and p.service_id = c.service_id
       where c.instance_id = $1 and c.company_id = $2 and c.category = 'Banking'`
  const { rows } = await db.query<CompanyAccountRow>(
    `with s as materialized (${services})
     select r.id, r.service_id as "serviceId", r.connection_id as "connectionId", r.doc, r.raw_page_id as "rawPageId", r.raw_index as "rawIndex"
     from record_versions r where r.instance_id = $1 and r.company_id = $2 and r.entity = 'Accounts'
       and r.record_set = any ((select array_agg(record_set_key($2, s.id, 'Accounts')) from s)::bigint[])
       and not r.deleted and ${asOf === null ? 'r.valid_to is null' : `${shownFrom} <= $3 and (r.valid_to is null or r.valid_to > $3)`}
     order by r.service_id, r.sort_key, r.id`,
    values,
  )
  return rows
}

/** Services at which a company has connected a bank. */
async function listBanks(db: Db, { instanceId, companyId }: CompanyScope): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select distinct service_id as id from connections where instance_id = $1 and company_id = $2 and category = 'Banking' and service_id is not null`,
    [instanceId, companyId],
  )
  return rows.map(({ id }) => id)
}

/** Booked transaction, as two sources are compared by it. */
export interface BookedMovement {
  accountOrigId: string
  /** `YYYY-MM-DD`. */
  day: string
  amount: string
  text: string
}

/** The newest booked transactions of one service, newest first. */
export async function listNewestMovements(db: Db, scope: RecordScope, limit: number): Promise<BookedMovement[]> {
  const { rows } = await db.query<BookedMovement>(
    `select d."accountOrigId", coalesce(d."postedOn", d."transactionOn") as day, d.amount, concat_ws(' ', d.description, d.counterparty) as text
     from (select r.doc, r.sort_key, r.id from record_versions r where ${inRecordSet('r', { entity: "'Transactions'" })}
         and r.valid_to is null and not r.deleted order by r.sort_key desc, r.id desc limit $4) r
     cross join lateral json_to_record(r.doc::json) as d ("accountOrigId" text, "postedOn" text, "transactionOn" text, amount text,
       description text, counterparty text, "isPending" boolean)
     where not d."isPending" and coalesce(d."postedOn", d."transactionOn") is not null
     order by r.sort_key desc, r.id desc`,
    [...scopeValues(scope), limit],
  )
  return rows
}
