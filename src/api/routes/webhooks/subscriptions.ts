import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { isSubscribableEvent, type SubscribableEvent } from '../../../model/events.ts'
import { findSubscription, listSubscriptions } from '../../../store/webhooks/subscriptions.ts'
import { sendTestEvent } from '../../../webhooks/replay.ts'
import { changeSubscription, resumeSubscription, subscribe, unsubscribe } from '../../../webhooks/subscriptions.ts'
import { developers, readers } from '../../access/caller.ts'
import { badField, notFound } from '../../errors/errors.ts'
import { mapWebhookErrors } from '../../errors/webhook-errors.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { NoContent, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { checkAuditEvent, withAuditRights } from './audit-rights.ts'
import { CallbackUrl, EventName, NewSubscription, presentSubscription, SubscriptionChange, SubscriptionShape } from './webhook-schemas.ts'

const tags = ['Webhooks']
const path = strict({ subscriptionId: Uuid })

/** Webhook subscription routes. */
export function subscriptionRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  const table = routes(deps, [
    subscribeRoute,
    listSubscriptionsRoute,
    getSubscriptionRoute,
    changeSubscriptionRoute,
    unsubscribeRoute,
    enableSubscriptionRoute,
    testSubscriptionRoute,
  ])
  return withAuditRights(deps, table)
}

const subscribeRoute = route(
  {
    method: 'POST',
    url: '/webhooks/subscriptions/:eventName',
    scope: 'webhooks:write',
    roles: developers,
    proof: 'fresh',
    audit: 'subscription.created',
    schema: {
      tags,
      summary: 'Subscribe to an event',
      description:
        'Error, Suspended and Disconnected come with any subscription. The secret is shown this once. AuditEntry, the entries of the audit from now on, is for administrators and for API keys that also have the scope `audit:read`.',
      operationId: 'createSubscription',
      params: strict({ eventName: EventName }),
      body: strict({ callbackUrl: CallbackUrl }),
      response: { 200: NewSubscription },
    },
  },
  async ({ webhooks }: RouteDeps, request) => {
    const target = { event: checkedEvent('eventName', request.params.eventName), callbackUrl: request.body.callbackUrl }
    checkAuditEvent(request.caller, target.event)
    const { id, event, callbackUrl, secret } = await mapWebhookErrors(
      subscribe(webhooks, request.caller.instanceId, target, newIdFor(request)),
    )
    return { id, event, callbackUrl, secret }
  },
)

const listSubscriptionsRoute = route(
  {
    method: 'GET',
    url: '/webhooks/subscriptions',
    scope: 'webhooks:read',
    roles: readers,
    schema: { tags, summary: 'All subscriptions', operationId: 'listSubscriptions', response: { 200: Type.Array(SubscriptionShape) } },
  },
  async (deps: RouteDeps, request) => (await listSubscriptions(deps.database, request.caller.instanceId)).map(presentSubscription),
)

const getSubscriptionRoute = route(
  {
    method: 'GET',
    url: '/webhooks/subscriptions/:subscriptionId',
    scope: 'webhooks:read',
    roles: readers,
    observed: ['failingSince'],
    schema: { tags, summary: 'One subscription', operationId: 'getSubscription', params: path, response: { 200: SubscriptionShape } },
  },
  async ({ database }: RouteDeps, request) =>
    presentSubscription(knownSubscription(await findSubscription(database, request.caller.instanceId, request.params.subscriptionId))),
)

const changeSubscriptionRoute = route(
  {
    method: 'PUT',
    url: '/webhooks/subscriptions/:subscriptionId',
    scope: 'webhooks:write',
    roles: developers,
    proof: 'fresh',
    audit: 'subscription.changed',
    schema: {
      tags,
      summary: 'Change event or address; what is left out stays',
      operationId: 'updateSubscription',
      params: path,
      body: SubscriptionChange,
      response: { 200: SubscriptionShape },
    },
  },
  async ({ webhooks }: RouteDeps, request) => {
    const { event, callbackUrl } = request.body
    const change = {
      ...(event === undefined ? {} : { event: checkedEvent('event', event) }),
      ...(callbackUrl === undefined ? {} : { callbackUrl }),
    }
    checkAuditEvent(request.caller, change.event)
    const { subscriptionId } = request.params
    return presentSubscription(
      knownSubscription(await mapWebhookErrors(changeSubscription(webhooks, request.caller.instanceId, subscriptionId, change))),
    )
  },
)

const unsubscribeRoute = route(
  {
    method: 'DELETE',
    url: '/webhooks/subscriptions/:subscriptionId',
    scope: 'webhooks:write',
    roles: developers,
    proof: 'fresh',
    audit: 'subscription.deleted',
    schema: { tags, summary: 'Unsubscribe', operationId: 'deleteSubscription', params: path, response: { 204: NoContent } },
  },
  async ({ webhooks }: RouteDeps, request, reply) => {
    if (!(await unsubscribe(webhooks, request.caller.instanceId, request.params.subscriptionId))) throw notFound('subscription')
    reply.code(204)
    return null
  },
)

const enableSubscriptionRoute = route(
  {
    method: 'POST',
    url: '/webhooks/subscriptions/:subscriptionId/enable',
    scope: 'webhooks:write',
    roles: developers,
    proof: 'fresh',
    audit: 'subscription.enabled',
    schema: {
      tags,
      summary: 'Put a disabled subscription back to work',
      operationId: 'enableSubscription',
      params: path,
      body: strict({ recover: Type.Optional(Type.Boolean({ default: false, description: 'Deliver what it missed, too' })) }),
      response: { 200: strict({ subscription: SubscriptionShape, recovered: Type.Integer() }) },
    },
  },
  async ({ webhooks }: RouteDeps, request) => {
    const options = { recover: request.body.recover ?? false }
    const { subscriptionId } = request.params
    const resumed = knownSubscription(
      await mapWebhookErrors(resumeSubscription(webhooks, request.caller.instanceId, subscriptionId, options)),
    )
    return { subscription: presentSubscription(resumed.subscription), recovered: resumed.recovered }
  },
)

const testSubscriptionRoute = route(
  {
    method: 'POST',
    url: '/webhooks/subscriptions/:subscriptionId/test',
    scope: 'webhooks:write',
    roles: developers,
    audit: 'subscription.tested',
    schema: {
      tags,
      summary: 'Send a test event to this subscription alone',
      operationId: 'testSubscription',
      params: path,
      response: { 202: strict({ eventId: Uuid }) },
    },
  },
  async ({ webhooks }: RouteDeps, request, reply) => {
    const eventId = knownSubscription(
      await mapWebhookErrors(sendTestEvent(webhooks, request.caller.instanceId, request.params.subscriptionId)),
    )
    reply.code(202)
    return { eventId }
  },
)

export function knownSubscription<T>(found: T | null): T {
  if (found === null) throw notFound('subscription')
  return found
}

export function checkedEvent(field: string, name: string): SubscribableEvent {
  if (!isSubscribableEvent(name)) throw badField(field, 'is not an event that can be subscribed')
  return name
}
