import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Category, Entity } from '../../../model/catalogue.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import { explainRecord } from '../../../sync/explain/explain.ts'
import { findService } from '../../../sync/sources/catalogue.ts'
import { type Caller, readers } from '../../access/caller.ts'
import { notFound } from '../../errors/errors.ts'
import { InstantParameter, readInstant } from '../../lists/instant-parameter.ts'
import { strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { checkAsOf } from './as-of.ts'
import { ExplanationShape, presentExplanation } from './explanation-schemas.ts'

const RecordId = Type.String({
  minLength: 1,
  maxLength: 400,
  description: 'The normalized id, or the `origId`: bank accounts are listed without a normalized id',
})

interface ExplainedRecord {
  category: Category
  entity: Entity
  recordId: string
}

interface RecordRequest {
  caller: Caller
  params: { companyId: string; serviceId: string }
  query: { asOf?: string }
}

/** Provenance of each field of a published record. */
export function explanationRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  async function explain({ caller, params, query }: RecordRequest, reply: FastifyReply, { category, entity, recordId }: ExplainedRecord) {
    const scope = { instanceId: caller.instanceId, companyId: params.companyId.toLowerCase(), serviceId: params.serviceId.toLowerCase() }
    const asOf = readInstant('asOf', query.asOf)
    if (!(await findCompany(deps.database, scope.instanceId, scope.companyId))) throw notFound('company')
    const service = await findService(deps.database, deps.sync.sources, scope.instanceId, scope.serviceId)
    if (service?.category !== category) throw notFound('service')
    const explanation = await explainRecord(deps.sync.database, deps.sync, scope, service, { entity, recordId, asOf })
    await checkAsOf(deps.database, asOf)
    if (!explanation) throw notFound(entity === 'Accounts' ? 'account' : 'transaction')
    // Serialized text: the schema would print numbers as doubles.
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(Buffer.from(JSON.stringify(presentExplanation(explanation))))
  }

  const schemaOf = (category: Category, entity: Entity) => ({
    tags: ['Data'],
    summary: `How each field of ${category === 'Banking' ? 'a bank' : 'an accounting'} ${entity === 'Accounts' ? 'account' : 'transaction'} came about`,
    description:
      'Raw paths and values, the rule that was applied, the run and the raw page; and whether the current mapping gives the same.',
    operationId: `explain${category}${entity === 'Accounts' ? 'Account' : 'Transaction'}`,
    querystring: strict({ asOf: InstantParameter }),
    response: { 200: ExplanationShape },
  })

  return async (app) => {
    for (const [category, segment] of [
      ['Accounting', 'accountancy'],
      ['Banking', 'banking'],
    ] as const) {
      app.get(
        `/normalized-data/:companyId/${segment}/accounts/:serviceId/:accountId/explanation`,
        {
          config: { roles: readers, scope: 'data:read' },
          schema: { ...schemaOf(category, 'Accounts'), params: strict({ companyId: Uuid, serviceId: Uuid, accountId: RecordId }) },
        },
        async (request, reply) => await explain(request, reply, { category, entity: 'Accounts', recordId: request.params.accountId }),
      )
      app.get(
        `/normalized-data/:companyId/${segment}/transactions/:serviceId/:transactionId/explanation`,
        {
          config: { roles: readers, scope: 'data:read' },
          schema: { ...schemaOf(category, 'Transactions'), params: strict({ companyId: Uuid, serviceId: Uuid, transactionId: RecordId }) },
        },
        async (request, reply) =>
          await explain(request, reply, { category, entity: 'Transactions', recordId: request.params.transactionId }),
      )
    }
  }
}
