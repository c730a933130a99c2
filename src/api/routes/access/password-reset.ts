import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toNetwork } from '../../../model/values/network.ts'
import type { Access } from '../../access/access.ts'
import { admitReset, type ResetRequest, resetPassword, sendReset } from '../../access/passwords/password-reset.ts'
import { route, routes } from '../../http/route.ts'
import { NoContent, strict } from '../../schemas/schemas.ts'
import type { AccessRouteDeps, RouteDeps } from '../route-deps.ts'
import { NewPassword } from './auth-schemas.ts'

const tags = ['Access']
const MAX_BYTES = 8_192

interface ResetDeps extends AccessRouteDeps {
  /** Mails that are being sent behind their answers. */
  underWay: Set<Promise<void>>
}

/** Password reset routes. */
export function passwordResetRoutes(deps: RouteDeps, access: Access): FastifyPluginAsyncTypebox {
  const underWay = new Set<Promise<void>>()
  const table = routes({ ...deps, access, underWay }, [requestNewPasswordRoute, setNewPasswordRoute])
  return async (app, options) => {
    app.addHook('onClose', async () => {
      await Promise.all(underWay)
    })
    await table(app, options)
  }
}

const requestNewPasswordRoute = route(
  {
    method: 'POST',
    url: '/auth/forgotten-password',
    roles: 'public',
    bodyLimit: MAX_BYTES,
    audit: 'password.forgotten',
    schema: {
      tags,
      operationId: 'requestPasswordReset',
      summary: 'Ask for a link to set a new password',
      description:
        'Answers the same, and as fast, for addresses that have an account and for those that have none. 409 where no mail server is set.',
      body: strict(
        {
          email: Type.String({ minLength: 1, maxLength: 320 }),
          language: Type.Optional(Type.String({ enum: ['en', 'fr'], default: 'en', description: 'Of the mail' })),
        },
        { examples: [{ email: 'avery@example.com' }] },
      ),
      response: { 202: NoContent },
    },
  },
  async (deps: ResetDeps, request, reply) => {
    const { access, underWay } = deps
    const { publicUrl } = deps.settings
    const { email, language } = request.body
    const wish: ResetRequest = { email, locale: language === 'fr' ? 'fr-CA' : 'en', network: toNetwork(request.ip) }
    await admitReset(access, deps.sync.mail, wish)
    // The response is sent before the address is looked up.
    const send = AsyncLocalStorage.bind(() => {
      const work = sendReset(access, deps.sync.mail, publicUrl, wish)
        .catch((error: unknown) => request.log.warn({ requestId: request.id, err: error }, 'the password reset mail could not be queued'))
        .finally(() => underWay.delete(work))
      underWay.add(work)
    })
    reply.raw.once('finish', send)
    return reply.code(202).send(null)
  },
)

const setNewPasswordRoute = route(
  {
    method: 'POST',
    url: '/auth/new-password',
    roles: 'public',
    bodyLimit: MAX_BYTES,
    audit: 'password.reset',
    schema: {
      tags,
      operationId: 'resetPassword',
      summary: 'Set a new password by a link that was mailed',
      description: 'The link works once, for half an hour. Every session of the account ends; a second step stays asked for.',
      body: strict({ token: Type.String({ minLength: 1, maxLength: 100 }), password: NewPassword }),
      response: { 204: NoContent },
    },
  },
  async ({ access }: AccessRouteDeps, request, reply) => {
    await resetPassword(access, request.body.token, request.body.password)
    return reply.code(204).send(null)
  },
)
