import type { Sources } from '../../../connectors/sources.ts'
import type { Category } from '../../../model/catalogue.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import type { Db } from '../../../store/db/database.ts'
import type { RecordScope } from '../../../store/records/records.ts'
import { findService, type Service } from '../../../sync/sources/catalogue.ts'
import { notFound } from '../../errors/errors.ts'

/** Reason why there is nothing to read. */
export async function explainEmpty(db: Db, sources: Sources, category: Category, scope: RecordScope): Promise<Error> {
  if (!(await findCompany(db, scope.instanceId, scope.companyId))) return notFound('company')
  const service: Service | null = await findService(db, sources, scope.instanceId, scope.serviceId)
  if (!service || service.category !== category) return notFound('service')
  return notFound('published data: the company is not connected to this service, or its first sync has not finished')
}
