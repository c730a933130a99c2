import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findIdentityProvider } from '../../../store/access/identity-providers.ts'
import { route, routes } from '../../http/route.ts'
import { NoContent, orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import { allowPasswords, getInstance } from '../instances.ts'
import { contextOf, type OperatorDeps } from './shapes.ts'

const tags = ['Instances']
const params = strict({ instanceId: Uuid })

const SignInShape = strict(
  {
    issuer: orNull(Type.String({ description: 'Identity provider of the instance; null: none' })),
    isRequired: Type.Boolean({ description: 'Whether members can sign in with it only' }),
    triedOn: orNull(Type.String({ ...PlainTimestamp, description: 'When an administrator first signed in with it; null: not yet' })),
  },
  { title: 'InstanceSignIn' },
)

/** How members of an instance sign in. */
export function instanceSignInRoutes(deps: OperatorDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [getSignInRoute, allowPasswordsRoute])
}

const getSignInRoute = route(
  {
    method: 'GET',
    url: '/instances/:instanceId/sign-in',
    operator: 'open',
    schema: {
      tags,
      operationId: 'getInstanceSignIn',
      summary: 'How members of an instance sign in',
      params,
      response: { 200: SignInShape },
    },
  },
  async ({ database }: OperatorDeps, { params: { instanceId } }) => {
    await getInstance(database, instanceId)
    const provider = await findIdentityProvider(database, instanceId)
    const triedOn = provider?.triedAt ? toPlainTimestamp(provider.triedAt) : null
    return { issuer: provider?.issuer ?? null, isRequired: provider?.isRequired ?? false, triedOn }
  },
)

const allowPasswordsRoute = route(
  {
    method: 'POST',
    url: '/instances/:instanceId/allow-passwords',
    operator: 'open',
    proof: 'fresh',
    audit: 'instance.passwords-allowed',
    schema: {
      tags,
      operationId: 'allowPasswords',
      summary: 'Let passwords of an instance’s members work again',
      description:
        'For an instance that requires its identity provider and cannot use it. The provider stays set. 409 where it is not required.',
      params,
      response: { 204: NoContent },
    },
  },
  async (deps: OperatorDeps, request, reply) => {
    await allowPasswords(contextOf(deps), request.params.instanceId)
    return reply.code(204).send(null)
  },
)
