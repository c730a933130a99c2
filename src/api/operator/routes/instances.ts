import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { type InstanceState, listInstances } from '../../../store/access/instances.ts'
import type { AdminLink } from '../../access/account/admin-link.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { type ListDefinition, listQuerySchema, pageOf, readListQuery } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { NoContent, strict, Uuid } from '../../schemas/schemas.ts'
import { addInstance, getInstance, rename, resume, suspend } from '../instances.ts'
import { resetTwoStepOf } from '../two-step-reset.ts'
import { contextOf, Email, InstanceShape, Kind, Name, OneTimeLink, type OperatorDeps } from './shapes.ts'

const tags = ['Instances']
const params = strict({ instanceId: Uuid })

const instanceList: ListDefinition = {
  filter: { createdOn: 'date', id: 'uuid', name: 'string', kind: 'string', isSuspended: 'boolean' },
  orderBy: ['createdOn', 'id', 'name', 'kind', 'isSuspended'],
}

/** The instances of the deployment. */
export function instanceRoutes(deps: OperatorDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [
    ...[listInstancesRoute, addInstanceRoute, getInstanceRoute, renameInstanceRoute],
    ...[suspendInstanceRoute, resumeInstanceRoute, resetTwoStepRoute],
  ])
}

const listInstancesRoute = route(
  {
    method: 'GET',
    url: '/instances',
    operator: 'open',
    schema: {
      tags,
      operationId: 'listInstances',
      summary: 'All instances of the deployment',
      querystring: listQuerySchema(instanceList),
      response: { 200: pageOf(InstanceShape) },
    },
  },
  async ({ database }: OperatorDeps, request, reply) => {
    const list = readListQuery(request.query, instanceList)
    const { instances, total } = await listInstances(database, list)
    return listPage(reply, list, instances.map(toInstanceAnswer), total)
  },
)

const addInstanceRoute = route(
  {
    method: 'POST',
    url: '/instances',
    operator: 'open',
    audit: ['instance.created', 'password.link-issued'],
    schema: {
      tags,
      operationId: 'addInstance',
      summary: 'Create an instance',
      description:
        'Its first administrator sets a password with the one-time link, which is good for three days: pass it on. 409 for an e-mail address that is taken, in any instance.',
      body: strict({ name: Name, kind: Kind, admin: strict({ email: Email, name: Name }) }),
      response: { 201: strict({ instance: InstanceShape, link: OneTimeLink }, { title: 'NewInstance' }) },
    },
  },
  async (deps: OperatorDeps, request, reply) => {
    const { instance, link } = await addInstance(contextOf(deps), { ...request.body, id: newIdFor(request) })
    return reply.code(201).send({ instance: toInstanceAnswer(instance), link: toLinkAnswer(link) })
  },
)

const getInstanceRoute = route(
  {
    method: 'GET',
    url: '/instances/:instanceId',
    operator: 'open',
    schema: { tags, operationId: 'getInstance', summary: 'One instance', params, response: { 200: InstanceShape } },
  },
  async ({ database }: OperatorDeps, request) => toInstanceAnswer(await getInstance(database, request.params.instanceId)),
)

const renameInstanceRoute = route(
  {
    method: 'PUT',
    url: '/instances/:instanceId',
    operator: 'open',
    audit: 'instance.renamed',
    schema: {
      tags,
      operationId: 'renameInstance',
      summary: 'Rename an instance',
      description: 'Owners read the name on their pages unless the instance has a public name.',
      params,
      body: strict({ name: Name }),
      response: { 200: InstanceShape },
    },
  },
  async (deps: OperatorDeps, { params: { instanceId }, body }) => toInstanceAnswer(await rename(contextOf(deps), instanceId, body.name)),
)

const suspendInstanceRoute = route(
  {
    method: 'POST',
    url: '/instances/:instanceId/suspend',
    operator: 'open',
    proof: 'fresh',
    audit: 'instance.suspended',
    schema: {
      tags,
      operationId: 'suspendInstance',
      summary: 'Suspend an instance',
      description:
        'Within a second its users get 403, and owners a page that says so; within a quarter of a minute nothing is read and nothing sent. What owners were promised goes on: revocations at sources and deletions. Everything else waits, and nothing is lost. 409 when it is suspended already.',
      params,
      body: strict({ reason: Type.String({ minLength: 1, maxLength: 300, pattern: '\\S', examples: ['Contract has ended'] }) }),
      response: { 200: InstanceShape },
    },
  },
  async (deps: OperatorDeps, { params: { instanceId }, body }) => toInstanceAnswer(await suspend(contextOf(deps), instanceId, body.reason)),
)

const resumeInstanceRoute = route(
  {
    method: 'POST',
    url: '/instances/:instanceId/resume',
    operator: 'open',
    audit: 'instance.resumed',
    schema: {
      tags,
      operationId: 'resumeInstance',
      summary: 'Let a suspended instance go on',
      description: 'Sessions that have not expired work again, and whatever waits begins at once. 409 when it is not suspended.',
      params,
      response: { 200: InstanceShape },
    },
  },
  async (deps: OperatorDeps, request) => toInstanceAnswer(await resume(contextOf(deps), request.params.instanceId)),
)

const resetTwoStepRoute = route(
  {
    method: 'POST',
    url: '/instances/:instanceId/two-step-resets',
    operator: 'open',
    proof: 'fresh',
    audit: 'user.two-step-reset',
    schema: {
      tags,
      operationId: 'resetTwoStepOfMember',
      summary: 'Take the second step from a user who has lost it',
      description:
        'For an administrator whom no other administrator can help. The user is told by mail, all sessions of the user end, and the password then signs in: make sure of who asks. 404 for a user whom the instance does not have, 409 for one without a second step.',
      params,
      body: strict({ email: Email }),
      response: { 204: NoContent },
    },
  },
  async ({ access }: OperatorDeps, { params: { instanceId }, body }, reply) => {
    await resetTwoStepOf(access, instanceId, body.email)
    return reply.code(204).send(null)
  },
)

function toInstanceAnswer({ id, name, kind, requiresTwoStep, createdOn, suspension }: InstanceState) {
  return {
    ...{ id, name, kind, requiresTwoStep, createdOn: toPlainTimestamp(createdOn) },
    suspension: suspension && { since: toPlainTimestamp(suspension.since), reason: suspension.reason },
  }
}

function toLinkAnswer({ email, address, expiresAt }: AdminLink) {
  return { email, address, expiresOn: toPlainTimestamp(expiresAt) }
}
