import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findErasure, type InstanceErasure, listErasures } from '../../../store/operators/erasures.ts'
import { orNotFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { pageOf } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { pageParameters, readPageRequest } from '../../lists/page-parameters.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import { erase, exportData } from '../instances.ts'
import { contextOf, type OperatorDeps } from './shapes.ts'

const tags = ['Instances']
const params = strict({ instanceId: Uuid })

const UnreachedShape = strict({
  name: Type.String(),
  kind: Type.Union([Type.Literal('s3'), Type.Literal('sftp'), Type.Literal('postgres')]),
  place: Type.String({ description: 'Address of the destination' }),
  files: Type.Integer({ description: 'Files, or parts of them, that may be left' }),
  rows: Type.Boolean({ description: 'Whether rows of a database may be left' }),
  reason: orNull(Type.String()),
})

const ErasureShape = strict(
  {
    ...{ id: Uuid, instanceId: Uuid, name: Type.String(), requestedOn: PlainTimestamp },
    completedOn: orNull(PlainTimestamp),
    deleted: Type.Record(Type.String(), Type.Integer(), { description: 'Rows by table, so far' }),
    revocations: Type.Integer({ description: 'Connections whose access was to be revoked at the source' }),
    unrevoked: Type.Integer({ description: 'Of these, sources that could not be told within a day' }),
    unreached: orNull(
      Type.Array(UnreachedShape, { description: 'Destinations of exports at which data may be left; null until that is known' }),
    ),
    receipt: orNull(
      Type.String({ description: 'Compact JSON Web Signature by a key of `/.well-known/jwks.json`; null until the erasure is completed' }),
    ),
  },
  { title: 'InstanceErasure' },
)

/** Erasure and export of instances. */
export function erasureRoutes(deps: OperatorDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [exportInstanceRoute, eraseInstanceRoute, listErasuresRoute, getErasureRoute])
}

const exportInstanceRoute = route(
  {
    method: 'GET',
    url: '/instances/:instanceId/export',
    operator: 'open',
    isChange: true,
    proof: 'fresh',
    audit: 'instance.exported',
    schema: {
      tags,
      operationId: 'exportInstance',
      summary: 'All data of an instance as one archive',
      description:
        'Gzipped JSON lines at one point in time: a head, one line per row (`table`, `row`), and an end with the number of rows by table; an archive without the end is not complete. Stored files and answers of sources are in it, as base64; passwords, tokens and keys are not. 429 while two others are exported.',
      params,
      response: { 200: { content: { 'application/gzip': { schema: Type.Unsafe<Readable>(Type.String({ format: 'binary' })) } } } },
    },
  },
  async (deps: OperatorDeps, request, reply) => {
    const { instance, archive } = await exportData(
      { ...contextOf(deps), sealer: deps.sealer, pageObjects: deps.sync.pageObjects, readSimulators: deps.sandbox?.readStates },
      request.params.instanceId,
    )
    reply.header('content-disposition', `attachment; filename="instance-${instance.id}.jsonl.gz"`)
    return reply.type('application/gzip').send(archive)
  },
)

const eraseInstanceRoute = route(
  {
    method: 'POST',
    url: '/instances/:instanceId/erase',
    operator: 'open',
    proof: 'fresh',
    audit: 'instance.erasure-requested',
    schema: {
      tags,
      operationId: 'eraseInstance',
      summary: 'Erase an instance with all of its data, for good',
      description:
        'The name has to be given again. The instance is suspended, access is revoked at its sources, then every row is deleted: usually within minutes, and within 25 hours where sources, or the object storage of raw pages, do not answer. `Location` leads to the erasure, which has a signed receipt in the end. Backups from before hold the data until they are deleted. 409 when it has begun.',
      params,
      body: strict({ name: Type.String({ maxLength: 200, description: 'The name of the instance' }) }),
      response: { 202: ErasureShape },
    },
  },
  async (deps: OperatorDeps, { params: { instanceId }, body }, reply) => {
    const erasure = await erase(contextOf(deps), instanceId, body.name)
    reply.header('location', `/operator/api/v1/erasures/${erasure.id}`)
    return reply.code(202).send(toErasureAnswer(erasure))
  },
)

const listErasuresRoute = route(
  {
    method: 'GET',
    url: '/erasures',
    operator: 'open',
    schema: {
      tags,
      operationId: 'listErasures',
      summary: 'Erasures of instances, newest first',
      querystring: strict(pageParameters),
      response: { 200: pageOf(ErasureShape) },
    },
  },
  async ({ database }: OperatorDeps, request, reply) => {
    const page = readPageRequest(request.query)
    const { erasures, total } = await listErasures(database, page.limit, page.offset)
    return listPage(reply, page, erasures.map(toErasureAnswer), total)
  },
)

const getErasureRoute = route(
  {
    method: 'GET',
    url: '/erasures/:erasureId',
    operator: 'open',
    schema: {
      tags,
      operationId: 'getErasure',
      summary: 'One erasure, with its receipt',
      params: strict({ erasureId: Uuid }),
      response: { 200: ErasureShape },
    },
  },
  async ({ database }: OperatorDeps, request) => {
    return toErasureAnswer(orNotFound(await findErasure(database, request.params.erasureId), 'erasure'))
  },
)

function toErasureAnswer({ id, instanceId, name, requestedAt, completedAt, deleted, ...rest }: InstanceErasure) {
  const { revocations, unrevoked, unreached, receipt } = rest
  const times = { requestedOn: toPlainTimestamp(requestedAt), completedOn: completedAt && toPlainTimestamp(completedAt) }
  return { id, instanceId, name, ...times, deleted, revocations, unrevoked, unreached, receipt }
}
