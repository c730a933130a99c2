import { FIRST_ID } from '../../model/values/first-id.ts'
import type { Locale } from '../../model/values/text.ts'
import type { Db } from '../db/database.ts'
import { batchedScan } from '../retention/batched-scan.ts'

/** Mail address of a company's owner for receipts and reminders. */
export interface OwnerAddress {
  instanceId: string
  companyId: string
  /** Sealed. */
  address: Uint8Array
  locale: Locale
}

/** One per company; the newest replaces the others. */
export async function saveOwnerAddress(db: Db, { instanceId, companyId, address, locale }: OwnerAddress): Promise<void> {
  await db.query(
    `insert into owner_addresses (instance_id, company_id, address, locale) values ($1, $2, $3, $4)
     on conflict (instance_id, company_id) do update set address = $3, locale = $4, noted_at = clock_timestamp()`,
    [instanceId, companyId, address, locale],
  )
}

export async function findOwnerAddress(db: Db, instanceId: string, companyId: string): Promise<OwnerAddress | null> {
  const { rows } = await db.query<OwnerAddress>(
    `select instance_id as "instanceId", company_id as "companyId", address, locale from owner_addresses
     where instance_id = $1 and company_id = $2`,
    [instanceId, companyId],
  )
  return rows[0] ?? null
}

export async function deleteOwnerAddress(db: Db, instanceId: string, companyId: string): Promise<void> {
  await db.query('delete from owner_addresses where instance_id = $1 and company_id = $2', [instanceId, companyId])
}

/** Addresses read by one step. */
const STEP_ROWS = 1_000

interface AddressPosition {
  instanceId: string
  companyId: string
}

/**
 * Retention: deletes the addresses of companies without a connection for 30 days. Each run reads at most 100,000, and
 * the next one continues after them. Returns the number of deletions.
 */
export function ownerAddressRetention(db: Db): () => Promise<number> {
  const start: AddressPosition = { instanceId: FIRST_ID, companyId: FIRST_ID }
  return batchedScan(start, async (from) => {
    const { rows } = await db.query<{ deleted: number; seen: number; end: AddressPosition }>(
      `with step as materialized (select instance_id, company_id, noted_at from owner_addresses where (instance_id, company_id) > ($1, $2)
             order by instance_id, company_id limit ${STEP_ROWS}),
           unneeded as materialized (select s.instance_id, s.company_id from step s
             cross join lateral (select count(*) as active from (select from connections c where c.instance_id = s.instance_id and c.company_id = s.company_id
               and c.entity_id is not null and (c.status <> 26 or c.updated_at > statement_timestamp() - interval '30 days') limit 1) one) c
             where s.noted_at < statement_timestamp() - interval '30 days' and c.active = 0),
           gone as (delete from owner_addresses a using unneeded u where a.instance_id = u.instance_id and a.company_id = u.company_id returning 1)
         select (select count(*) from gone)::int as deleted, (select count(*) from step)::int as seen,
           (select json_build_object('instanceId', instance_id, 'companyId', company_id) from step order by instance_id desc, company_id desc limit 1) as end`,
      [from.instanceId, from.companyId],
    )
    const [row] = rows
    return { count: row?.deleted ?? 0, next: row?.seen === STEP_ROWS ? row.end : null }
  })
}
