import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Access } from '../../access/access.ts'
import { endSessionsOfMember, resetTwoStep } from '../../access/account/sign-in-rules.ts'
import { admins } from '../../access/caller.ts'
import { route, routes } from '../../http/route.ts'
import { NoContent, strict, Uuid } from '../../schemas/schemas.ts'

const tags = ['Users']
const params = strict({ userId: Uuid })

/** What admins do about the second step and the sessions of other users. */
export function memberAccessRoutes(access: Access): FastifyPluginAsyncTypebox {
  return routes(access, [resetTwoStepRoute, endUserSessionsRoute])
}

const resetTwoStepRoute = route(
  {
    method: 'DELETE',
    url: '/users/:userId/two-step',
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: 'user.two-step-reset',
    schema: {
      tags,
      operationId: 'resetUserTwoStep',
      summary: 'Take the second step from a user who has lost it',
      description:
        'The user is told by mail and all sessions of the user end. The password then logs in, and sets up another second step where the ' +
        'instance requires one: make sure of who asks. 409 for a user without a second step, and for the own account.',
      params,
      response: { 204: NoContent },
    },
  },
  async (access: Access, request, reply) => {
    await resetTwoStep(access, request.user, request.params.userId)
    return reply.code(204).send(null)
  },
)

const endUserSessionsRoute = route(
  {
    method: 'DELETE',
    url: '/users/:userId/sessions',
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: 'user.sessions-ended',
    schema: {
      tags,
      operationId: 'endUserSessions',
      summary: 'End all sessions of a user',
      params,
      response: { 200: strict({ ended: Type.Integer({ description: 'How many sessions have ended' }) }) },
    },
  },
  async (access: Access, request) => ({ ended: await endSessionsOfMember(access, request.user, request.params.userId) }),
)
