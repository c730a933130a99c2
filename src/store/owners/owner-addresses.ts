import type { Locale } from '../../model/values/text.ts'
import type { Db } from '../db/database.ts'

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

/** Retention: deletes the addresses of companies without a connection for 30 days; returns their number. */
export async function forgetOwnerAddresses(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    `delete from owner_addresses a where a.noted_at < statement_timestamp() - interval '30 days' and not exists (
       select 1 from connections c where c.instance_id = a.instance_id and c.company_id = a.company_id and c.entity_id is not null
         and (c.status <> 26 or c.updated_at > statement_timestamp() - interval '30 days'))`,
  )
  return rowCount ?? 0
}
