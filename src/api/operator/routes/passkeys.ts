import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toNetwork } from '../../../model/values/network.ts'
import { toCreationAnswer, toRequestAnswer } from '../../access/passkeys/options.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { keep, Password, proof, RecoveryCodes } from '../../routes/access/auth-schemas.ts'
import {
  PasskeyCreation,
  PasskeyName,
  PasskeyRegistration,
  PasskeyRequest,
  PasskeyShape,
  presentPasskey,
} from '../../routes/access/passkey-schemas.ts'
import { readProof } from '../../routes/access/second-step.ts'
import { NoContent, orNull, strict, Uuid } from '../../schemas/schemas.ts'
import {
  addOperatorPasskey,
  beginOperatorPasskey,
  beginOperatorProof,
  beginOperatorSecondStep,
  getOperatorPasskey,
  listOperatorPasskeys,
  removeOperatorPasskey,
  renameOperatorPasskey,
} from '../passkeys.ts'
import { proveOperator } from '../prove.ts'
import type { OperatorDeps } from './shapes.ts'
import { handOut, SignedInAnswer } from './sign-in.ts'

const tags = ['Sign-in']
const bodyLimit = 32_768
const params = strict({ passkeyId: Uuid })

/** Passkeys of operators, and the fresh proof of who they are. */
export function operatorPasskeyRoutes(deps: OperatorDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [
    ...[listRoute, beginRoute, addRoute, getRoute, renameRoute, removeRoute],
    ...[beginSignInRoute, beginProofRoute, checkProofRoute, proveRoute],
  ])
}

const listRoute = route(
  {
    method: 'GET',
    url: '/sign-in/passkeys',
    operator: 'open',
    schema: {
      tags,
      operationId: 'listOperatorPasskeys',
      summary: 'The own passkeys, oldest first',
      response: { 200: Type.Array(PasskeyShape) },
    },
  },
  async ({ access }: OperatorDeps, request) => (await listOperatorPasskeys(access, request.operator)).map(presentPasskey),
)

const beginRoute = route(
  {
    method: 'POST',
    url: '/sign-in/passkeys/options',
    operator: 'any',
    isPauseProof: true,
    proof: 'fresh',
    audit: { none: 'a challenge that ends in five minutes by itself' },
    schema: {
      tags,
      operationId: 'beginOperatorPasskey',
      summary: 'Begin to add a passkey, as the first second factor or as another one',
      response: { 200: PasskeyCreation },
    },
  },
  async ({ access }: OperatorDeps, request) => toCreationAnswer(await beginOperatorPasskey(access, request.operator)),
)

const addRoute = route(
  {
    method: 'POST',
    url: '/sign-in/passkeys',
    operator: 'any',
    isPauseProof: true,
    proof: 'fresh',
    bodyLimit,
    audit: ['operator.passkey-added', 'operator.signed-in'],
    schema: {
      tags,
      operationId: 'addOperatorPasskey',
      summary: 'Add a passkey; the first second factor completes the sign-in',
      body: strict({ name: PasskeyName, passkey: PasskeyRegistration, keep }),
      response: {
        201: strict(
          {
            passkey: PasskeyShape,
            session: orNull(SignedInAnswer),
            recoveryCodes: RecoveryCodes.properties.recoveryCodes,
          },
          { title: 'NewOperatorPasskey' },
        ),
      },
    },
  },
  async (deps: OperatorDeps, request, reply) => {
    const { name, passkey: response, keep } = request.body
    const given = { id: newIdFor(request), name: name.trim(), response, network: toNetwork(request.ip) }
    const { passkey, opened } = await addOperatorPasskey(deps.access, request.operator, given)
    if (opened === null) return reply.code(201).send({ passkey: presentPasskey(passkey), session: null, recoveryCodes: [] })
    const { recoveryCodes, ...session } = opened
    return reply.code(201).send({ passkey: presentPasskey(passkey), session: handOut(deps, reply, session, keep), recoveryCodes })
  },
)

const getRoute = route(
  {
    method: 'GET',
    url: '/sign-in/passkeys/:passkeyId',
    operator: 'open',
    observed: ['lastUsedOn'],
    schema: { tags, operationId: 'getOperatorPasskey', summary: 'One of the own passkeys', params, response: { 200: PasskeyShape } },
  },
  async ({ access }: OperatorDeps, request) => presentPasskey(await getOperatorPasskey(access, request.operator, request.params.passkeyId)),
)

