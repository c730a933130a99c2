import { finished } from 'node:stream'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { toNetwork } from '../../../model/values/network.ts'
import type { Receiver } from '../../../store/webhooks/receivers.ts'
import type { ReceiverDeps } from '../../../webhooks/deps.ts'
import { findByToken, recordRequest } from '../../../webhooks/receivers.ts'
import { notFound, unavailable } from '../../errors/errors.ts'
import { RequestLimit } from '../../http/request-limits.ts'
import type { RouteDeps } from '../route-deps.ts'

const MAX_BODY_BYTES = 1_048_576
const MAX_PER_MINUTE = 300
/** Longer than a delivery's deadline. */
const SLOW_MS = 20_000
/** Maximum concurrent requests delayed by slow receivers in this process. */
const MAX_WAITING = 20

const ANSWERS = { accept: 204, fail: 500, slow: 204, gone: 410 } as const

export function receiverDepsOf(deps: RouteDeps): ReceiverDeps {
  return { database: deps.database, sealer: deps.sealer, publicUrl: deps.settings.publicUrl, hashToken: deps.sync.hashToken }
}

/**
 * Endpoint of receivers: `POST /receiver/<token>`. Requests are stored and answered as the developer has configured,
 * and go nowhere else. Without a valid token the response is that of an unknown path.
 */
export function receiverEndpoint(deps: RouteDeps): FastifyPluginAsync {
  const receivers = receiverDepsOf(deps)
  const perReceiver = new RequestLimit(MAX_PER_MINUTE)
  const perUnknownToken = new RequestLimit(deps.settings.requestLimits.perNetwork)
  const waiting = new Set<() => void>()

  /** Until the sender gives up, the delay is over or the server closes. */
  async function delayResponse(reply: FastifyReply): Promise<void> {
    if (waiting.size >= MAX_WAITING) throw unavailable()
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        waiting.delete(end)
        resolve()
      }
      const timer = setTimeout(end, SLOW_MS)
      waiting.add(end)
      finished(reply.raw, end)
    })
  }

  async function take(receiver: Receiver, headers: object, body: Buffer, reply: FastifyReply): Promise<FastifyReply> {
    perReceiver.count(receiver.id, deps.now().getTime())
    const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    await recordRequest(receivers, receiver, { headers: texts, body, answered: ANSWERS[receiver.behaviour] })
    if (receiver.behaviour === 'slow') await delayResponse(reply)
    return reply.code(ANSWERS[receiver.behaviour]).send()
  }

  return async (app) => {
    app.addHook('preClose', async () => {
      for (const end of waiting) end()
    })
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    app.post<{ Params: { token: string } }>(
      '/receiver/:token',
      { bodyLimit: MAX_BODY_BYTES, schema: { hide: true }, config: { audit: { none: 'keeps a delivery of our own, for a week' } } },
      async (request, reply) => {
        const receiver = await findByToken(receivers, request.params.token)
        if (receiver === null) {
          perUnknownToken.count(toNetwork(request.ip), deps.now().getTime())
          throw notFound('address')
        }
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        return await take(receiver, request.headers, body, reply)
      },
    )
  }
}
