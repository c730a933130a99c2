import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { isSubscribableEvent, type SubscribableEvent } from '../../../model/events.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findSubscription, listSubscriptions } from '../../../store/webhooks/subscriptions.ts'
import { sendTestEvent } from '../../../webhooks/replay.ts'
import { listSecrets, promoteSecret, retireSecrets, revokeSecrets, rotateSecret } from '../../../webhooks/secrets.ts'
import { changeSubscription, resumeSubscription, subscribe, unsubscribe } from '../../../webhooks/subscriptions.ts'
import { developers, readers } from '../../access/caller.ts'
import { badField, notFound } from '../../errors/errors.ts'
import { mapWebhookErrors } from '../../errors/webhook-errors.ts'
import { Nothing, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import {
  CallbackUrl,
  EventName,
  GracePeriod,
  NewSubscription,
  presentSecret,
  presentSubscription,
  Secret,
  SecretShape,
  SubscriptionChange,
  SubscriptionShape,
} from './webhook-schemas.ts'

const tags = ['Webhooks']
const path = strict({ subscriptionId: Uuid })

/** Webhook subscription routes. */
export function subscriptionRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  const { webhooks } = deps
  const known = <T>(found: T | null): T => {
    if (found === null) throw notFound('subscription')
    return found
  }

  return async (app) => {
    app.post(
      '/webhooks/subscriptions/:eventName',
      {
        config: { roles: developers },
        schema: {
          tags,
          summary: 'Subscribe to an event',
          description: 'Error, Suspended and Disconnected come with any subscription. The secret is shown this once.',
          operationId: 'subscribe',
          params: strict({ eventName: EventName }),
          body: strict({ callbackUrl: CallbackUrl }),
          response: { 200: NewSubscription },
        },
      },
      async (request) => {
        const target = { event: checkedEvent('eventName', request.params.eventName), callbackUrl: request.body.callbackUrl }
        const { id, event, callbackUrl, secret } = await mapWebhookErrors(subscribe(webhooks, request.caller.instanceId, target))
        return { id, event, callbackUrl, secret }
      },
    )
    app.get(
      '/webhooks/subscriptions',
      {
        config: { roles: readers },
        schema: { tags, summary: 'All subscriptions', operationId: 'listSubscriptions', response: { 200: Type.Array(SubscriptionShape) } },
      },
      async (request) => (await listSubscriptions(deps.database, request.caller.instanceId)).map(presentSubscription),
    )
    app.get(
      '/webhooks/subscriptions/:subscriptionId',
      {
        config: { roles: readers },
        schema: { tags, summary: 'One subscription', operationId: 'getSubscription', params: path, response: { 200: SubscriptionShape } },
      },
      async (request) =>
        presentSubscription(known(await findSubscription(deps.database, request.caller.instanceId, request.params.subscriptionId))),
    )
    app.put(
      '/webhooks/subscriptions/:subscriptionId',
      {
        config: { roles: developers },
        schema: {
          tags,
          summary: 'Change event or address; what is left out stays',
          operationId: 'changeSubscription',
          params: path,
          body: SubscriptionChange,
          response: { 200: SubscriptionShape },
        },
      },
      async (request) => {
        const { event, callbackUrl } = request.body
        const change = {
          ...(event === undefined ? {} : { event: checkedEvent('event', event) }),
          ...(callbackUrl === undefined ? {} : { callbackUrl }),
        }
        const { subscriptionId } = request.params
        return presentSubscription(
          known(await mapWebhookErrors(changeSubscription(webhooks, request.caller.instanceId, subscriptionId, change))),
        )
      },
    )
    app.delete(
      '/webhooks/subscriptions/:subscriptionId',
      {
        config: { roles: developers },
        schema: { tags, summary: 'Unsubscribe', operationId: 'unsubscribe', params: path, response: { 204: Nothing } },
      },
      async (request, reply) => {
        if (!(await unsubscribe(webhooks, request.caller.instanceId, request.params.subscriptionId))) throw notFound('subscription')
        reply.code(204)
        return null
      },
    )
    app.post(
      '/webhooks/subscriptions/:subscriptionId/enable',
      {
        config: { roles: developers },
        schema: {
          tags,
          summary: 'Put a disabled subscription back to work',
          operationId: 'enableSubscription',
          params: path,
          body: strict({ recover: Type.Optional(Type.Boolean({ default: false, description: 'Deliver what it missed, too' })) }),
          response: { 200: strict({ subscription: SubscriptionShape, recovered: Type.Integer() }) },
        },
      },
      async (request) => {
        const options = { recover: request.body.recover ?? false }
        const { subscriptionId } = request.params
        const resumed = known(await mapWebhookErrors(resumeSubscription(webhooks, request.caller.instanceId, subscriptionId, options)))
        return { subscription: presentSubscription(resumed.subscription), recovered: resumed.recovered }
      },
    )
    app.post(
      '/webhooks/subscriptions/:subscriptionId/test',
      {
        config: { roles: developers },
        schema: {
          tags,
          summary: 'Send a test event to this subscription alone',
          operationId: 'testSubscription',
          params: path,
          response: { 202: strict({ eventId: Uuid }) },
        },
      },
      async (request, reply) => {
        const eventId = known(await mapWebhookErrors(sendTestEvent(webhooks, request.caller.instanceId, request.params.subscriptionId)))
        reply.code(202)
        return { eventId }
      },
    )
    app.post(
      '/webhooks/subscriptions/:subscriptionId/secret/rotate',
      {
        config: { roles: developers },
        schema: {
          tags,
          summary: 'Announce a new secret: headers carry both signatures, bodies the old one until it is promoted',
          operationId: 'rotateSecret',
          params: path,
          body: GracePeriod,
          response: { 200: strict({ secret: Secret, signsBodiesFrom: PlainTimestamp }) },
        },
      },
      async (request) => {
        const { subscriptionId } = request.params
        const rotated = known(
          await mapWebhookErrors(rotateSecret(webhooks, request.caller.instanceId, subscriptionId, request.body.graceHours)),
        )
        return { secret: rotated.secret, signsBodiesFrom: toPlainTimestamp(rotated.activeFrom) }
      },
    )
    app.post(
      '/webhooks/subscriptions/:subscriptionId/secret/promote',
      {
        config: { roles: developers },
        schema: {
          tags,
          summary: 'Let the announced secret sign bodies now',
          operationId: 'promoteSecret',
          params: path,
          body: GracePeriod,
          response: { 200: strict({ signsBodiesFrom: PlainTimestamp }) },
        },
      },
      async (request) => {
        const { subscriptionId } = request.params
        const promoted = known(
          await mapWebhookErrors(promoteSecret(webhooks, request.caller.instanceId, subscriptionId, request.body.graceHours)),
        )
        return { signsBodiesFrom: toPlainTimestamp(promoted.activeFrom) }
      },
    )
    app.get(
      '/webhooks/subscriptions/:subscriptionId/secrets',
      {
        config: { roles: developers },
        schema: {
          tags,
          summary: 'The active secrets and what each signs, without the secrets themselves',
          operationId: 'listSecrets',
          params: path,
          response: { 200: Type.Array(SecretShape) },
        },
      },
      async (request) => {
        const { instanceId } = request.caller
        const { id } = known(await findSubscription(deps.database, instanceId, request.params.subscriptionId))
        return (await listSecrets(webhooks, instanceId, id)).map(presentSecret)
      },
    )
    app.post(
      '/webhooks/subscriptions/:subscriptionId/secret/retire',
      {
        config: { roles: developers },
        schema: {
          tags,
          summary: 'End the secrets before the present one now, once the receiver knows that one',
          operationId: 'retireSecrets',
          params: path,
          response: { 200: strict({ retired: Type.Integer() }) },
        },
      },
      async (request) => ({
        retired: known(await mapWebhookErrors(retireSecrets(webhooks, request.caller.instanceId, request.params.subscriptionId))),
      }),
    )
    app.post(
      '/webhooks/subscriptions/:subscriptionId/secret/revoke',
      {
        config: { roles: developers },
        schema: {
          tags,
          summary: 'End every secret now and make a new one, for one that leaked',
          operationId: 'revokeSecrets',
          params: path,
          response: { 200: strict({ secret: Secret, signsBodiesFrom: PlainTimestamp }) },
        },
      },
      async (request) => {
        const made = known(await mapWebhookErrors(revokeSecrets(webhooks, request.caller.instanceId, request.params.subscriptionId)))
        return { secret: made.secret, signsBodiesFrom: toPlainTimestamp(made.activeFrom) }
      },
    )
  }
}

export function checkedEvent(field: string, name: string): SubscribableEvent {
  if (!isSubscribableEvent(name)) throw badField(field, 'is not an event that can be subscribed')
  return name
}
