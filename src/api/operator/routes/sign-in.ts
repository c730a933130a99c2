import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { toNetwork } from '../../../model/values/network.ts'
import { route, routes } from '../../http/route.ts'
import { operatorCookie } from '../../http/session-cookie.ts'
import { keep, NewPassword, Password, proof, RecoveryCodes, TwoStepSecret } from '../../routes/access/auth-schemas.ts'
import { readProof } from '../../routes/access/second-step.ts'
import { NoContent, strict, Uuid } from '../../schemas/schemas.ts'
import { redeemOperatorLink } from '../links.ts'
import type { OperatorCaller } from '../operator-caller.ts'
import { type SignedIn, signIn, signOut } from '../sign-in.ts'
import { beginSetup, confirmSetup, proveSecondStep, renewCodes } from '../two-step.ts'
import { Email, type OperatorDeps } from './shapes.ts'

const tags = ['Sign-in']
const bodyLimit = 8_192
/** With the answer of a passkey. */
const PROOF_BYTES = 32_768
const Step = Type.Enum(['setup', 'second', 'open'], {
  description:
    'setup: two-step sign-in has to be set up; second: the code is missing; open: the session is complete. Before, it opens nothing else',
})
const SignedInShape = {
  token: Type.String({ description: 'For `Authorization: Bearer …`; empty when a cookie keeps it. Each step gives another' }),
  step: Step,
  name: Type.String({ description: 'Name of the operator' }),
}
export const SignedInAnswer = strict(SignedInShape, { title: 'OperatorSession' })
const code = Type.String({ pattern: '^[0-9]{6}$', examples: ['492039'] })

/** Sign-in of operators: password, second factor, one-time links. */
export function signInRoutes(deps: OperatorDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [
    ...[signInRoute, secondStepRoute, beginSetupRoute, confirmSetupRoute, renewCodesRoute],
    ...[getSessionRoute, signOutRoute, redeemLinkRoute],
  ])
}

const signInRoute = route(
  {
    method: 'POST',
    url: '/sign-in',
    operator: 'public',
    isPauseProof: true,
    bodyLimit,
    audit: { none: 'an entry is made when the sign-in is complete', except: ['operator.refused'] },
    schema: {
      tags,
      operationId: 'signInOperator',
      summary: 'Begin a session with e-mail address and password',
      description: 'Five wrong passwords in a quarter of an hour close the account to networks that it has not signed in from (429).',
      security: [],
      body: strict({ email: Email, password: Password, keep }),
      response: { 200: SignedInAnswer },
    },
  },
  async (deps: OperatorDeps, request, reply) => {
    const { email, password, keep } = request.body
    return handOut(deps, reply, await signIn(deps.access, email, password, toNetwork(request.ip)), keep)
  },
)

const secondStepRoute = route(
  {
    method: 'POST',
    url: '/sign-in/second-step',
    operator: 'second',
    isPauseProof: true,
    bodyLimit: PROOF_BYTES,
    audit: ['operator.signed-in', 'operator.refused'],
    schema: {
      tags,
      operationId: 'completeOperatorSignIn',
      summary: 'Complete a sign-in with a code',
      description: 'Five tries within ten minutes; a code works once.',
      body: strict({ ...proof, keep }),
      response: { 200: SignedInAnswer },
    },
  },
  async (deps: OperatorDeps, request, reply) => {
    const { keep, ...proven } = request.body
    return handOut(deps, reply, await proveSecondStep(deps.access, request.operator, readProof(proven), toNetwork(request.ip)), keep)
  },
)

const beginSetupRoute = route(
  {
    method: 'POST',
    url: '/sign-in/two-step',
    operator: 'setup',
    isPauseProof: true,
    bodyLimit,
    audit: 'operator.two-step-begun',
    schema: {
      tags,
      operationId: 'beginOperatorTwoStep',
      summary: 'Begin to set up two-step sign-in, which operators need',
      response: { 200: TwoStepSecret },
    },
  },
  async ({ access }: OperatorDeps, request) => await beginSetup(access, request.operator),
)

