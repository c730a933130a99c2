import { v5 as uuidv5 } from 'uuid'
import { recordChange } from '../../audit/record.ts'
import { lockLinks } from '../../store/connections/links.ts'
import { type Database, inTransaction } from '../../store/db/database.ts'
import { noteInstitutionRequest } from '../../store/sources/institutions.ts'
import { LinkAlreadyUsed } from './errors.ts'
import { LinkLimitReached, type OpenLink } from './link.ts'

/**
 * Records a bank that an owner could not find; returns the request's id. Throws `LinkAlreadyUsed`, `LinkLimitReached`.
 */
export async function recordMissingBank(
  database: Database,
  { link, service, company }: OpenLink,
  bank: { name: string; country: string; website: string },
): Promise<string> {
  const { instanceId } = link
  const id = missingBankId(link, bank.name)
  await inTransaction(database, async (db) => {
    if (!(await lockLinks(db, instanceId, link.id))) throw new LinkAlreadyUsed('the link was used up')
    const noted = await noteInstitutionRequest(db, instanceId, link.id, {
      id,
      serviceId: service.id,
      name: bank.name,
      country: bank.country,
      url: bank.website,
      note: '',
      // Owners have no user account, so the business is recorded instead.
      requestedBy: company.name,
    })
    if (!noted) throw new LinkLimitReached('so many banks were named with the link')
    const after = { ...bank, serviceId: service.id, url: bank.website }
    await recordChange(db, { instanceId, action: 'institution.requested', subject: `institution-request/${id}`, after })
  })
  return id
}

/** The same bank requested twice with one link is one request; each link has its own. */
export function missingBankId(link: { id: string }, name: string): string {
  return uuidv5(name.toLowerCase(), link.id)
}
