import type { Json } from '../../model/values/json.ts'
import type { Db } from '../db/database.ts'
import { enqueueJob } from '../jobs/jobs.ts'

/** Company of an instance. */
export interface CompanyScope {
  instanceId: string
  companyId: string
}

/** Two accounts of a company, at two services, that are one account. */
export interface StoredMatch {
  accountId: string
  serviceId: string
  otherAccountId: string
  otherServiceId: string
  /** Codes with their parts. */
  reasons: Json
}

/** Queues the comparison of a company's accounts, after the transaction that changes what there is to compare. */
export async function queueAccountMatching(db: Db, { instanceId, companyId }: CompanyScope): Promise<void> {
  await enqueueJob(db, { instanceId, kind: 'accountMatches', key: `accountMatches/${instanceId}/${companyId}`, payload: { companyId } })
}

export async function listAccountMatches(db: Db, { instanceId, companyId }: CompanyScope): Promise<StoredMatch[]> {
  const { rows } = await db.query<StoredMatch>(
    `select account_id as "accountId", service_id as "serviceId", other_account_id as "otherAccountId", other_service_id as "otherServiceId", reasons
     from account_matches where instance_id = $1 and company_id = $2 order by account_id, other_account_id`,
    [instanceId, companyId],
  )
  return rows
}

/** Replaces the matches of a company; those that stay keep their row. A company that is gone has none. */
export async function replaceAccountMatches(
  db: Db,
  { instanceId, companyId }: CompanyScope,
  matches: readonly StoredMatch[],
): Promise<void> {
  const json = JSON.stringify(matches.map(inOrder))
  await db.query(
    `delete from account_matches m where instance_id = $1 and company_id = $2 and not exists (
       select from jsonb_to_recordset($3::jsonb) as n ("accountId" uuid, "otherAccountId" uuid)
       where n."accountId" = m.account_id and n."otherAccountId" = m.other_account_id)`,
    [instanceId, companyId, json],
  )
  await db.query(
    `insert into account_matches as m (instance_id, company_id, account_id, service_id, other_account_id, other_service_id, reasons)
     select c.instance_id, c.id, n."accountId", n."serviceId", n."otherAccountId", n."otherServiceId", n.reasons
     from (select instance_id, id from companies where instance_id = $1 and id = $2 for key share) c
     cross join jsonb_to_recordset($3::jsonb) as n ("accountId" uuid, "serviceId" uuid, "otherAccountId" uuid, "otherServiceId" uuid, reasons jsonb)
     on conflict (instance_id, company_id, account_id, other_account_id) do update set reasons = excluded.reasons
       where m.reasons is distinct from excluded.reasons`,
    [instanceId, companyId, json],
  )
}

/** Deletes the matches of a company's accounts at one service. */
export async function deleteMatchesOfService(db: Db, { instanceId, companyId }: CompanyScope, serviceId: string): Promise<void> {
  await db.query('delete from account_matches where instance_id = $1 and company_id = $2 and (service_id = $3 or other_service_id = $3)', [
    instanceId,
    companyId,
    serviceId,
  ])
}

function inOrder(match: StoredMatch): StoredMatch {
  if (match.accountId < match.otherAccountId) return match
  const { accountId, serviceId, otherAccountId, otherServiceId, reasons } = match
  return { accountId: otherAccountId, serviceId: otherServiceId, otherAccountId: accountId, otherServiceId: serviceId, reasons }
}
