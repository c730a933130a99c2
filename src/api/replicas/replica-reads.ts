import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Replicas, SessionRead } from '../../store/db/replicas/replicas.ts'
import type { Keys } from '../../store/keys/keys.ts'
import { grantIdOf } from '../access/caller.ts'
import { unavailable } from '../errors/errors.ts'
import { isChange } from '../http/pause-guard.ts'
import { isComparison } from '../http/preconditions.ts'
import { ReadPositions } from './read-position.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A GET that only reads, and that a read replica may answer within the bound on staleness (docs/decisions/0077). */
    replica?: true
  }
}

interface ReplicaReadParts {
  /** Absent: all reads go to the primary, and nothing is added to the routes. */
  replicas?: Replicas | undefined
  keys: Pick<Keys, 'tokenHash'>
  settings: { publicUrl: string }
}

/** Lets replicas answer the routes that say so. To be called before the routes are added. */
export function addReplicaReads(scope: FastifyInstance, { replicas, keys, settings }: ReplicaReadParts): void {
  const reads = new WeakMap<FastifyRequest, SessionRead>()
  const positions = replicas && new ReadPositions(keys, { publicUrl: settings.publicUrl, lifeMs: replicas.maxStalenessMs })
  scope.addHook('onRoute', (route: RouteOptions) => {
    if (route.config?.replica !== true) return
    if ([route.method].flat().some((method) => method !== 'GET' && method !== 'HEAD') || route.config.isChange === true)
      throw new Error(`${route.method} ${route.url} changes something, so that no replica can answer it`)
    if (replicas === undefined || positions === undefined) return
    const { handler } = route
    route.handler = async function (request, reply) {
      // The comparison of a change decides what is changed on the primary.
      if (isComparison(request)) return await handler.call(this, request, reply)
      const isFromPrimary = /\bno-cache\b/i.test(request.headers['cache-control'] ?? '')
      const read = await replicas.begin({ grantId: grantIdOf(request.caller), readUntil: positions.read(request), isFromPrimary })
      reads.set(request, read)
      return await read.run(async () => await handler.call(this, request, reply))
    }
    route.onSend = [
      ...[route.onSend ?? []].flat(),
      async (request, reply, payload) => {
        const read = reads.get(request)
        reads.delete(request)
        if (read && reply.statusCode < 500) positions.write(reply, await read.end())
        return payload
      },
    ]
  })
}

/**
 * Notes each change of a session or API key before it is acknowledged, so that its reads are no older. A request that its
 * route never saw, for lack of a right, over a limit or with invalid values, has changed nothing.
 */
export function noteChanges(app: FastifyInstance, replicas: Replicas | undefined): void {
  if (replicas === undefined) return
  const admitted = new WeakSet<FastifyRequest>()
  app.addHook('preHandler', (request, _reply, done) => {
    if (isChange(request)) admitted.add(request)
    done()
  })
  app.addHook('onSend', async (request, _reply, payload) => {
    const caller = request.verifiedCaller
    if (caller === null || !admitted.delete(request)) return payload
    await replicas.noteChange({ grantId: grantIdOf(caller), instanceId: caller.instanceId }).catch((error: unknown) => {
      throw unavailable(1, error)
    })
    return payload
  })
}
