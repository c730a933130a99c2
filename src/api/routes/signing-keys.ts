import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { exportJWK } from 'jose'
import type { ApiDeps } from '../context/deps.ts'

/** Public keys of our tokens (JWKS). */
export function keyRoutes({ keys }: Pick<ApiDeps, 'keys'>): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/.well-known/jwks.json', { schema: { hide: true } }, async (_request, reply) => {
      const jwks = await Promise.all(
        keys.signing.all.map(async ({ id, publicKey }) => ({ ...(await exportJWK(publicKey)), kid: id, alg: 'EdDSA', use: 'sig' })),
      )
      return reply.header('cache-control', 'public, max-age=300').send({ keys: jwks })
    })
  }
}
