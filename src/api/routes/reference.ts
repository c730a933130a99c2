import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { splitDocument } from '../reference/operator-document.ts'
import { nameBodies } from '../reference/reference-bodies.ts'
import { readOperatorReference, readReference } from '../reference/reference-document.ts'
import { referencePage, referencePolicy } from '../reference/reference-page.ts'

const hidden = { hide: true }
const FIVE_MINUTES = 'public, max-age=300'

/** API reference: as an OpenAPI 3.1 document, and as a page; operators have a document of their own. All are generated from the routes, once. */
export function referenceRoutes(): FastifyPluginAsyncTypebox {
  return async (app) => {
    let made: { document: Buffer; page: Buffer; operators: Buffer } | null = null
    function make(): { document: Buffer; page: Buffer; operators: Buffer } {
      if (made) return made
      const { api, operators } = splitDocument(app.swagger())
      const reference = readReference(api)
      made = {
        document: toJson(reference),
        page: Buffer.from(referencePage(reference)),
        operators: toJson(readOperatorReference(operators)),
      }
      return made
    }

    app.get('/admin/api/openapi.json', { schema: hidden }, async (_request, reply) =>
      reply.header('cache-control', FIVE_MINUTES).type('application/json; charset=utf-8').send(make().document),
    )

    app.get('/operator/api/openapi.json', { schema: hidden }, async (_request, reply) =>
      reply.header('cache-control', FIVE_MINUTES).type('application/json; charset=utf-8').send(make().operators),
    )

    app.get('/admin/api/docs', { schema: hidden }, async (_request, reply) =>
      reply
        .header('cache-control', FIVE_MINUTES)
        .header('content-security-policy', referencePolicy)
        .type('text/html; charset=utf-8')
        .send(make().page),
    )
  }
}

function toJson(reference: ReturnType<typeof readReference>): Buffer {
  return Buffer.from(JSON.stringify(nameBodies(reference)))
}
