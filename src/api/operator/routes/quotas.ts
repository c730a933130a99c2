import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { QUOTA_NAMES } from '../../../store/operators/quotas.ts'
import { route, routes } from '../../http/route.ts'
import { QuotaShape, readQuotas } from '../../schemas/quotas.ts'
import { orNull, strict, Uuid } from '../../schemas/schemas.ts'
import { changeQuotas, getInstance } from '../instances.ts'
import { contextOf, type OperatorDeps } from './shapes.ts'

const tags = ['Instances']
const params = strict({ instanceId: Uuid })
const MOST = 1_000_000_000_000_000
const Bound = Type.Optional(orNull(Type.Integer({ minimum: 0, maximum: MOST, description: 'Null: that of the deployment' })))

/** Quotas of an instance. */
export function quotaRoutes(deps: OperatorDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [listQuotasRoute, setQuotasRoute])
}

const listQuotasRoute = route(
  {
    method: 'GET',
    url: '/instances/:instanceId/quotas',
    operator: 'open',
    observed: ['used', 'isNear'],
    schema: {
      tags,
      operationId: 'listInstanceQuotas',
      summary: 'What an instance may have, and how much of it is used',
      params,
      response: { 200: Type.Array(QuotaShape) },
    },
  },
  async ({ database }: OperatorDeps, { params: { instanceId } }) => {
    await getInstance(database, instanceId)
    return await readQuotas(database, instanceId)
  },
)

const setQuotasRoute = route(
  {
    method: 'PUT',
    url: '/instances/:instanceId/quotas',
    operator: 'open',
    audit: 'instance.quotas-changed',
    schema: {
      tags,
      operationId: 'setInstanceQuotas',
      summary: 'Set bounds of an instance',
      description: 'Those that are left out stay. Below what is used, everything stays that is there, and nothing more is admitted.',
      params,
      body: strict(Object.fromEntries(QUOTA_NAMES.map((name) => [name, Bound])), { examples: [{ companies: 500 }], minProperties: 1 }),
      response: { 200: Type.Array(QuotaShape) },
    },
  },
  async (deps: OperatorDeps, { params: { instanceId }, body }) => {
    await changeQuotas(contextOf(deps), instanceId, body)
    return await readQuotas(deps.database, instanceId)
  },
)
