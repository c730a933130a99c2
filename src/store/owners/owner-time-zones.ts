import { UTC } from '../../model/values/dates.ts'
import type { Db } from '../db/database.ts'

/** Time zone for mails to a business: of its newest consent, else the one set by its instance, else UTC. */
export async function findOwnerTimeZone(db: Db, { instanceId, companyId }: { instanceId: string; companyId: string }): Promise<string> {
  const { rows } = await db.query<{ zone: string | null }>(
    `select coalesce(
       (select time_zone from consents where instance_id = $1 and company_id = $2 and time_zone is not null order by given_at desc, id limit 1),
       (select time_zone from owner_pages where instance_id = $1)) as zone`,
    [instanceId, companyId],
  )
  return rows[0]?.zone ?? UTC
}
