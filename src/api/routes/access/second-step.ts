import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Access } from '../../access/access.ts'
import type { VerifiedChallenge } from '../../access/access-tokens.ts'
import { clientOf } from '../../access/account/client.ts'
import { readBearer } from '../../access/guard.ts'
import { completeLogin, findWaitingUser, type Proof } from '../../access/login/second-step.ts'
import { beginAssertion } from '../../access/passkeys/ceremonies.ts'
import { toRequestAnswer } from '../../access/passkeys/options.ts'
import { holderOf } from '../../access/passkeys/own-passkeys.ts'
import { badRequest, unauthorized } from '../../errors/errors.ts'
import { route } from '../../http/route.ts'
import { orNull, strict } from '../../schemas/schemas.ts'
import { keep, proof, TokenResponse } from './auth-schemas.ts'
import { type PasskeyAssertion, PasskeyRequest } from './passkey-schemas.ts'
import { handOutNew } from './token-answer.ts'

const tags = ['Access']
const bodyLimit = 32_768

export const completeLoginRoute = route(
  {
    method: 'POST',
    url: '/auth/two-step',
    roles: 'public',
    isPauseProof: true,
    bodyLimit,
    audit: ['login.succeeded', 'login.failed', 'passkey.refused', 'session.closed'],
    schema: {
      tags,
      operationId: 'completeLogin',
      summary: 'Complete a two-step login',
      description:
        'Send the `access_token` of the login as the bearer token. A challenge takes five tries; a code works once. `POST /auth/two-step/passkey` begins one with a passkey.',
      body: strict({ ...proof, keep }, { examples: [{ code: '492039' }] }),
      response: { 200: TokenResponse },
    },
  },
  async (access: Access, request, reply) => {
    const challenge = await readChallenge(access, request)
    const { keep: destination, ...proven } = request.body
    const tokens = await completeLogin(access, challenge, readProof(proven), clientOf(request))
    return await handOutNew(access, request, reply, tokens, destination)
  },
)

export const beginPasskeyLoginRoute = route(
  {
    method: 'POST',
    url: '/auth/two-step/passkey',
    roles: 'public',
    isPauseProof: true,
    bodyLimit,
    audit: { none: 'a challenge that ends in five minutes by itself' },
    schema: {
      tags,
      operationId: 'beginPasskeyLogin',
      summary: 'Begin the second step with a passkey',
      description: 'Send the `access_token` of the login as the bearer token. `options` is null for an account without a passkey.',
      response: {
        200: strict({
          options: orNull(PasskeyRequest),
          hasApp: Type.Boolean({ description: 'Whether a code of an authenticator app would do as well' }),
        }),
      },
    },
  },
  async (access: Access, request) => {
    const { user, hasApp } = await findWaitingUser(access, await readChallenge(access, request))
    const options = await beginAssertion(access, holderOf(user), 'login')
    return { options: options && toRequestAnswer(options), hasApp }
  },
)

/** Challenge of a login that waits for its second step. Throws a 401. */
async function readChallenge(access: Access, { headers }: Pick<FastifyRequest, 'headers'>): Promise<VerifiedChallenge> {
  const token = readBearer(headers.authorization)
  const challenge = token === null ? null : await access.tokens.verifyChallenge(token)
  if (!challenge) throw unauthorized('The login has run out. Start again with the password.')
  return challenge
}

/** Throws a 400 unless exactly one of them was given. */
export function readProof({ code, recoveryCode, passkey }: GivenProof): Proof {
  const given: Proof[] = []
  if (code !== undefined) given.push({ code })
  if (recoveryCode !== undefined) given.push({ recoveryCode })
  if (passkey !== undefined) given.push({ passkey })
  const [proof] = given
  if (proof !== undefined && given.length === 1) return proof
  throw badRequest('Give one of code, recoveryCode and passkey.', [
    { field: 'code', message: 'or recoveryCode or passkey is required, one of them' },
  ])
}

interface GivenProof {
  code?: string
  recoveryCode?: string
  passkey?: Static<typeof PasskeyAssertion>
}
