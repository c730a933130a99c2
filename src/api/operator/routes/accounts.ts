import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { listOperators, type Operator } from '../../../store/operators/operators.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { NoContent, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import { addOperator, getOperator, removeOperator, renewLink } from '../accounts.ts'
import type { IssuedLink } from '../links.ts'
import { Email, Name, OneTimeLink, type OperatorDeps } from './shapes.ts'

const tags = ['Operators']
const params = strict({ operatorId: Uuid })

const OperatorShape = strict(
  {
    id: Uuid,
    email: Type.String(),
    name: Type.String(),
    hasPassword: Type.Boolean({ description: 'Whether the operator has used a one-time link and can sign in' }),
    twoStep: Type.Boolean({ description: 'Whether two-step sign-in is set up' }),
    createdOn: PlainTimestamp,
  },
  { title: 'Operator' },
)

/** Operators, and their one-time links. */
export function accountRoutes(deps: OperatorDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [listOperatorsRoute, addOperatorRoute, getOperatorRoute, renewLinkRoute, removeOperatorRoute])
}

const listOperatorsRoute = route(
  {
    method: 'GET',
    url: '/operators',
    operator: 'open',
    schema: { tags, operationId: 'listOperators', summary: 'All operators, oldest first', response: { 200: Type.Array(OperatorShape) } },
  },
  async ({ database }: OperatorDeps) => (await listOperators(database)).map(toOperatorAnswer),
)

const addOperatorRoute = route(
  {
    method: 'POST',
    url: '/operators',
    operator: 'open',
    proof: 'fresh',
    audit: ['operator.created', 'operator.link-issued'],
    schema: {
      tags,
      operationId: 'addOperator',
      summary: 'Add an operator',
      description: 'Pass the one-time link on; it is good for an hour. 409 for an address that is taken.',
      body: strict({ email: Email, name: Name }),
      response: { 201: strict({ operator: OperatorShape, link: OneTimeLink }, { title: 'NewOperator' }) },
    },
  },
  async ({ access }: OperatorDeps, request, reply) => {
    const issued = await addOperator(access, { ...request.body, id: newIdFor(request) })
    return reply.code(201).send({ operator: toOperatorAnswer(issued.operator), link: toLinkAnswer(issued) })
  },
)

const getOperatorRoute = route(
  {
    method: 'GET',
    url: '/operators/:operatorId',
    operator: 'open',
    schema: { tags, operationId: 'getOperator', summary: 'One operator', params, response: { 200: OperatorShape } },
  },
  async ({ database }: OperatorDeps, request) => toOperatorAnswer(await getOperator(database, request.params.operatorId)),
)

const renewLinkRoute = route(
  {
    method: 'POST',
    url: '/operators/:operatorId/link',
    operator: 'open',
    proof: 'fresh',
    audit: 'operator.link-issued',
    schema: {
      tags,
      operationId: 'renewOperatorLink',
      summary: 'A new one-time link for an operator',
      description: 'Links from before stop working. With `resetTwoStep`, two-step sign-in is set up again.',
      params,
      body: strict({ resetTwoStep: Type.Optional(Type.Boolean({ default: false })) }),
      response: { 201: OneTimeLink },
    },
  },
  async ({ access }: OperatorDeps, { params: { operatorId }, body }, reply) =>
    reply.code(201).send(toLinkAnswer(await renewLink(access, operatorId, body.resetTwoStep ?? false))),
)

const removeOperatorRoute = route(
  {
    method: 'DELETE',
    url: '/operators/:operatorId',
    operator: 'open',
    proof: 'fresh',
    audit: 'operator.deleted',
    schema: {
      tags,
      operationId: 'removeOperator',
      summary: 'Remove an operator',
      description: 'The sessions end at once. 409 for the last one who can sign in.',
      params,
      response: { 204: NoContent },
    },
  },
  async ({ access }: OperatorDeps, request, reply) => {
    await removeOperator(access, request.params.operatorId)
    return reply.code(204).send(null)
  },
)

function toOperatorAnswer({ id, email, name, hasPassword, twoStep, createdOn }: Operator) {
  return { id, email, name, hasPassword, twoStep, createdOn: toPlainTimestamp(createdOn) }
}

function toLinkAnswer({ operator, address, expiresAt }: IssuedLink) {
  return { email: operator.email, address, expiresOn: toPlainTimestamp(expiresAt) }
}
