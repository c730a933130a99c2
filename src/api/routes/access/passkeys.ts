import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Access } from '../../access/access.ts'
import { getOwnAccount } from '../../access/account/own-account.ts'
import { readers } from '../../access/caller.ts'
import { toCreationAnswer, toRequestAnswer } from '../../access/passkeys/options.ts'
import {
  addOwnPasskey,
  beginOwnPasskey,
  beginPasskeyProof,
  getOwnPasskey,
  listOwnPasskeys,
  removeOwnPasskey,
  renameOwnPasskey,
} from '../../access/passkeys/own-passkeys.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { NoContent, strict, Uuid } from '../../schemas/schemas.ts'
import { RecoveryCodes } from './auth-schemas.ts'
import { PasskeyCreation, PasskeyName, PasskeyRegistration, PasskeyRequest, PasskeyShape, presentPasskey } from './passkey-schemas.ts'

const tags = ['Account']
const params = strict({ passkeyId: Uuid })

/** Passkeys of the caller. */
export function passkeyRoutes(access: Access): FastifyPluginAsyncTypebox {
  return routes(access, [
    ...[listPasskeysRoute, beginPasskeyRoute, addPasskeyRoute, getPasskeyRoute, renamePasskeyRoute, removePasskeyRoute],
    beginProofRoute,
  ])
}

const listPasskeysRoute = route(
  {
    method: 'GET',
    url: '/auth/passkeys',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    schema: { tags, operationId: 'listPasskeys', summary: 'The own passkeys, oldest first', response: { 200: Type.Array(PasskeyShape) } },
  },
  async (access: Access, request) => (await listOwnPasskeys(access, request.user)).map(presentPasskey),
)

const beginPasskeyRoute = route(
  {
    method: 'POST',
    url: '/auth/passkeys/options',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    proof: 'fresh',
    audit: { none: 'a challenge that ends in five minutes by itself' },
    schema: {
      tags,
      operationId: 'beginPasskeyRegistration',
      summary: 'Begin to add a passkey',
      description: 'Gives what the browser needs to make one. 409 where BASE_URL has no host name, and at 20 passkeys.',
      response: { 200: PasskeyCreation },
    },
  },
  async (access: Access, request) => toCreationAnswer(await beginOwnPasskey(access, request.user)),
)

const addPasskeyRoute = route(
  {
    method: 'POST',
    url: '/auth/passkeys',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    proof: 'fresh',
    bodyLimit: 32_768,
    audit: 'passkey.added',
    schema: {
      tags,
      operationId: 'createPasskey',
      summary: 'Add a passkey as a second step',
      description:
        'From then on a login asks for a second step. The first second step of an account comes with recovery codes; otherwise there are none ' +
        'in the answer, and those from before stay good. 400 for an answer that is not to the last options, or not from this deployment’s pages.',
      body: strict({ name: PasskeyName, passkey: PasskeyRegistration }),
      response: { 201: strict({ passkey: PasskeyShape, ...RecoveryCodes.properties }, { title: 'NewPasskey' }) },
    },
  },
  async (access: Access, request, reply) => {
    const { name, passkey: response } = request.body
    const added = await addOwnPasskey(access, request.user, { id: newIdFor(request), name: name.trim(), response })
    return reply.code(201).send({ passkey: presentPasskey(added.passkey), recoveryCodes: added.recoveryCodes })
  },
)

const getPasskeyRoute = route(
  {
    method: 'GET',
    url: '/auth/passkeys/:passkeyId',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    observed: ['lastUsedOn'],
    schema: { tags, operationId: 'getPasskey', summary: 'One of the own passkeys', params, response: { 200: PasskeyShape } },
  },
  async (access: Access, request) => presentPasskey(await getOwnPasskey(access, request.user, request.params.passkeyId)),
)

const renamePasskeyRoute = route(
  {
    method: 'PUT',
    url: '/auth/passkeys/:passkeyId',
    scope: 'users',
    roles: readers,
    proof: 'fresh',
    audit: 'passkey.renamed',
    observed: ['lastUsedOn'],
    schema: {
      tags,
      operationId: 'renamePasskey',
      summary: 'Rename a passkey',
      description: 'Its name is for its holder alone, to tell passkeys apart.',
      params,
      body: strict({ name: PasskeyName }),
      response: { 200: PasskeyShape },
    },
  },
  async (access: Access, request) =>
    presentPasskey(await renameOwnPasskey(access, request.user, request.params.passkeyId, request.body.name.trim())),
)

const removePasskeyRoute = route(
  {
    method: 'DELETE',
    url: '/auth/passkeys/:passkeyId',
    scope: 'users',
    roles: readers,
    proof: 'fresh',
    audit: 'passkey.removed',
    schema: {
      tags,
      operationId: 'deletePasskey',
      summary: 'Remove a passkey',
      description: 'With the last second step, two-step login is off; 409 while the instance requires it.',
      params,
      response: { 204: NoContent },
    },
  },
  async (access: Access, request, reply) => {
    await removeOwnPasskey(access, request.user, request.params.passkeyId)
    return reply.code(204).send(null)
  },
)

const beginProofRoute = route(
  {
    method: 'POST',
    url: '/auth/proof/passkey',
    scope: 'users',
    roles: readers,
    isTwoStepSetup: true,
    isPauseProof: true,
    audit: { none: 'a challenge that ends in five minutes by itself' },
    schema: {
      tags,
      operationId: 'beginPasskeyProof',
      summary: 'Begin a proof by a passkey',
      description: 'Wherever a code of the app is asked for, the answer of the browser may be given as `passkey`. 409 without a passkey.',
      response: { 200: PasskeyRequest },
    },
  },
  async (access: Access, request) => toRequestAnswer(await beginPasskeyProof(access, await getOwnAccount(access, request.user))),
)
