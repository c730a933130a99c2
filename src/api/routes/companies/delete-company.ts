import { recordChange } from '../../../audit/record.ts'
import { placeReplicatedChanges } from '../../../store/changes/replications.ts'
import { deleteCompany, findCompany } from '../../../store/connections/companies.ts'
import { type Database, inTransaction } from '../../../store/db/database.ts'
import { listUnreached } from '../../../store/exports/unreached.ts'
import { operators } from '../../access/caller.ts'
import { conflict, notFound } from '../../errors/errors.ts'
import { route } from '../../http/route.ts'
import { NoContent, strict, Uuid } from '../../schemas/schemas.ts'

export const deleteCompanyRoute = route(
  {
    method: 'DELETE',
    url: '/normalized-data/companies/:companyId',
    scope: 'companies:write',
    roles: operators,
    audit: 'company.deleted',
    schema: {
      tags: ['Companies'],
      summary: 'Remove a company that has no active connection, with its events',
      operationId: 'deleteCompany',
      params: strict({ companyId: Uuid }),
      response: { 204: NoContent },
    },
  },
  async (database: Database, request, reply) => {
    const { instanceId } = request.caller
    const { companyId } = request.params
    if (!(await findCompany(database, instanceId, companyId))) throw notFound('company')
    await placeReplicatedChanges(database, instanceId)
    const outcome = await inTransaction(database, async (db) => {
      const before = await findCompany(db, instanceId, companyId)
      const unreached = await listUnreached(db, instanceId, { companyId, serviceId: null, databases: 'behind' })
      const done = await deleteCompany(db, instanceId, companyId)
      const details = unreached.length === 0 ? {} : { details: { unreached: unreached.map(({ place }) => place).join(' ') } }
      if (done === 'deleted')
        await recordChange(db, { instanceId, action: 'company.deleted', subject: `company/${companyId}`, before, ...details })
      return done
    })
    if (outcome === 'unknown') throw notFound('company')
    if (outcome === 'connected') throw conflict('The company has connections. Disconnect them first.')
    if (outcome === 'erasing')
      throw conflict('Data of the company is still being erased, here or where an export was delivered. Try again later.')
    reply.code(204)
    return null
  },
)
