import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { SourceError } from '../../../connectors/contract/contract.ts'
import { toNetwork } from '../../../model/values/network.ts'
import { handleWebhook } from '../../../sync/provider-webhooks/hints.ts'
import { notFound, unavailable } from '../../errors/errors.ts'
import { RequestLimit } from '../../http/request-limits.ts'
import type { RouteDeps } from '../route-deps.ts'

/** Intuit sets no limit of its own and expects 2 MB. */
const MAX_BODY_BYTES = 2 * 1_048_576

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

interface ProviderWebhook {
  Params: { connectorKey: string; instanceId?: string; secret?: string }
  Querystring: Record<string, unknown>
}

/**
 * Provider webhooks: `POST /hooks/<connector key>`, for an instance's own app followed by `/instances/<id>`, and by a
 * secret part for providers that do not sign. The connector verifies the received bytes; then they are only queued. A
 * wrong URL looks like an unknown source. Responses have no body, as Xero requires, except for a handshake. A network
 * whose requests are refused too often is refused before its body is read.
 */
export function providerWebhookRoutes(deps: RouteDeps): FastifyPluginAsync {
  const refused = new RequestLimit(deps.settings.requestLimits.perNetwork)
  const countRefusal = (request: FastifyRequest) => refused.count(toNetwork(request.ip), deps.now().getTime())
  const refuseUnknown = (request: FastifyRequest) => {
    countRefusal(request)
    return notFound('source with webhooks')
  }
  return async (app) => {
    app.addHook('onRequest', async (request) => {
      if (!refused.hasRoom(toNetwork(request.ip), deps.now().getTime())) countRefusal(request)
    })
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    // The second form is for sources that do not sign.
    const apps = ['/hooks/:connectorKey', '/hooks/:connectorKey/instances/:instanceId']
    for (const address of [...apps, ...apps.map((app) => `${app}/:secret`)]) {
      app.route<ProviderWebhook>({
        // Finicity verifies listeners by a GET whose code must be returned.
        method: ['GET', 'POST'],
        url: address,
        bodyLimit: MAX_BODY_BYTES,
        schema: { hide: true },
        config: { audit: { none: 'a hint of a source queues a job and is never data' } },
        handler: async (request, reply) => {
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
          const { connectorKey, instanceId, secret } = request.params
          if (instanceId !== undefined && !UUID.test(instanceId)) throw refuseUnknown(request)
          const whose = { ...(instanceId ? { instanceId } : {}), ...(secret ? { secret } : {}) }
          const webhook = { headers: toTexts(request.headers), query: toTexts(request.query), body, ...whose }
          try {
            const text = await handleWebhook(deps.sync, connectorKey, webhook)
            if (text === null) throw refuseUnknown(request)
            return await reply.code(200).type('text/plain; charset=utf-8').send(text)
          } catch (error) {
            if (!(error instanceof SourceError)) throw error
            if (error.kind === 'reconnect') {
              countRefusal(request)
              return await reply.code(401).send()
            }
            // The provider retries on our request.
            throw unavailable(5, error)
          }
        },
      })
    }
  }
}

function toTexts(values: object): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
}
