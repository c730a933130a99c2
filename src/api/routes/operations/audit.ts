import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { findAuditEnd, listAudit } from '../../../store/access/audit.ts'
import { pinnedReads } from '../../../store/db/replicas/pinned-reads.ts'
import type { Access } from '../../access/access.ts'
import { admins } from '../../access/caller.ts'
import { route, routes } from '../../http/route.ts'
import { filterParameter, readFilter } from '../../lists/list-query.ts'
import { orNull, strict } from '../../schemas/schemas.ts'
import { AUDIT_FORMATS, openAuditFile } from './audit-file.ts'
import { Entry, FILTER, presentEntry } from './audit-shapes.ts'

/** Streamed while it is being generated. */
const File = Type.Unsafe<Readable>(Type.String())

/** Audit log of the caller's instance, for admins. */
export function auditRoutes(access: Access): FastifyPluginAsyncTypebox {
  return routes(access, [listAuditRoute, downloadAuditRoute])
}

const listAuditRoute = route(
  {
    method: 'GET',
    url: '/audit',
    replica: true,
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
      data: entries.map(presentEntry),
      before: last !== undefined && last.position > 1 ? last.position : null,
    }
  },
)

const downloadAuditRoute = route(
  {
    method: 'GET',
    url: '/audit/download',
    replica: true,
    scope: 'audit:read',
    roles: admins,
    schema: {
      tags: ['Users'],
      operationId: 'downloadAudit',
      summary: 'What was done, oldest first, as a file of any length',
      description: 'CSV for spreadsheets, where a text that begins like a formula gets an apostrophe; or one JSON document on each line.',
      querystring: strict({ Format: Type.Enum([...AUDIT_FORMATS], { default: 'csv' }), FilterQuery: filterParameter(FILTER) }),
      response: {
        200: {
          description: 'The file',
          content: { 'text/csv': { schema: File }, 'application/x-ndjson': { schema: File } },
        },
      },
    },
  },
  async (access: Access, request, reply) => {
    const { Format, FilterQuery } = request.query
    const { instanceId } = request.caller
    // Before the pin of the reads, so that whoever answers has the last entry.
    const until = await findAuditEnd(access.database, instanceId)
    const { type, stream } = openAuditFile(access.database, instanceId, {
      format: Format,
      filter: readFilter(FilterQuery, FILTER),
      until,
      inScope: pinnedReads(access.replicas, instanceId),
    })
    reply.header('content-disposition', `attachment; filename="audit.${Format}"`)
    return reply.type(type).send(stream)
  },
)
