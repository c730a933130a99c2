import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findSubscription } from '../../../store/webhooks/subscriptions.ts'
import { listSecrets, promoteSecret, retireSecrets, revokeSecrets, rotateSecret } from '../../../webhooks/secrets.ts'
import { developers } from '../../access/caller.ts'
import { mapWebhookErrors } from '../../errors/webhook-errors.ts'
import { route, routes } from '../../http/route.ts'
import { PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { withAuditRights } from './audit-rights.ts'
import { knownSubscription } from './subscriptions.ts'
import { GracePeriod, presentSecret, Secret, SecretShape } from './webhook-schemas.ts'

const tags = ['Webhooks']
const path = strict({ subscriptionId: Uuid })

/** The secrets with which a subscription's deliveries are signed. */
export function secretRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  const table = routes(deps, [rotateSecretRoute, promoteSecretRoute, listSecretsRoute, retireSecretsRoute, revokeSecretsRoute])
  return withAuditRights(deps, table)
}

const rotateSecretRoute = route(
  {
    method: 'POST',
    url: '/webhooks/subscriptions/:subscriptionId/secret/rotate',
    scope: 'webhooks:write',
    roles: developers,
    proof: 'fresh',
    audit: 'webhook-secret.rotated',
    schema: {
      tags,
      summary: 'Announce a new secret: headers carry both signatures, bodies the old one until it is promoted',
      operationId: 'rotateSubscriptionSecret',
      params: path,
      body: GracePeriod,
      response: { 200: strict({ secret: Secret, signsBodiesFrom: PlainTimestamp }) },
    },
  },
  async ({ webhooks }: RouteDeps, request) => {
    const { subscriptionId } = request.params
    const rotated = knownSubscription(
      await mapWebhookErrors(rotateSecret(webhooks, request.caller.instanceId, subscriptionId, request.body.graceHours)),
    )
    return { secret: rotated.secret, signsBodiesFrom: toPlainTimestamp(rotated.activeFrom) }
  },
)

const promoteSecretRoute = route(
  {
    method: 'POST',
    url: '/webhooks/subscriptions/:subscriptionId/secret/promote',
    scope: 'webhooks:write',
    roles: developers,
    proof: 'fresh',
    audit: 'webhook-secret.promoted',
    schema: {
      tags,
      summary: 'Let the announced secret sign bodies now',
      operationId: 'promoteSubscriptionSecret',
      params: path,
      body: GracePeriod,
      response: { 200: strict({ signsBodiesFrom: PlainTimestamp }) },
    },
  },
  async ({ webhooks }: RouteDeps, request) => {
    const { subscriptionId } = request.params
    const promoted = knownSubscription(
      await mapWebhookErrors(promoteSecret(webhooks, request.caller.instanceId, subscriptionId, request.body.graceHours)),
    )
    return { signsBodiesFrom: toPlainTimestamp(promoted.activeFrom) }
  },
)

const listSecretsRoute = route(
  {
    method: 'GET',
    url: '/webhooks/subscriptions/:subscriptionId/secrets',
    scope: 'webhooks:read',
    roles: developers,
    schema: {
      tags,
      summary: 'The active secrets and what each signs, without the secrets themselves',
      operationId: 'listSubscriptionSecrets',
      params: path,
      response: { 200: Type.Array(SecretShape) },
    },
  },
  async (deps: RouteDeps, request) => {
    const { webhooks } = deps
    const { instanceId } = request.caller
    const { id } = knownSubscription(await findSubscription(deps.database, instanceId, request.params.subscriptionId))
    return (await listSecrets(webhooks, instanceId, id)).map(presentSecret)
  },
)

const retireSecretsRoute = route(
  {
    method: 'POST',
    url: '/webhooks/subscriptions/:subscriptionId/secret/retire',
    scope: 'webhooks:write',
    roles: developers,
    proof: 'fresh',
    audit: 'webhook-secret.retired',
    schema: {
      tags,
      summary: 'End the secrets before the present one now, once the receiver knows that one',
      operationId: 'retireSubscriptionSecrets',
      params: path,
      response: { 200: strict({ retired: Type.Integer() }) },
    },
  },
  async ({ webhooks }: RouteDeps, request) => ({
    retired: knownSubscription(await mapWebhookErrors(retireSecrets(webhooks, request.caller.instanceId, request.params.subscriptionId))),
  }),
)

const revokeSecretsRoute = route(
  {
    method: 'POST',
    url: '/webhooks/subscriptions/:subscriptionId/secret/revoke',
    scope: 'webhooks:write',
    roles: developers,
    proof: 'fresh',
    audit: 'webhook-secret.revoked',
    schema: {
      tags,
      summary: 'End every secret now and make a new one, for one that leaked',
      operationId: 'revokeSubscriptionSecrets',
      params: path,
      response: { 200: strict({ secret: Secret, signsBodiesFrom: PlainTimestamp }) },
    },
  },
  async ({ webhooks }: RouteDeps, request) => {
    const made = knownSubscription(
      await mapWebhookErrors(revokeSecrets(webhooks, request.caller.instanceId, request.params.subscriptionId)),
    )
    return { secret: made.secret, signsBodiesFrom: toPlainTimestamp(made.activeFrom) }
  },
)
