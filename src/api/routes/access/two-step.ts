import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Access } from '../../access/access.ts'
import { readers } from '../../access/caller.ts'
import { beginSetup, confirmSetup, describeTwoStep, disableTwoStep, renewRecoveryCodes } from '../../access/two-step-setup.ts'
import { Nothing, strict } from '../../schemas/schemas.ts'
import { readProof } from './auth.ts'
import { endOtherSessions, Password, proof, RecoveryCodes, TwoStepSecret, TwoStepState } from './auth-schemas.ts'

const tags = ['Access']
const config = { roles: readers }
const bodyLimit = 8_192

/** Two-step login of the caller. Every change requires the password again. */
export function twoStepRoutes(access: Access): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/auth/two-step/setup', { config, schema: stateSchema }, async (request) => describeTwoStep(access, request.caller))

    app.post('/auth/two-step/setup', { config, bodyLimit, schema: beginSchema }, async (request) =>
      beginSetup(access, request.caller, request.body.password),
    )

    app.post('/auth/two-step/setup/confirm', { config, bodyLimit, schema: confirmSchema }, async (request) => {
      const { code, endOtherSessions: endOthers } = request.body
      return { recoveryCodes: await confirmSetup(access, request.caller, code, endOthers ?? false) }
    })

    app.post('/auth/two-step/disable', { config, bodyLimit, schema: disableSchema }, async (request, reply) => {
      await disableTwoStep(access, request.caller, toConfirmation(request.body))
      return reply.code(204).send(null)
    })

    app.post('/auth/two-step/recovery-codes', { config, bodyLimit, schema: renewSchema }, async (request) => ({
      recoveryCodes: await renewRecoveryCodes(access, request.caller, toConfirmation(request.body)),
    }))
  }
}

function toConfirmation(body: { password: string; code?: string; recoveryCode?: string; endOtherSessions?: boolean }) {
  return { password: body.password, proof: readProof(body), endOtherSessions: body.endOtherSessions ?? false }
}

const stateSchema = { tags, operationId: 'getTwoStep', summary: 'Whether two-step login is on', response: { 200: TwoStepState } }

const beginSchema = {
  tags,
  operationId: 'beginTwoStep',
  summary: 'Begin to set up two-step login',
  description: 'Gives a secret for an authenticator app. It is in use once a code of it was confirmed, within ten minutes.',
  body: strict({ password: Password }),
  response: { 200: TwoStepSecret },
}

const confirmSchema = {
  tags,
  operationId: 'confirmTwoStep',
  summary: 'Turn two-step login on',
  body: strict({ code: Type.String({ pattern: '^[0-9]{6}$', examples: ['492039'] }), endOtherSessions }),
  response: { 200: RecoveryCodes },
}

const disableSchema = {
  tags,
  operationId: 'disableTwoStep',
  summary: 'Turn two-step login off',
  body: strict({ password: Password, ...proof, endOtherSessions }),
  response: { 204: Nothing },
}

const renewSchema = {
  tags,
  operationId: 'renewRecoveryCodes',
  summary: 'Get new recovery codes',
  description: 'The old codes are void.',
  body: strict({ password: Password, ...proof, endOtherSessions }),
  response: { 200: RecoveryCodes },
}
