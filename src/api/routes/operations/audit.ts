import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { listAudit } from '../../../store/access/audit.ts'
import type { Access } from '../../access/access.ts'
import { admins } from '../../access/caller.ts'
import { route, routes } from '../../http/route.ts'
import { filterParameter, readFilter } from '../../lists/list-query.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

const Entry = strict(
  {
    position: Type.Integer({ description: 'Counts up without a gap; an entry is never changed' }),
    recordedOn: PlainTimestamp,
    action: Type.String({ examples: ['user.created'] }),
    userId: orNull(Uuid),
    subject: orNull(Type.String({ description: 'What it was done to, such as `user/<id>`' })),
    details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  },
  { title: 'AuditEntry' },
)

const FILTER = { recordedOn: 'date', position: 'number', action: 'string', userId: 'uuid', subject: 'string' } as const

/** Audit log of the caller's instance, for admins. */
export function auditRoutes(access: Access): FastifyPluginAsyncTypebox {
  return routes(access, [listAuditRoute])
}

const listAuditRoute = route(
  {
    method: 'GET',
    url: '/audit',
    scope: 'audit:read',
    roles: admins,
    schema: {
      tags: ['Users'],
      operationId: 'listAudit',
      summary: 'What was done, newest first',
      querystring: strict({
        Before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only entries older than this position' })),
        Limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
        FilterQuery: filterParameter(FILTER),
      }),
      response: {
        200: strict({ data: Type.Array(Entry), before: orNull(Type.Integer({ description: 'For the next call; null at the end' })) }),
      },
    },
  },
  async (access: Access, request) => {
    const { Before, Limit, FilterQuery } = request.query
    const filter = readFilter(FilterQuery, FILTER)
    const entries = await listAudit(access.database, request.caller.instanceId, Limit ?? 100, Before ?? null, filter)
    const last = entries.at(-1)
    return {
      data: entries.map(({ position, at, entry }) => ({
        position,
        recordedOn: toPlainTimestamp(at),
        action: entry.action,
        userId: entry.userId,
        subject: entry.subject,
        details: entry.details ?? {},
      })),
      before: last !== undefined && last.position > 1 ? last.position : null,
    }
  },
)
