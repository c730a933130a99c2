import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { exportJWK } from 'jose'
import { isLoopback } from '../../model/network.ts'
import { askForLife } from '../../store/liveness.ts'
import type { ApiDeps } from '../deps.ts'
import { notFound, unavailable } from '../errors.ts'

const PATIENCE_MS = 2_000
const hidden = { hide: true }

/** What operators and their machines ask: alive, ready, numbers, and the public keys of our tokens. */
export function operationRoutes({ database, keys, metrics, settings }: ApiDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/healthz', { schema: hidden }, async () => ({ status: 'ok' }))

    /** Ready when the database answers within two seconds. */
    app.get('/readyz', { schema: hidden }, async () => {
      const isReady = await Promise.race([askForLife(database).then(() => true), afterwards(PATIENCE_MS)]).catch((cause: unknown) => {
        throw unavailable(2, cause)
      })
      if (!isReady) throw unavailable(2)
      return { status: 'ready' }
    })

    /** NOTE: behind a proxy on the same machine every peer is the loopback, so a forwarded request never counts as one. */
    app.get('/metrics', { schema: hidden }, async (request, reply) => {
      const isForwarded = request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined
      const isOwn = !isForwarded && isLoopback(request.socket.remoteAddress ?? '')
      if (!isOwn && !settings.metricsPublic) throw notFound('address')
      return reply.type(metrics.contentType).send(await metrics.metrics())
    })

    app.get('/.well-known/jwks.json', { schema: hidden }, async (_request, reply) => {
      const jwks = await Promise.all(
        keys.signing.all.map(async ({ id, publicKey }) => ({ ...(await exportJWK(publicKey)), kid: id, alg: 'EdDSA', use: 'sig' })),
      )
      return reply.header('cache-control', 'public, max-age=300').send({ keys: jwks })
    })
  }
}

/** False after `ms`; holds no process back from ending. */
function afterwards(ms: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), ms).unref()
  })
}
