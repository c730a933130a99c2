import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { type InstanceState, listInstances } from '../../../store/access/instances.ts'
import type { AdminLink } from '../../access/admin-link.ts'
import { route, routes } from '../../http/route.ts'
import { type ListDefinition, listQuerySchema, pageOf, readListQuery } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { strict, Uuid } from '../../schemas/schemas.ts'
import { addInstance, getInstance, type InstanceContext, rename } from '../instances.ts'
import { Email, InstanceShape, Kind, Name, OneTimeLink, type OperatorDeps } from './shapes.ts'

const tags = ['Instances']
const params = strict({ instanceId: Uuid })

const instanceList: ListDefinition = {
  filter: { createdOn: 'date', id: 'uuid', name: 'string', kind: 'string' },
  orderBy: ['createdOn', 'id', 'name', 'kind'],
}

/** The instances of the deployment. */
export function instanceRoutes(deps: OperatorDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [listInstancesRoute, addInstanceRoute, getInstanceRoute, renameInstanceRoute])
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
      summary: 'Make an instance',
      description:
        'Its first administrator sets a password with the one-time link, which is good for three days: pass it on. 409 for an e-mail address that is taken, in any instance.',
      body: strict({ name: Name, kind: Kind, admin: strict({ email: Email, name: Name }) }),
      response: { 201: strict({ instance: InstanceShape, link: OneTimeLink }, { title: 'NewInstance' }) },
    },
  },
  async (deps: OperatorDeps, request, reply) => {
    const { instance, link } = await addInstance(contextOf(deps), request.body)
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

function contextOf({ access, settings }: OperatorDeps): InstanceContext {
  const { database, keys, hashes, hashing, now } = access
  return { database, keys, hashes, hashing, now, publicUrl: settings.publicUrl }
}

function toInstanceAnswer({ id, name, kind, createdOn }: InstanceState) {
  return { id, name, kind, createdOn: toPlainTimestamp(createdOn) }
}

function toLinkAnswer({ email, address, expiresAt }: AdminLink) {
  return { email, address, expiresOn: toPlainTimestamp(expiresAt) }
}
