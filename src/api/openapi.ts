import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { Audience } from './access/caller.ts'
import { describeEvents } from './event-bodies.ts'
import type { ApiSettings } from './settings.ts'

const VERSION = '1.0.0'

/** How the document is made from the routes. Faults, which every operation has in common, are added by `reference-document.ts`. */
export function openapiOptions(settings: ApiSettings): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Countinghouse API',
        version: VERSION,
        description: 'Normalized accounting and bank account data of small and medium businesses.',
        license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: settings.publicUrl }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      security: [{ bearer: [] }],
      webhooks: describeEvents(),
    },
    // Pages, logos and provider webhooks answer on the same address and are no part of the API.
    hideUntagged: true,
    transform: ({ schema, url, route }) => ({ schema: { ...schema, ...accessOf(route.config?.roles, schema) }, url }),
  }
}

function accessOf(roles: Audience | undefined, schema: { description?: string }) {
  if (roles === undefined) return {}
  if (roles === 'public') return { security: [] }
  const sentence = `Roles: ${roles.join(', ')}.`
  return { description: [schema.description, sentence].filter(Boolean).join('\n\n') }
}
