import { withQuery } from '../../api/client.ts'
import type { Category } from '../../api/generated/types.ts'

export interface ConnectionKey {
  companyId: string
  serviceId: string
}

export function connectionPath({ companyId, serviceId }: ConnectionKey): string {
  return `/normalized-data/company/${encodeURIComponent(companyId)}/data-connection/${encodeURIComponent(serviceId)}`
}

const SEGMENTS: Record<Category, string> = { Accounting: 'accountancy', Banking: 'banking' }

export function dataPath({ companyId, serviceId }: ConnectionKey, category: Category, entity: 'accounts' | 'transactions'): string {
  return `/normalized-data/${encodeURIComponent(companyId)}/${SEGMENTS[category]}/${entity}/${encodeURIComponent(serviceId)}`
}

/** Address of the page that explains one record. */
export function explanationHref(
  { companyId, serviceId }: ConnectionKey,
  recordId: string,
  entity: 'accounts' | 'transactions',
  asOf: string | null,
): string {
  return withQuery(`/companies/${companyId}/connections/${serviceId}/records/${encodeURIComponent(recordId)}`, { entity, asOf })
}
