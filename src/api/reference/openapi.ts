import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifyContextConfig } from 'fastify'
import type { ApiSettings } from '../context/settings.ts'
import { FILTER_RULES } from '../lists/list-query.ts'
import { describeEvents } from '../schemas/event-bodies.ts'
import { PlainTimestamp } from '../schemas/schemas.ts'
import { OPERATION_TEXTS, TAG_TEXTS } from './reference-texts.ts'

const VERSION = '1.0.0'

const DESCRIPTION = [
  'Normalized accounting and bank account data of small and medium businesses.',
  'Users, sources, file feeds, pages of owners, mails, jobs and usage: the document `/admin/api/administration.json`.',
  'Errors: every answer from 400 on is a `ProblemDetails`.',
  `Filters: ${FILTER_RULES}`,
  'Streams: lists of normalized data are pages, or as `application/x-ndjson` the whole list, one record a line in order of ids, as fast as it is read. It is what was published when it began: a sync in between changes no byte. `FilterQuery`, `asOf`, `modifiedSince` and `includeDeleted` hold; parameters of pages are refused. A failure in the middle is told in a last line `{"error": ProblemDetails}`, and the connection is closed before the end of the answer: begin again.',
  'Fresh proof: where an operation asks for it, a session whose user has not proved who it is for 15 minutes gets a 403 with the reason `proof-required`: call `POST /auth/proof` (administration), then repeat the request. API keys need no proof.',
].join('\n\n')

/**
 * Options for generating the OpenAPI document from the routes. Errors, common to all operations, are added by
 * `reference-document.ts`.
 */
export function openapiOptions(settings: ApiSettings): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Countinghouse API',
        version: VERSION,
        description: DESCRIPTION,
        contact: { name: 'Whoever runs this deployment', url: settings.publicUrl },
        license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      },
      tags: Object.entries(TAG_TEXTS).map(([name, description]) => ({ name, description })),
      servers: [{ url: settings.publicUrl }],
      components: {
        schemas: { Timestamp: withoutTitle(PlainTimestamp) },
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Access token of a login' },
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'ch_live_…',
            description: 'API key of a program, with the scopes that it was given',
          },
        },
      },
      security: [{ bearer: [] }],
      webhooks: describeEvents(),
    },
    // Pages, logos and provider webhooks have the same host but are not part of the API.
    hideUntagged: true,
    transform: ({ schema, url, route }) => ({ schema: { ...schema, ...accessOf(route.config ?? {}, schema) }, url }),
  }
}

function withoutTitle(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== 'title'))
}

function accessOf({ roles, scope, proof, deprecated }: FastifyContextConfig, schema: { description?: string; operationId?: string }) {
  if (roles === undefined) return {}
  const end = deprecated && `Deprecated since ${deprecated.since}; it may be removed from ${deprecated.sunset} on, see ${deprecated.link}.`
  const text = [end, schema.description, OPERATION_TEXTS[schema.operationId ?? '']].filter(Boolean).join(' ')
  const mark = deprecated ? { deprecated: true } : {}
  if (roles === 'public') return { ...mark, security: [], description: text }
  const isForKeys = scope !== undefined && scope !== 'users'
  const forKeys = isForKeys ? `Scope of API keys: \`${scope}\`.` : 'Not for API keys.'
  const description = [text, `Roles: ${roles.join(', ')}. ${forKeys}`, proof === 'fresh' && 'Asks sessions for a fresh proof.']
    .filter(Boolean)
    .join('\n\n')
  return isForKeys ? { ...mark, description, security: [{ bearer: [] }, { apiKey: [] }] } : { ...mark, description }
}
