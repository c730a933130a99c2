import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { listDeliveries } from '../../../store/webhooks/delivery-log.ts'
import { findEventBody } from '../../../store/webhooks/events.ts'
import { listEvents, UnknownCursor } from '../../../store/webhooks/feed-pages.ts'
import { findSubscription } from '../../../store/webhooks/subscriptions.ts'
import { countReplayToSubscription, replayEvent, replayOneDelivery, replayToSubscription } from '../../../webhooks/replay.ts'
import { developers, readers } from '../../access/caller.ts'
import { badField, notFound, orNotFound } from '../../errors/errors.ts'
import { mapWebhookErrors } from '../../errors/webhook-errors.ts'
import { route, routes } from '../../http/route.ts'
import { listQuerySchema, pageOf, readListQuery, withStoreNames } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { orNull, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { eventVisibilityOf, withAuditRights } from './audit-rights.ts'
import { toSelection } from './replay-selection.ts'
import { DeliveryShape, EventShape, presentDelivery, ReplayBody, ReplayCount, Replayed, ReplayQuery } from './webhook-schemas.ts'

/** API names of the listed properties; the store calls instants `…At`. */
const STORE_NAMES = { createdOn: 'createdAt', deliveredOn: 'deliveredAt', nextAttemptOn: 'dueAt' }
const LIST = {
  filter: {
    id: 'uuid',
    eventId: 'uuid',
    kind: 'string',
    subscriptionId: 'uuid',
    status: 'string',
    attemptCount: 'number',
    createdOn: 'date',
    deliveredOn: 'date',
    nextAttemptOn: 'date',
  },
  orderBy: ['createdOn', 'id', 'eventId', 'kind', 'subscriptionId', 'status', 'attemptCount', 'deliveredOn', 'nextAttemptOn'],
} as const

const FEED_LIMIT = 100
const tags = ['Webhooks']

/** Delivery routes: what was sent to whom, redelivery, and the event feed that closes any gap. */
export function deliveryRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  const table = routes(deps, [
    listDeliveriesRoute,
    replayDeliveryRoute,
    replayToSubscriptionRoute,
    countReplayRoute,
    listEventsRoute,
    getEventRoute,
    replayEventRoute,
  ])
  return withAuditRights(deps, table)
}

const listDeliveriesRoute = route(
  {
    method: 'GET',
    url: '/webhooks/deliveries',
    replica: true,
    scope: 'webhooks:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Deliveries with their attempts',
      operationId: 'listDeliveries',
      querystring: listQuerySchema(LIST),
      response: { 200: pageOf(DeliveryShape) },
    },
  },
  async ({ database }: RouteDeps, request, reply) => {
    const list = readListQuery(request.query, LIST)
    const selection = { ...withStoreNames(list, STORE_NAMES), ...eventVisibilityOf(request.caller) }
    const { deliveries, total } = await listDeliveries(database, request.caller.instanceId, selection)
    return listPage(reply, list, deliveries.map(presentDelivery), total)
  },
)

const replayDeliveryRoute = route(
  {
    method: 'POST',
    url: '/webhooks/deliveries/:deliveryId/replay',
    scope: 'webhooks:write',
    roles: developers,
    audit: 'events.replayed',
    schema: {
      tags,
      summary: 'Make one delivery again: same id, new timestamp',
      operationId: 'replayDelivery',
      params: strict({ deliveryId: Uuid }),
      response: { 202: Replayed },
    },
  },
  async ({ webhooks }: RouteDeps, request, reply) => {
    const { caller, params } = request
    const isReplayed = await mapWebhookErrors(replayOneDelivery(webhooks, caller.instanceId, params.deliveryId, eventVisibilityOf(caller)))
    if (!isReplayed) throw notFound('delivery')
    reply.code(202)
    return { deliveries: 1 }
  },
)