const renameRoute = route(
  {
    method: 'PUT',
    url: '/sign-in/passkeys/:passkeyId',
    operator: 'open',
    proof: 'fresh',
    audit: 'operator.passkey-renamed',
    observed: ['lastUsedOn'],
    schema: {
      tags,
      operationId: 'renameOperatorPasskey',
      summary: 'Rename a passkey',
      description: 'Its name is for its holder alone, to tell passkeys apart.',
      params,
      body: strict({ name: PasskeyName }),
      response: { 200: PasskeyShape },
    },
  },
  async ({ access }: OperatorDeps, request) =>
    presentPasskey(await renameOperatorPasskey(access, request.operator, request.params.passkeyId, request.body.name.trim())),
)

const removeRoute = route(
  {
    method: 'DELETE',
    url: '/sign-in/passkeys/:passkeyId',
    operator: 'open',
    proof: 'fresh',
    audit: 'operator.passkey-removed',
    schema: {
      tags,
      operationId: 'removeOperatorPasskey',
      summary: 'Remove a passkey',
      description: '409 for the last second factor.',
      params,
      response: { 204: NoContent },
    },
  },
  async ({ access }: OperatorDeps, request, reply) => {
    await removeOperatorPasskey(access, request.operator, request.params.passkeyId)
    return reply.code(204).send(null)
  },
)

const beginSignInRoute = route(
  {
    method: 'POST',
    url: '/sign-in/second-step/passkey',
    operator: 'second',
    isPauseProof: true,
    audit: { none: 'a challenge that ends in five minutes by itself' },
    schema: {
      tags,
      operationId: 'beginOperatorPasskeySignIn',
      summary: 'Begin the second step with a passkey',
      description: '`options` is null for an account without a passkey.',
      response: { 200: strict({ options: orNull(PasskeyRequest), hasApp: Type.Boolean() }) },
    },
  },
  async ({ access }: OperatorDeps, request) => {
    const { options, hasApp } = await beginOperatorSecondStep(access, request.operator)
    return { options: options && toRequestAnswer(options), hasApp }
  },
)

const beginProofRoute = route(
  {
    method: 'POST',
    url: '/session/proof/passkey',
    operator: 'open',
    isPauseProof: true,
    audit: { none: 'a challenge that ends in five minutes by itself' },
    schema: {
      tags,
      operationId: 'beginOperatorPasskeyProof',
      summary: 'Begin a proof by a passkey',
      description: '409 without a passkey.',
      response: { 200: PasskeyRequest },
    },
  },
  async ({ access }: OperatorDeps, request) => toRequestAnswer(await beginOperatorProof(access, request.operator)),
)

const checkProofRoute = route(
  {
    method: 'GET',
    url: '/session/proof',
    operator: 'open',
    proof: 'fresh',
    schema: {
      tags,
      operationId: 'checkOperatorProof',
      summary: 'Whether the last proof still counts',
      description: '204, or 403 with the reason `proof-required`. For a page that is about to follow a link which needs one.',
      response: { 204: NoContent },
    },
  },
  async (_deps: OperatorDeps, _request, reply) => reply.code(204).send(null),
)

const proveRoute = route(
  {
    method: 'POST',
    url: '/session/proof',
    operator: 'open',
    isPauseProof: true,
    proof: 'body',
    bodyLimit,
    audit: ['operator.proven', 'operator.refused'],
    schema: {
      tags,
      operationId: 'proveOperator',
      summary: 'Prove again who the operator of the session is',
      description:
        'Changes of operators, their second factors and those of users, and the suspension, export and erasure of an instance ask for a ' +
        'proof of the last 15 minutes (403 with the reason `proof-required`); a sign-in is one. Give password and second step, or a passkey alone.',
      body: strict({ password: Type.Optional(Password), ...proof }),
      response: { 204: NoContent },
    },
  },
  async ({ access }: OperatorDeps, { operator, body }, reply) => {
    const { password = null, ...second } = body
    await proveOperator(access, operator, { password, proof: Object.keys(second).length === 0 ? null : readProof(second) })
    return reply.code(204).send(null)
  },
)
