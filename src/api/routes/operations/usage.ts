import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { statusName } from '../../../model/statuses.ts'
import { readUsage } from '../../../store/access/usage.ts'
import type { Database } from '../../../store/db/database.ts'
import { admins, readers } from '../../access/caller.ts'
import { route, routes } from '../../http/route.ts'
import { QuotaShape, readQuotas } from '../../schemas/quotas.ts'
import { ConnectionStatus, strict } from '../../schemas/schemas.ts'

const MAX_DAYS = 92

const Day = Type.String({ description: 'A UTC day', examples: ['2026-11-20'] })
const Count = Type.Integer({ minimum: 0 })
const UsageShape = strict(
  {
    from: Day,
    to: Day,
    api: Type.Array(
      strict({ day: Day, operation: Type.String({ examples: ['listBankingAccounts'] }), status: Type.Integer(), count: Count }),
    ),
    runs: Type.Array(strict({ day: Day, state: Type.String({ examples: ['published'] }), count: Count })),
    deliveries: Type.Array(strict({ day: Day, status: Type.String({ enum: ['pending', 'delivered', 'failed'] }), count: Count })),
    connections: Type.Array(strict({ statusCode: ConnectionStatus, statusName: Type.String(), count: Count })),
  },
  { title: 'Usage' },
)

/** Usage of an instance. */
export function usageRoutes(database: Database): FastifyPluginAsyncTypebox {
  return routes(database, [getUsageRoute, listQuotasRoute])
}

const getUsageRoute = route(
  {
    method: 'GET',
    url: '/usage',
    replica: true,
    scope: 'operations:read',
    roles: readers,
    schema: {
      tags: ['Usage'],
      summary: 'API requests, syncs and deliveries by day, and connections by status',
      description:
        'Requests are counted in memory and written every ten seconds. Kept for 92 days. Connections, and runs and deliveries of the last two days, are counted at most once a minute if there are more than 10,000.',
      operationId: 'getUsage',
      querystring: strict({ Days: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DAYS, default: 30 })) }),
      response: { 200: UsageShape },
    },
  },
  async (database: Database, request) => {
    const usage = await readUsage(database, request.caller.instanceId, request.query.Days ?? 30)
    const connections = usage.connections.map((each) => ({ ...each, statusName: statusName(each.statusCode) }))
    return { ...usage, connections }
  },
)

const listQuotasRoute = route(
  {
    method: 'GET',
    url: '/usage/quotas',
    scope: 'operations:read',
    roles: admins,
    schema: {
      tags: ['Usage'],
      summary: 'What the instance may have, and how much of it is used',
      description:
        'Beyond a bound the API answers 409, or 429 for requests, with the name of the quota. Whoever runs the deployment sets the bounds. What is used is counted at most once a minute where that means more than 10,000 rows; a refusal goes by what is there.',
      operationId: 'listQuotas',
      response: { 200: Type.Array(QuotaShape) },
    },
  },
  async (database: Database, request) => await readQuotas(database, request.caller.instanceId),
)