const replayToSubscriptionRoute = route(
  {
    method: 'POST',
    url: '/webhooks/subscriptions/:subscriptionId/replay',
    scope: 'webhooks:write',
    roles: developers,
    audit: 'events.replayed',
    schema: {
      tags,
      summary: 'Deliver events again: one, a range, or all undelivered ones',
      operationId: 'replayEvents',
      params: strict({ subscriptionId: Uuid }),
      body: ReplayBody,
      response: { 202: Replayed },
    },
  },
  async ({ webhooks }: RouteDeps, request, reply) => {
    const { subscriptionId } = request.params
    const selection = toSelection(request.body)
    const deliveries = await mapWebhookErrors(replayToSubscription(webhooks, request.caller.instanceId, subscriptionId, selection))
    if (deliveries === null) throw notFound('subscription')
    reply.code(202)
    return { deliveries }
  },
)

const countReplayRoute = route(
  {
    method: 'GET',
    url: '/webhooks/subscriptions/:subscriptionId/replay',
    scope: 'webhooks:read',
    roles: developers,
    schema: {
      tags,
      summary: 'How many events a replay would deliver again',
      operationId: 'countEventsToReplay',
      params: strict({ subscriptionId: Uuid }),
      querystring: ReplayQuery,
      response: { 200: ReplayCount },
    },
  },
  async ({ database, webhooks }: RouteDeps, request) => {
    const { instanceId } = request.caller
    const subscription = orNotFound(await findSubscription(database, instanceId, request.params.subscriptionId), 'subscription')
    const selection = toSelection(request.query)
    return { deliveries: await mapWebhookErrors(countReplayToSubscription(webhooks, instanceId, subscription, selection)) }
  },
)

const listEventsRoute = route(
  {
    method: 'GET',
    url: '/webhooks/events',
    scope: 'webhooks:read',
    roles: readers,
    schema: {
      tags,
      summary: 'The event feed: ask again with the cursor, and nothing is ever missed',
      operationId: 'listEvents',
      querystring: strict({
        Cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        Limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: FEED_LIMIT })),
      }),
      response: { 200: strict({ data: Type.Array(EventShape), cursor: orNull(Type.String()), hasMore: Type.Boolean() }) },
    },
  },
  async ({ database }: RouteDeps, request) => {
    const { Cursor, Limit } = request.query
    const { instanceId } = request.caller
    try {
      const page = { instanceId, after: Cursor ?? null, limit: Limit ?? FEED_LIMIT }
      const feed = await listEvents(database, { ...page, ...eventVisibilityOf(request.caller) })
      return { data: feed.events.map((event) => JSON.parse(event.body)), cursor: feed.cursor, hasMore: feed.hasMore }
    } catch (error) {
      if (error instanceof UnknownCursor) throw badField('Cursor', 'is not a cursor of this feed')
      throw error
    }
  },
)

const getEventRoute = route(
  {
    method: 'GET',
    url: '/webhooks/events/:eventId',
    scope: 'webhooks:read',
    roles: readers,
    schema: {
      tags,
      summary: 'One event',
      operationId: 'getEvent',
      params: strict({ eventId: Uuid }),
      response: { 200: EventShape },
    },
  },
  async ({ database }: RouteDeps, request) => {
    const body = await findEventBody(database, request.caller.instanceId, request.params.eventId, eventVisibilityOf(request.caller))
    if (body === null) throw notFound('event')
    return JSON.parse(body)
  },
)

const replayEventRoute = route(
  {
    method: 'POST',
    url: '/webhooks/events/:eventId/replay',
    scope: 'webhooks:write',
    roles: developers,
    audit: 'events.replayed',
    schema: {
      tags,
      summary: 'Deliver one event again to every subscription that gets its kind',
      operationId: 'replayEvent',
      params: strict({ eventId: Uuid }),
      response: { 202: Replayed },
    },
  },
  async ({ webhooks }: RouteDeps, request, reply) => {
    const { caller, params } = request
    const deliveries = await mapWebhookErrors(replayEvent(webhooks, caller.instanceId, params.eventId, eventVisibilityOf(caller)))
    if (deliveries === null) throw notFound('event')
    reply.code(202)
    return { deliveries }
  },
)
