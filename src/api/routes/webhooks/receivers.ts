import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { AUDIT_EVENT } from '../../../model/events.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { clearRequests, findRequest, listRequests } from '../../../store/webhooks/receiver-requests.ts'
import { findReceiver, listReceivers, type Receiver, type StoredRequest, writeBehaviour } from '../../../store/webhooks/receivers.ts'
import { closeReceiver, openReceiver } from '../../../webhooks/receivers.ts'
import { developers, readers } from '../../access/caller.ts'
import { badField, orNotFound } from '../../errors/errors.ts'
import { mapWebhookErrors } from '../../errors/webhook-errors.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { NoContent, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { receiverDepsOf } from './receiver-endpoint.ts'
import { Behaviour, NewReceiver, ReceiverShape, RequestShape, WholeRequest } from './receiver-schemas.ts'
import { checkedEvent } from './subscriptions.ts'
import { EventName } from './webhook-schemas.ts'

const tags = ['Webhooks']
const path = strict({ receiverId: Uuid })

/** Receivers of this deployment, for developers without an endpoint of their own. */
export function receiverRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [
    openReceiverRoute,
    listReceiversRoute,
    getReceiverRoute,
    changeReceiverRoute,
    closeReceiverRoute,
    listReceivedRequestsRoute,
    getReceivedRequestRoute,
    clearReceivedRequestsRoute,
  ])
}

const openReceiverRoute = route(
  {
    method: 'POST',
    url: '/webhooks/receivers',
    scope: 'webhooks:write',
    roles: developers,
    proof: 'fresh',
    audit: 'receiver.opened',
    schema: {
      tags,
      summary: 'Receive an event here: an address of this deployment, and a subscription that sends there',
      description:
        'Keeps the last 100 requests, 8 MiB and seven days of them at most; an instance may have ten. Its deliveries are signed, tried again and listed like all others. The secret is shown this once.',
      operationId: 'createReceiver',
      body: strict({ event: EventName }),
      response: { 200: NewReceiver },
    },
  },
  async (deps: RouteDeps, request) => {
    const event = checkedEvent('event', request.body.event)
    if (event === AUDIT_EVENT) throw badField('event', 'is not received here: everybody in the instance could read it')
    const { receiver, secret } = await mapWebhookErrors(
      openReceiver(receiverDepsOf(deps), request.caller.instanceId, event, newIdFor(request)),
    )
    return { ...present(receiver), secret }
  },
)

const listReceiversRoute = route(
  {
    method: 'GET',
    url: '/webhooks/receivers',
    scope: 'webhooks:read',
    roles: readers,
    schema: { tags, summary: 'All receivers', operationId: 'listReceivers', response: { 200: Type.Array(ReceiverShape) } },
  },
  async ({ database }: RouteDeps, request) => (await listReceivers(database, request.caller.instanceId)).map(present),
)

const getReceiverRoute = route(
  {
    method: 'GET',
    url: '/webhooks/receivers/:receiverId',
    scope: 'webhooks:read',
    roles: readers,
    schema: { tags, summary: 'One receiver', operationId: 'getReceiver', params: path, response: { 200: ReceiverShape } },
  },
  async (deps: RouteDeps, request) => present(await known(deps, request.caller.instanceId, request.params.receiverId)),
)

const changeReceiverRoute = route(
  {
    method: 'PUT',
    url: '/webhooks/receivers/:receiverId',
    scope: 'webhooks:write',
    roles: developers,
    audit: 'receiver.changed',
    schema: {
      tags,
      summary: 'Choose how it answers, to rehearse what your own receiver may do',
      operationId: 'updateReceiver',
      params: path,
      body: strict({ behaviour: Behaviour }),
      response: { 200: ReceiverShape },
    },
  },
  async (deps: RouteDeps, request) => {
    const { database } = deps
    const { instanceId } = request.caller
    const before = await known(deps, instanceId, request.params.receiverId)
    const { id } = before
    const { behaviour } = request.body
    await inTransaction(database, async (db) => {
      await writeBehaviour(db, instanceId, id, behaviour)
      await recordChange(db, { instanceId, action: 'receiver.changed', subject: `receiver/${id}`, before, after: { ...before, behaviour } })
    })
    return present(await known(deps, instanceId, id))
  },
)

