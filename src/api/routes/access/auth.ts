import fastifyCookie from '@fastify/cookie'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findInstance } from '../../../store/access/instances.ts'
import { findProviderSession } from '../../../store/access/provider-sessions.ts'
import type { Access } from '../../access/access.ts'
import { clientOf } from '../../access/account/client.ts'
import { changePassword, getOwnAccount } from '../../access/account/own-account.ts'
import { readers } from '../../access/caller.ts'
import { logIn } from '../../access/login/login.ts'
import { findLogoutAddress } from '../../access/provider/logout.ts'
import { closeSession, refreshSession } from '../../access/sessions.ts'
import { badField } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { sessionCookie } from '../../http/session-cookie.ts'
import { NoContent, strict } from '../../schemas/schemas.ts'
import { LoginBody, NewPassword, Password, ProviderLogout, RefreshBody, TokenResponse, Whoami } from './auth-schemas.ts'
import { beginPasskeyLoginRoute, completeLoginRoute } from './second-step.ts'
import { DASHBOARD, handOut, handOutNew, toAnswer } from './token-answer.ts'
import { toUserAnswer } from './users.ts'

const tags = ['Access']
const LOGIN_BYTES = 8_192

/** Login, logout, refresh, and the caller's own account. */
export function authRoutes(access: Access): FastifyPluginAsyncTypebox {
  const table = routes(access, [
    ...[loginRoute, completeLoginRoute, beginPasskeyLoginRoute, refreshRoute, logoutRoute],
    ...[whoamiRoute, changePasswordRoute],
  ])
  return async (app, options) => {
    await app.register(fastifyCookie)
    await table(app, options)
  }
}

const loginRoute = route(
  {
    method: 'POST',
    url: '/auth/login',
    roles: 'public',
    isPauseProof: true,
    bodyLimit: LOGIN_BYTES,
    audit: ['login.succeeded', 'login.failed', 'session.closed'],
    schema: {
      tags,
      operationId: 'login',
      summary: 'Get a token',
      description:
        'Exchanges e-mail address and password for tokens. When the account has two-step login, `twoStepVerify` is true and `access_token` is a ' +
        'challenge of five minutes for `POST /auth/two-step`. Five wrong passwords in a quarter of an hour close an account to networks that it ' +
        'has not logged in from (429). 403 for a member of an instance that requires its identity provider.',
      body: LoginBody,
      response: { 200: TokenResponse },
    },
  },
  async (access: Access, request, reply) => {
    const { email, password } = request.body
    const result = await logIn(access, email, password, clientOf(request))
    if (result.step === 'done') return await handOutNew(access, request, reply, result, request.body.keep)
    const { challenge, userName } = result
    return { access_token: challenge, username: userName, redirect_url: DASHBOARD, refreshToken: '', twoStepVerify: true }
  },
)

const refreshRoute = route(
  {
    method: 'POST',
    url: '/auth/refresh',
    roles: 'public',
    isPauseProof: true,
    bodyLimit: LOGIN_BYTES,
    audit: {
      none: 'continues a session that a login has opened',
      except: ['session.reuse-detected', 'session.ended-by-provider', 'user.changed'],
    },
    schema: {
      tags,
      operationId: 'refreshToken',
      summary: 'Get new tokens without a password',
      description:
        'A refresh token works once and gives its successor; asked again within ten seconds it gives the same one, so a lost answer does no harm. ' +
        'Any later second use ends the session. A session ends after 30 days, or 7 days without a refresh. Without `refreshToken` the cookie of a ' +
        'login that asked to keep it there is used, from pages of this very origin only.',
      body: RefreshBody,
      response: { 200: TokenResponse },
    },
  },
  async (access: Access, request, reply) => {
    const isSecure = access.settings.issuer.startsWith('https:')
    const given = request.body.refreshToken
    if (given !== undefined) return toAnswer(await refreshSession(access, given, clientOf(request)))
    const kept = sessionCookie.read(request, isSecure)
    if (kept === null) throw badField('refreshToken', 'is required where no cookie keeps it')
    return handOut(access, reply, await refreshSession(access, kept, clientOf(request)), 'cookie')
  },
)

const logoutRoute = route(
  {
    method: 'POST',
    url: '/auth/logout',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    isPauseProof: true,
    audit: 'session.closed',
    schema: {
      tags,
      operationId: 'logout',
      summary: 'End the session',
      description:
        'The refresh token ends at once, access tokens of the session at once for whatever changes something, within a second for reads. A session of an identity provider that has a page for logout answers 200 with its address, which a browser opens to end the session there, too.',
      response: { 200: ProviderLogout, 204: NoContent },
    },
  },
  async (access: Access, request, reply) => {
    const isSecure = access.settings.issuer.startsWith('https:')
    const session = await findProviderSession(access.database, request.user)
    await closeSession(access, request.user)
    sessionCookie.clear(request, reply, isSecure)
    const address = session && (await findLogoutAddress(access, session))
    return address === null ? reply.code(204).send(null) : reply.code(200).send({ address })
  },
)

const whoamiRoute = route(
  {
    method: 'GET',
    url: '/auth/me',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    schema: { tags, operationId: 'whoami', summary: 'The account behind the token', response: { 200: Whoami } },
  },
  async (access: Access, request) => {
    const user = await getOwnAccount(access, request.user)
    const instance = await findInstance(access.database, user.instanceId)
    const { instanceId } = user
    return { ...toUserAnswer(user), instanceId, instanceName: instance?.name ?? null, mustSetUpTwoStep: request.user.lacksTwoStep }
  },
)

const changePasswordRoute = route(
  {
    method: 'POST',
    url: '/auth/password',
    scope: 'users',
    roles: readers,
    bodyLimit: LOGIN_BYTES,
    proof: 'fresh',
    audit: 'password.changed',
    schema: {
      tags,
      operationId: 'changePassword',
      summary: 'Change the own password',
      description: 'All other sessions of the account end.',
      body: strict({ password: Password, newPassword: NewPassword }),
      response: { 204: NoContent },
    },
  },
  async (access: Access, request, reply) => {
    await changePassword(access, request.user, request.body.password, request.body.newPassword)
    return reply.code(204).send(null)
  },
)
