import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { findMcpAccess, saveMcpAccess } from '../../../store/access/mcp-access.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { admins } from '../../access/caller.ts'
import { route, routes } from '../../http/route.ts'
import { strict } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'

const tags = ['Users']

const isEnabled = Type.Boolean({
  description: 'Whether assistants may read data at `/mcp`, each with an API key and its scopes. Off until an administrator turns it on',
})
const AccessShape = strict({ isEnabled }, { title: 'McpAccess' })

type McpAccessDeps = Pick<RouteDeps, 'database' | 'now'>

/** Setting that turns the Model Context Protocol on or off for an instance. */
export function mcpAccessRoutes(deps: McpAccessDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [getMcpAccessRoute, updateMcpAccessRoute])
}

const getMcpAccessRoute = route(
  {
    method: 'GET',
    url: '/instance/mcp-access',
    scope: 'users',
    roles: admins,
    schema: {
      tags,
      operationId: 'getMcpAccess',
      summary: 'Whether assistants may read the instance’s data',
      response: { 200: AccessShape },
    },
  },
  async ({ database }: McpAccessDeps, request) => await findMcpAccess(database, request.user.instanceId),
)

const updateMcpAccessRoute = route(
  {
    method: 'PUT',
    url: '/instance/mcp-access',
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: 'mcp.access-changed',
    schema: {
      tags,
      operationId: 'updateMcpAccess',
      summary: 'Let assistants read the instance’s data, or no longer',
      description:
        'Turns the Model Context Protocol server at `/mcp` on or off for this instance. Assistants read with an API key, within its ' +
        'scopes and limits, and change nothing. Turned off, it answers their next call with a 403. 403 for any role but an administrator.',
      body: strict({ isEnabled }),
      response: { 200: AccessShape },
    },
  },
  async ({ database, now }: McpAccessDeps, { user: { instanceId }, body }) =>
    await inTransaction(database, async (db) => {
      const before = await saveMcpAccess(db, instanceId, body, now())
      const after = { isEnabled: body.isEnabled }
      if (before.isEnabled !== after.isEnabled)
        await recordChange(db, { instanceId, action: 'mcp.access-changed', subject: null, before, after })
      return after
    }),
)
