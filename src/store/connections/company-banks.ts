import type { Db } from '../db/database.ts'

/** Active connection of a company to a bank, or to files of banks. */
export interface BankConnection {
  id: string
  serviceId: string
  entityName: string
  createdAt: Date
}

/** Connections of a company in the category Banking that are authorized and have not ended, oldest first. */
export async function listCompanyBanks(
  db: Db,
  { instanceId, companyId }: { instanceId: string; companyId: string },
): Promise<BankConnection[]> {
  const { rows } = await db.query<BankConnection>(
    `select id, service_id as "serviceId", coalesce(entity_name, '') as "entityName", created_at as "createdAt" from connections
     where instance_id = $1 and company_id = $2 and category = 'Banking' and status <> 26 and entity_id is not null order by created_at, id`,
    [instanceId, companyId],
  )
  return rows
}
