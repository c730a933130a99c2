import type { FastifyPluginAsync } from 'fastify'
import { SourceError } from '../../connectors/contract.ts'
import { takeHint } from '../../sync/hints.ts'
import { notFound, unauthorized, unavailable } from '../errors.ts'
import type { HouseDeps } from '../house-deps.ts'

const MAX_BODY_BYTES = 1_048_576

/** Where providers send their webhooks: `POST /hooks/<connector key>`. Verified by the connector over the very bytes that came. */
export function hookRoutes(deps: HouseDeps): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    app.post<{ Params: { connectorKey: string } }>(
      '/hooks/:connectorKey',
      { bodyLimit: MAX_BODY_BYTES, schema: { hide: true } },
      async (request, reply) => {
        const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        try {
          const taken = await takeHint(deps.sync, request.params.connectorKey, { headers, body })
          if (taken === null) throw notFound('source with webhooks')
          return await reply.code(200).send({ taken })
        } catch (error) {
          if (!(error instanceof SourceError)) throw error
          if (error.kind === 'reconnect') throw unauthorized('The signature is not valid.')
          // The provider tries again when we say so.
          throw unavailable(5, error)
        }
      },
    )
  }
}
