import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { Session } from '../../../store/access/sessions.ts'
import type { Access } from '../../access/access.ts'
import { endOwnSession, getOwnSession, listOwnSessions } from '../../access/account/own-sessions.ts'
import { readers, type UserCaller } from '../../access/caller.ts'
import { route, routes } from '../../http/route.ts'
import { NoContent, orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

const tags = ['Account']
const params = strict({ sessionId: Uuid })

const SessionShape = strict(
  {
    id: Uuid,
    isCurrent: Type.Boolean({ description: 'Whether this request belongs to it' }),
    network: orNull(Type.String({ description: 'Address of the last login or refresh, of IPv6 its network; null: not known' })),
    agent: orNull(
      Type.String({
        description: 'Browser and system, without versions; empty: another program; null: not known',
        examples: ['Firefox, Linux'],
      }),
    ),
    createdOn: PlainTimestamp,
    lastUsedOn: Type.String({ ...PlainTimestamp, description: 'When it was last refreshed, or opened' }),
    expiresOn: PlainTimestamp,
  },
  { title: 'Session' },
)

/** The caller's own sessions. */
export function sessionRoutes(access: Access): FastifyPluginAsyncTypebox {
  return routes(access, [listSessionsRoute, getSessionRoute, endSessionRoute])
}

const listSessionsRoute = route(
  {
    method: 'GET',
    url: '/auth/sessions',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    schema: { tags, operationId: 'listSessions', summary: 'The own sessions', response: { 200: Type.Array(SessionShape) } },
  },
  async (access: Access, request) => {
    const sessions = await listOwnSessions(access, request.user)
    return sessions.map((session) => present(session, request.user))
  },
)

const getSessionRoute = route(
  {
    method: 'GET',
    url: '/auth/sessions/:sessionId',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    observed: ['lastUsedOn', 'network', 'agent'],
    schema: { tags, operationId: 'getSession', summary: 'One of the own sessions', params, response: { 200: SessionShape } },
  },
  async (access: Access, request) => present(await getOwnSession(access, request.user, request.params.sessionId), request.user),
)

const endSessionRoute = route(
  {
    method: 'DELETE',
    url: '/auth/sessions/:sessionId',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    isPauseProof: true,
    proof: 'fresh',
    audit: 'session.ended',
    schema: {
      tags,
      operationId: 'endSession',
      summary: 'End one of the own sessions',
      params,
      response: { 204: NoContent },
    },
  },
  async (access: Access, request, reply) => {
    await endOwnSession(access, request.user, request.params.sessionId)
    return reply.code(204).send(null)
  },
)

function present({ createdOn, lastUsedOn, expiresOn, ...session }: Session, { sessionId }: UserCaller) {
  return {
    ...session,
    isCurrent: session.id === sessionId,
    createdOn: toPlainTimestamp(createdOn),
    lastUsedOn: toPlainTimestamp(lastUsedOn),
    expiresOn: toPlainTimestamp(expiresOn),
  }
}
