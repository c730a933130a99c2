import { randomUUID } from 'node:crypto'
import { createInstance } from '../../../src/store/access/instances.ts'
import { createCompany } from '../../../src/store/connections/companies.ts'
import type { Database } from '../../../src/store/db/database.ts'

export const ISSUER = 'dev@example.com'

/** Adds a customer of the deployment; returns its id. */
export async function addInstance(database: Database, name = 'Test Lender', id: string = randomUUID()): Promise<string> {
  await createInstance(database, { id, name })
  return id
}

/** Adds a company of a customer; returns its id. */
export async function addCompany(
  database: Database,
  instanceId: string,
  { id = randomUUID(), name = 'Boulangerie du Plateau', country = 'CA', city = 'Montréal' } = {},
): Promise<string> {
  await createCompany(database, instanceId, id, { name, industry: '', fullAddress: '', country, city, companyContactNumber: '' })
  return id
}