const closeReceiverRoute = route(
  {
    method: 'DELETE',
    url: '/webhooks/receivers/:receiverId',
    scope: 'webhooks:write',
    roles: developers,
    proof: 'fresh',
    audit: 'receiver.closed',
    schema: {
      tags,
      summary: 'Delete a receiver, with its subscription and all that it kept',
      operationId: 'deleteReceiver',
      params: path,
      response: { 204: NoContent },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    await closeReceiver(receiverDepsOf(deps), await known(deps, request.caller.instanceId, request.params.receiverId))
    reply.code(204)
    return null
  },
)

const listReceivedRequestsRoute = route(
  {
    method: 'GET',
    url: '/webhooks/receivers/:receiverId/requests',
    scope: 'webhooks:read',
    roles: readers,
    schema: {
      tags,
      summary: 'What came there, the newest first',
      operationId: 'listReceivedRequests',
      params: path,
      response: { 200: Type.Array(RequestShape) },
    },
  },
  async (deps: RouteDeps, request) => {
    const { database } = deps
    const { id, instanceId } = await known(deps, request.caller.instanceId, request.params.receiverId)
    return (await listRequests(database, { instanceId, receiverId: id })).map(presentRequest)
  },
)

const getReceivedRequestRoute = route(
  {
    method: 'GET',
    url: '/webhooks/receivers/:receiverId/requests/:requestId',
    scope: 'webhooks:read',
    roles: readers,
    schema: {
      tags,
      summary: 'One request with its body',
      operationId: 'getReceivedRequest',
      params: strict({ receiverId: Uuid, requestId: Uuid }),
      response: { 200: WholeRequest },
    },
  },
  async (deps: RouteDeps, request) => {
    const { database } = deps
    const { id, instanceId } = await known(deps, request.caller.instanceId, request.params.receiverId)
    const found = orNotFound(await findRequest(database, { instanceId, receiverId: id }, request.params.requestId), 'request')
    return { ...presentRequest(found), body: Buffer.from(found.body).toString('utf8') }
  },
)

const clearReceivedRequestsRoute = route(
  {
    method: 'DELETE',
    url: '/webhooks/receivers/:receiverId/requests',
    scope: 'webhooks:write',
    roles: developers,
    audit: 'receiver.cleared',
    schema: { tags, summary: 'Forget what came there', operationId: 'deleteReceivedRequests', params: path, response: { 204: NoContent } },
  },
  async (deps: RouteDeps, request, reply) => {
    const { database } = deps
    const { id, instanceId } = await known(deps, request.caller.instanceId, request.params.receiverId)
    await inTransaction(database, async (db) => {
      await clearRequests(db, { instanceId, receiverId: id })
      await recordChange(db, { instanceId, action: 'receiver.cleared', subject: `receiver/${id}` })
    })
    reply.code(204)
    return null
  },
)

async function known({ database }: RouteDeps, instanceId: string, id: string): Promise<Receiver> {
  return orNotFound(await findReceiver(database, instanceId, id), 'receiver')
}

function present({ id, subscriptionId, event, callbackUrl, behaviour, createdAt }: Receiver) {
  return { id, subscriptionId, event, address: callbackUrl, behaviour, createdOn: toPlainTimestamp(createdAt) }
}

function presentRequest({ id, receivedAt, answered, headers, bodyBytes, checks, isRepeat }: StoredRequest) {
  return { id, receivedOn: toPlainTimestamp(receivedAt), answered, headers, bodyBytes, checks, isRepeat }
}
