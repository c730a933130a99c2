import fastifyCookie, { type CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { toNetwork } from '../../model/values/network.ts'
import { isUuid } from '../../model/values/uuid.ts'
import { acrossInstances, withinInstance } from '../../store/db/instance-scope.ts'
import type { Access } from '../access/access.ts'
import { clientOf } from '../access/account/client.ts'
import { SignInFault, type SignInFaultCode } from '../access/provider/faults.ts'
import { endByProvider, LogoutKeys, LogoutRefused } from '../access/provider/logout.ts'
import { beginSignIn, callbackPathOf, completeSignIn } from '../access/provider/sign-in.ts'
import { readState, toReturnPath } from '../access/provider/sign-in-state.ts'
import { RequestLimit } from '../http/request-limits.ts'
import { setPairs } from '../http/security-headers.ts'
import { sessionCookie } from '../http/session-cookie.ts'
import type { RouteDeps } from './route-deps.ts'

const MAX_LOGOUT_BYTES = 32_768
const STATE_SECONDS = 600
const hidden = { hide: true }

interface BeginRequest {
  Params: { instanceId: string }
  Querystring: { to?: string; fresh?: string; login_hint?: string; iss?: string; target_link_uri?: string }
}

interface InstanceRequest {
  Params: { instanceId: string }
}

/**
 * Addresses for browsers and identity providers, under `/sign-in`: start and callback of a sign-in, and back-channel
 * logout. A sign-in ends at the portal page where it began; a failed one with its code in the fragment. A sign-in
 * started by another site continues once the person confirms it in the portal.
 */
export function signInPages(deps: RouteDeps, access: Access): FastifyPluginAsync {
  const networks = new RequestLimit(deps.settings.requestLimits.perNetwork)
  const keys = new LogoutKeys()
  return async (app) => {
    await app.register(fastifyCookie)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    app.addHook('onRequest', async (request, reply) => {
      setPairs(reply, networks.count(toNetwork(request.ip), deps.now().getTime()))
      reply.header('cache-control', 'no-store')
    })
    app.addHook('preHandler', (_request, _reply, done) => acrossInstances(done))

    app.get<BeginRequest>('/sign-in/:instanceId', { schema: hidden }, async (request, reply) => await begin(access, request, reply))

    app.get<InstanceRequest>(
      callbackPathOf(':instanceId'),
      {
        schema: hidden,
        config: {
          isChange: true,
          isPauseProof: true,
          audit: ['login.succeeded', 'login.failed', 'user.created', 'user.changed', 'identity.added', 'session.closed'],
        },
      },
      async (request, reply) => await complete(access, request, reply),
    )

    app.post<InstanceRequest>(
      '/sign-in/:instanceId/logout',
      { schema: hidden, bodyLimit: MAX_LOGOUT_BYTES, config: { isPauseProof: true, audit: 'session.ended-by-provider' } },
      async (request, reply) => await endSessions(access, keys, request, reply),
    )
  }
}

async function begin(access: Access, request: FastifyRequest<BeginRequest>, reply: FastifyReply): Promise<FastifyReply> {
  const { instanceId } = request.params
  const { to, target_link_uri: target, fresh, login_hint: loginHint } = request.query
  const returnTo = toReturnPath(to ?? toPath(access, target))
  if (!isUuid(instanceId)) return fail(reply, returnTo, 'notSet')
  const hint = typeof loginHint === 'string' ? loginHint.slice(0, 320) : undefined
  // A page of another site could sign a person in to an instance of its author (login CSRF): the portal asks first.
  if (isFromElsewhere(request)) {
    const wanted = new URLSearchParams({ 'sign-in-at': instanceId, ...(hint === undefined ? {} : { login_hint: hint }) })
    return reply.redirect(`${returnTo}#${wanted}`, 303)
  }
  const wish = {
    instanceId,
    returnTo,
    isFresh: fresh === 'true',
    loginHint: hint,
    present: sessionCookie.read(request, access.settings.issuer.startsWith('https:')),
  }
  try {
    const { address, cookie } = await withinInstance(instanceId, () => beginSignIn(access, wish))
    const isSecure = access.settings.issuer.startsWith('https:')
    reply.setCookie(nameOf(isSecure), cookie, { ...optionsOf(isSecure), maxAge: STATE_SECONDS })
    return reply.redirect(address, 303)
  } catch (error) {
    return refuse(reply, returnTo, error)
  }
}

async function complete(access: Access, request: FastifyRequest<InstanceRequest>, reply: FastifyReply): Promise<FastifyReply> {
  const isSecure = access.settings.issuer.startsWith('https:')
  const begun = readState(access, request.cookies[nameOf(isSecure)])
  // The browser that began the sign-in has the cookie: a response from elsewhere signs nobody in. A response for one
  // instance is never shown to the provider of another.
  if (begun?.instanceId !== request.params.instanceId) return fail(reply, '/portal/', 'expired')
  const callback = new URL(`${access.settings.issuer}${request.url}`)
  try {
    const tokens = await completeSignIn(access, begun, callback, clientOf(request))
    reply.clearCookie(nameOf(isSecure), optionsOf(isSecure))
    sessionCookie.write(reply, tokens.refreshToken, isSecure)
    return reply.redirect(`${begun.returnTo}#signed-in`, 303)
  } catch (error) {
    return refuse(reply, begun.returnTo, error)
  }
}

/** Source: https://openid.net/specs/openid-connect-backchannel-1_0.html#BCResponse */
async function endSessions(
  access: Access,
  keys: LogoutKeys,
  request: FastifyRequest<InstanceRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { instanceId } = request.params
  const token = new URLSearchParams(typeof request.body === 'string' ? request.body : '').get('logout_token')
  try {
    if (token === null) throw new LogoutRefused('logout_token is needed')
    if (!isUuid(instanceId)) throw new LogoutRefused('there is no such client')
    await withinInstance(instanceId, () => endByProvider(access, keys, instanceId, token))
    return await reply.code(200).send()
  } catch (error) {
    if (error instanceof SignInFault) return await reply.code(503).header('retry-after', '30').send({ error: 'temporarily_unavailable' })
    if (!(error instanceof LogoutRefused)) throw error
    return await reply.code(400).send({ error: 'invalid_request', error_description: error.message })
  }
}

function refuse(reply: FastifyReply, returnTo: string, error: unknown): FastifyReply {
  if (!(error instanceof SignInFault)) throw error
  return fail(reply, returnTo, error.code)
}

function fail(reply: FastifyReply, returnTo: string, code: SignInFaultCode): FastifyReply {
  return reply.redirect(`${returnTo}#sign-in-failed=${code}`, 303)
}

/** Path of an address of ours that a provider names as the target; undefined for any other. */
function toPath({ settings }: Access, address: string | undefined): string | undefined {
  return typeof address === 'string' && address.startsWith(`${settings.issuer}/`) ? address.slice(settings.issuer.length) : undefined
}

/** By Fetch Metadata: `none` is an address that was typed, a bookmark, or a link of another program. */
function isFromElsewhere({ headers }: FastifyRequest): boolean {
  const from = headers['sec-fetch-site']
  return from !== undefined && from !== 'same-origin' && from !== 'none'
}

/** See `session-cookie.ts`. */
function nameOf(isSecure: boolean): string {
  return isSecure ? '__Host-sign-in' : 'sign-in'
}

/** `lax`, because the provider sends the browser back: `strict` would withhold the cookie. */
function optionsOf(isSecure: boolean): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure }
}