const confirmSetupRoute = route(
  {
    method: 'POST',
    url: '/sign-in/two-step/confirm',
    operator: 'setup',
    isPauseProof: true,
    bodyLimit,
    audit: ['operator.two-step-enabled', 'operator.signed-in'],
    schema: {
      tags,
      operationId: 'confirmOperatorTwoStep',
      summary: 'Turn two-step sign-in on, which completes the sign-in',
      body: strict({ code, keep }),
      response: { 200: strict({ ...SignedInShape, ...RecoveryCodes.properties }, { title: 'OperatorTwoStep' }) },
    },
  },
  async (deps: OperatorDeps, request, reply) => {
    const { code, keep } = request.body
    const { recoveryCodes, ...opened } = await confirmSetup(deps.access, request.operator, code, toNetwork(request.ip))
    return { ...handOut(deps, reply, opened, keep), recoveryCodes }
  },
)

const renewCodesRoute = route(
  {
    method: 'POST',
    url: '/sign-in/recovery-codes',
    operator: 'open',
    proof: 'body',
    bodyLimit: PROOF_BYTES,
    audit: ['operator.codes-renewed', 'operator.refused'],
    schema: {
      tags,
      operationId: 'renewOperatorCodes',
      summary: 'Get new recovery codes',
      description: 'The old codes are void.',
      body: strict(proof),
      response: { 200: RecoveryCodes },
    },
  },
  async ({ access }: OperatorDeps, request) => ({ recoveryCodes: await renewCodes(access, request.operator, readProof(request.body)) }),
)

const getSessionRoute = route(
  {
    method: 'GET',
    url: '/session',
    operator: 'any',
    schema: {
      tags,
      operationId: 'getOperatorSession',
      summary: 'The operator behind the session',
      response: { 200: strict({ operatorId: Uuid, email: Type.String(), name: Type.String(), step: Step }, { title: 'OperatorWhoami' }) },
    },
  },
  async (_deps: OperatorDeps, { operator }) => toWhoami(operator),
)

const signOutRoute = route(
  {
    method: 'DELETE',
    url: '/session',
    operator: 'any',
    isPauseProof: true,
    audit: 'operator.signed-out',
    schema: { tags, operationId: 'signOutOperator', summary: 'End the session, at once in every process', response: { 204: NoContent } },
  },
  async ({ access, settings }: OperatorDeps, request, reply) => {
    await signOut(access, request.operator)
    operatorCookie.clear(request, reply, settings.publicUrl.startsWith('https:'))
    return reply.code(204).send(null)
  },
)

const redeemLinkRoute = route(
  {
    method: 'POST',
    url: '/one-time-link',
    operator: 'public',
    isPauseProof: true,
    bodyLimit,
    audit: 'operator.password-set',
    schema: {
      tags,
      operationId: 'redeemOperatorLink',
      summary: 'Set a password by a one-time link',
      description: 'All sessions of the operator end. 400 for a link that is unknown, was used or has run out.',
      security: [],
      body: strict({ token: Type.String({ minLength: 1, maxLength: 200 }), password: NewPassword }),
      response: { 204: NoContent },
    },
  },
  async ({ access }: OperatorDeps, request, reply) => {
    await redeemOperatorLink(access, request.body.token, request.body.password)
    return reply.code(204).send(null)
  },
)

/** Returns the token in the response or as a cookie. */
export function handOut({ settings }: OperatorDeps, reply: FastifyReply, signedIn: SignedIn, destination: 'answer' | 'cookie' = 'answer') {
  if (destination === 'answer') return signedIn
  operatorCookie.write(reply, signedIn.token, settings.publicUrl.startsWith('https:'))
  return { ...signedIn, token: '' }
}

function toWhoami({ operatorId, email, operatorName, step }: OperatorCaller) {
  return { operatorId, email, name: operatorName, step }
}
