import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { Access } from '../../access/access.ts'
import { endOwnSession, listOwnSessions } from '../../access/account/own-sessions.ts'
import { readers } from '../../access/caller.ts'
import { route, routes } from '../../http/route.ts'
import { Nothing, orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

const tags = ['Access']

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
  return routes(access, [listSessionsRoute, endSessionRoute])
}

const listSessionsRoute = route(
  {
    method: 'GET',
    url: '/auth/sessions',
    scope: 'users',
    roles: readers,
    schema: { tags, operationId: 'listSessions', summary: 'The own sessions', response: { 200: Type.Array(SessionShape) } },
  },
  async (access: Access, request) => {
    const sessions = await listOwnSessions(access, request.user)
    return sessions.map(({ createdOn, lastUsedOn, expiresOn, ...session }) => ({
      ...session,
      isCurrent: session.id === request.user.sessionId,
      createdOn: toPlainTimestamp(createdOn),
      lastUsedOn: toPlainTimestamp(lastUsedOn),
      expiresOn: toPlainTimestamp(expiresOn),
    }))
  },
)

const endSessionRoute = route(
  {
    method: 'DELETE',
    url: '/auth/sessions/:sessionId',
    scope: 'users',
    roles: readers,
    isPauseProof: true,
    audit: 'session.ended',
    schema: {
      tags,
      operationId: 'endSession',
      summary: 'End one of the own sessions',
      params: strict({ sessionId: Uuid }),
      response: { 204: Nothing },
    },
  },
  async (access: Access, request, reply) => {
    await endOwnSession(access, request.user, request.params.sessionId)
    return reply.code(204).send(null)
  },
)
