import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { Access } from '../../access/access.ts'
import { readers } from '../../access/caller.ts'
import { describeProof, proveAgain, type SessionProof } from '../../access/proof/prove.ts'
import { route, routes } from '../../http/route.ts'
import { PlainTimestamp, strict } from '../../schemas/schemas.ts'
import { Password, proof } from './auth-schemas.ts'
import { readProof } from './second-step.ts'

const tags = ['Account']
const bodyLimit = 32_768

const ProofShape = strict(
  {
    provenOn: Type.String({ ...PlainTimestamp, description: 'When the user of the session last proved who it is' }),
    freshUntil: Type.String({ ...PlainTimestamp, description: 'Until then, changes that ask for a fresh proof are accepted' }),
    way: Type.Enum(['password', 'provider'], {
      description: 'password: by the password and the second step of the account; provider: by signing in again at the identity provider',
    }),
    twoStepVerify: Type.Boolean({ description: 'Whether a proof asks for a second step' }),
    hasPasskey: Type.Boolean({ description: 'Whether a passkey alone would do' }),
  },
  { title: 'SessionProof' },
)

/** Fresh proof of who the user of a session is. */
export function proofRoutes(access: Access): FastifyPluginAsyncTypebox {
  return routes(access, [getProofRoute, proveRoute])
}

const getProofRoute = route(
  {
    method: 'GET',
    url: '/auth/proof',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    schema: { tags, operationId: 'getProof', summary: 'How fresh the proof of the session is', response: { 200: ProofShape } },
  },
  async (access: Access, request) => toProofAnswer(await describeProof(access, request.user)),
)

const proveRoute = route(
  {
    method: 'POST',
    url: '/auth/proof',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    isPauseProof: true,
    proof: 'body',
    bodyLimit,
    audit: ['session.proven', 'session.proof-refused', 'passkey.refused'],
    schema: {
      tags,
      operationId: 'proveIdentity',
      summary: 'Prove again who the user of the session is',
      description:
        'Changes of users, API keys, subscriptions and secrets ask for a proof of the last 15 minutes; a login is one. Give the password and, ' +
        'where the account has two-step login, a code or a recovery code; or a passkey alone. Use the new access token from then on: the ones before keep the ' +
        'time of their own proof. Five wrong tries in a quarter of an hour are followed by 429. 409 for a session of an identity provider.',
      body: strict({ password: Type.Optional(Password), ...proof }, { examples: [{ password: '<password>' }] }),
      response: {
        200: strict({ access_token: Type.String({ description: 'Access token with the time of this proof' }), ...ProofShape.properties }),
      },
    },
  },
  async (access: Access, { user, body }) => {
    const { password = null, ...second } = body
    const given = { password, proof: Object.keys(second).length === 0 ? null : readProof(second) }
    const { accessToken, proof } = await proveAgain(access, user, given)
    return { access_token: accessToken, ...toProofAnswer(proof) }
  },
)

function toProofAnswer({ provenAt, freshUntil, way, twoStep, hasPasskey }: SessionProof) {
  return { provenOn: toPlainTimestamp(provenAt), freshUntil: toPlainTimestamp(freshUntil), way, twoStepVerify: twoStep, hasPasskey }
}
