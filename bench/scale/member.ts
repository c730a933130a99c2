import { randomUUID } from 'node:crypto'
import { createCompany } from '../../src/store/connections/companies.ts'
import { beginAuthorization, submitForm } from '../../src/sync/authorize/authorize.ts'
import { issueLink, openLink } from '../../src/sync/links/link.ts'
import type { Deployment, Tenant } from '../deployment.ts'

/** Milliseconds of each step of linking. */
export interface LinkTimes {
  issueMs: number
  openMs: number
  authorizeMs: number
}

/** Adds a company to an instance and links its bank by the real code; nothing is synced yet. */
export async function addMember(deployment: Deployment, instanceId: string, customer: string): Promise<Tenant & { times: LinkTimes }> {
  const { sync, database, serviceId } = deployment
  const companyId = randomUUID()
  const details = { industry: '', fullAddress: '', country: 'CA', city: 'Montréal', companyContactNumber: '' }
  await createCompany(database, instanceId, companyId, { name: customer, ...details })
  const marks = [performance.now()]
  const mark = (): number => marks.push(performance.now())
  const address = await issueLink(sync, { instanceId, companyId, serviceId, issuedBy: 'bench@example.com' })
  mark()
  const open = await openLink(sync, new URL(address).searchParams.get('token') ?? '')
  if (!open) throw new Error('the link cannot be opened')
  mark()
  const { connectionId } = await beginAuthorization(sync.database, open)
  await submitForm(sync, open, connectionId, { customer })
  mark()
  const [issueMs = 0, openMs = 0, authorizeMs = 0] = marks.slice(1).map((at, index) => at - (marks[index] ?? 0))
  return { instanceId, companyId, connectionId, times: { issueMs, openMs, authorizeMs } }
}
