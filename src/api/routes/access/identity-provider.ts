import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findIdentityProvider, type IdentityProvider } from '../../../store/access/identity-providers.ts'
import type { Access } from '../../access/access.ts'
import { admins } from '../../access/caller.ts'
import { inspectProvider, noProvider, removeProvider, replaceProvider } from '../../access/provider/settings.ts'
import { callbackPathOf } from '../../access/provider/sign-in.ts'
import { findSignInOption, toDomain } from '../../access/provider/sign-in-options.ts'
import { route, routes } from '../../http/route.ts'
import { NoContent, strict } from '../../schemas/schemas.ts'
import { ProviderBody, ProviderReportShape, ProviderShape, ProviderState, SignInOptionShape } from './identity-provider-schemas.ts'

const tags = ['Users']
const URL_OF_SETTINGS = '/identity-provider'

/** The OpenID provider of the caller's instance, and the way from an account to its provider. */
export function identityProviderRoutes(access: Access): FastifyPluginAsyncTypebox {
  return routes(access, [findSignInRoute, getProviderRoute, replaceProviderRoute, removeProviderRoute, inspectProviderRoute])
}

const findSignInRoute = route(
  {
    method: 'POST',
    url: '/auth/provider',
    roles: 'public',
    isPauseProof: true,
    audit: { none: 'says where a sign-in begins' },
    schema: {
      tags: ['Access'],
      operationId: 'findSignIn',
      summary: 'Find the identity provider of an account',
      description:
        'By an e-mail address, or by the id or exact name of an instance. An address leads to the instance of its member, else to the only one that accepts its domain. A browser that is sent to `address` signs in and returns to the portal.',
      body: strict(
        { account: Type.String({ minLength: 1, maxLength: 320, pattern: '\\S' }) },
        { examples: [{ account: 'avery@example.com' }] },
      ),
      response: { 200: SignInOptionShape },
    },
  },
  async (access: Access, request) => {
    const place = await findSignInOption(access, request.body.account)
    if (!place) return { address: null, host: null, instanceName: null }
    return { address: `/sign-in/${place.instanceId}`, host: new URL(place.issuer).host, instanceName: place.instanceName }
  },
)

const getProviderRoute = route(
  {
    method: 'GET',
    url: URL_OF_SETTINGS,
    scope: 'users',
    roles: admins,
    schema: {
      tags,
      operationId: 'getIdentityProvider',
      summary: 'The identity provider of the instance',
      description: 'Its settings without the secret, and the addresses of this deployment that have to be entered there.',
      response: { 200: ProviderState },
    },
  },
  async (access: Access, request) => {
    const { instanceId } = request.user
    const provider = await findIdentityProvider(access.database, instanceId)
    const address = access.settings.issuer
    return {
      provider: provider && present(provider),
      redirectUri: `${address}${callbackPathOf(instanceId)}`,
      backChannelLogoutUri: `${address}/sign-in/${instanceId}/logout`,
      postLogoutRedirectUri: `${address}/portal/`,
      signInAddress: `${address}/sign-in/${instanceId}`,
    }
  },
)

const replaceProviderRoute = route(
  {
    method: 'PUT',
    url: URL_OF_SETTINGS,
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: 'identity-provider.saved',
    schema: {
      tags,
      operationId: 'updateIdentityProvider',
      summary: 'Set the identity provider of the instance',
      description:
        'Before `isRequired` an administrator has to sign in with these very settings once (409). When it becomes true, the passwords of all members are deleted and their sessions end; an operator can make it false again.',
      body: ProviderBody,
      response: { 200: ProviderShape },
    },
  },
  async (access: Access, { user, body }) =>
    present(await replaceProvider(access, user, { ...body, emailDomains: body.emailDomains.map(toDomain) })),
)

const removeProviderRoute = route(
  {
    method: 'DELETE',
    url: URL_OF_SETTINGS,
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: 'identity-provider.removed',
    schema: {
      tags,
      operationId: 'deleteIdentityProvider',
      summary: 'Remove the identity provider of the instance',
      description: 'Passwords work again; sessions that it vouches for end within five minutes. Members stay.',
      response: { 204: NoContent },
    },
  },
  async (access: Access, request, reply) => {
    await removeProvider(access, request.user)
    return reply.code(204).send(null)
  },
)

const inspectProviderRoute = route(
  {
    method: 'POST',
    url: `${URL_OF_SETTINGS}/check`,
    scope: 'users',
    roles: admins,
    audit: { none: 'reads what the provider says about itself' },
    schema: {
      tags,
      operationId: 'checkIdentityProvider',
      summary: 'Ask the identity provider what it offers',
      description: 'Reads its OpenID configuration with the saved settings; nobody is signed in. 409 where no provider is set.',
      response: { 200: ProviderReportShape },
    },
  },
  async (access: Access, request) => {
    const provider = await findIdentityProvider(access.database, request.user.instanceId)
    if (!provider) throw noProvider()
    return await inspectProvider(access, provider)
  },
)

function present(provider: IdentityProvider) {
  const { instanceId: _instance, id: _id, sealedSecret: _secret, version: _version, triedAt, updatedAt, ...settings } = provider
  return { ...settings, triedOn: triedAt && toPlainTimestamp(triedAt), updatedOn: toPlainTimestamp(updatedAt) }
}
