import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'

const hidden = { hide: true }
const FIVE_MINUTES = 'public, max-age=300'

interface References {
  document: Buffer
  administration: Buffer
  operators: Buffer
}

/** API reference as OpenAPI 3.1 documents; operators have one of their own. All are generated from the routes, once. */
export function referenceRoutes(): FastifyPluginAsyncTypebox {
  return async (app) => {
    let made: Promise<References> | null = null
    const references = (): Promise<References> => {
      made ??= makeReferences(app)
      return made
    }

    app.get('/admin/api/openapi.json', { schema: hidden }, async (_request, reply) =>
      reply
        .header('cache-control', FIVE_MINUTES)
        .type('application/json; charset=utf-8')
        .send((await references()).document),
    )

    app.get('/admin/api/administration.json', { schema: hidden }, async (_request, reply) =>
      reply
        .header('cache-control', FIVE_MINUTES)
        .type('application/json; charset=utf-8')
        .send((await references()).administration),
    )

    app.get('/operator/api/openapi.json', { schema: hidden }, async (_request, reply) =>
      reply
        .header('cache-control', FIVE_MINUTES)
        .type('application/json; charset=utf-8')
        .send((await references()).operators),
    )

    // Where the page was before there was a site.
    app.get('/admin/api/docs', { schema: hidden }, async (_request, reply) => reply.redirect('/docs/reference', 308))
  }
}

/** Loads what makes the documents with the first request for one: most processes never get any. */
async function makeReferences(app: FastifyInstance): Promise<References> {
  const [
    { splitDocument },
    { nameBodies },
    { compact },
    { addRecordedExamples, readExamples },
    { readOperatorReference, readReference },
    { partOf, splitAdministration },
  ] = await Promise.all([
    import('../reference/operator-document.ts'),
    import('../reference/reference-bodies.ts'),
    import('../reference/reference-compact.ts'),
    import('../reference/reference-examples.ts'),
    import('../reference/reference-document.ts'),
    import('../reference/reference-split.ts'),
  ])
  const { api, operators } = splitDocument(await app.routeDocument())
  const reference = readReference(api)
  const toJson = (document: object) => Buffer.from(JSON.stringify(document))
  const examples = await readExamples()
  const whole = splitAdministration(addRecordedExamples(compact(nameBodies(reference)), examples))
  return {
    document: toJson(whole.api),
    administration: toJson(whole.administration),
    operators: toJson(partOf(addRecordedExamples(compact(nameBodies(readOperatorReference(operators))), examples), () => true)),
  }
}
