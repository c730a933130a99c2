import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Access } from '../../access/access.ts'
import { readers } from '../../access/caller.ts'
import { beginSetup, confirmSetup, describeTwoStep, disableTwoStep, renewRecoveryCodes } from '../../access/login/two-step-setup.ts'
import { route, routes } from '../../http/route.ts'
import { NoContent, strict } from '../../schemas/schemas.ts'
import { endOtherSessions, Password, proof, RecoveryCodes, TwoStepSecret, TwoStepState } from './auth-schemas.ts'
import { readProof } from './second-step.ts'

const tags = ['Account']
const bodyLimit = 32_768

/** Two-step login of the caller. Every change requires the password again. */
export function twoStepRoutes(access: Access): FastifyPluginAsyncTypebox {
  return routes(access, [getTwoStepRoute, beginTwoStepRoute, confirmTwoStepRoute, disableTwoStepRoute, renewRecoveryCodesRoute])
}

const getTwoStepRoute = route(
  {
    method: 'GET',
    url: '/auth/two-step/setup',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    schema: { tags, operationId: 'getTwoStep', summary: 'Whether two-step login is on', response: { 200: TwoStepState } },
  },
  async (access: Access, request) => describeTwoStep(access, request.user),
)

const beginTwoStepRoute = route(
  {
    method: 'POST',
    url: '/auth/two-step/setup',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    bodyLimit,
    proof: 'fresh',
    audit: 'two-step.begun',
    schema: {
      tags,
      operationId: 'beginTwoStep',
      summary: 'Begin to set up two-step login',
      description: 'Gives a secret for an authenticator app. It is in use once a code of it was confirmed, within ten minutes.',
      body: strict({ password: Password }),
      response: { 200: TwoStepSecret },
    },
  },
  async (access: Access, request) => beginSetup(access, request.user, request.body.password),
)

const confirmTwoStepRoute = route(
  {
    method: 'POST',
    url: '/auth/two-step/setup/confirm',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    bodyLimit,
    proof: 'fresh',
    audit: 'two-step.enabled',
    schema: {
      tags,
      operationId: 'confirmTwoStep',
      summary: 'Turn two-step login on',
      body: strict({ code: Type.String({ pattern: '^[0-9]{6}$', examples: ['492039'] }), endOtherSessions }),
      response: { 200: RecoveryCodes },
    },
  },
  async (access: Access, request) => {
    const { code, endOtherSessions: endOthers } = request.body
    return { recoveryCodes: await confirmSetup(access, request.user, code, endOthers ?? false) }
  },
)

const disableTwoStepRoute = route(
  {
    method: 'POST',
    url: '/auth/two-step/disable',
    scope: 'users',
    roles: readers,
    bodyLimit,
    proof: 'body',
    audit: ['two-step.disabled', 'passkey.refused'],
    schema: {
      tags,
      operationId: 'disableTwoStep',
      summary: 'Remove the authenticator app',
      description: 'Without a passkey, two-step login is off then; 409 while the instance requires it.',
      body: strict({ password: Password, ...proof, endOtherSessions }),
      response: { 204: NoContent },
    },
  },
  async (access: Access, request, reply) => {
    await disableTwoStep(access, request.user, toConfirmation(request.body))
    return reply.code(204).send(null)
  },
)

const renewRecoveryCodesRoute = route(
  {
    method: 'POST',
    url: '/auth/two-step/recovery-codes',
    scope: 'users',
    roles: readers,
    bodyLimit,
    proof: 'body',
    audit: ['two-step.codes-renewed', 'passkey.refused'],
    schema: {
      tags,
      operationId: 'renewRecoveryCodes',
      summary: 'Get new recovery codes',
      description: 'The old codes are void.',
      body: strict({ password: Password, ...proof, endOtherSessions }),
      response: { 200: RecoveryCodes },
    },
  },
  async (access: Access, request) => ({
    recoveryCodes: await renewRecoveryCodes(access, request.user, toConfirmation(request.body)),
  }),
)

function toConfirmation(body: { password: string; endOtherSessions?: boolean } & Parameters<typeof readProof>[0]) {
  return { password: body.password, proof: readProof(body), endOtherSessions: body.endOtherSessions ?? false }
}
