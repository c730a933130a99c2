import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { EgressError } from '../../../egress/egress-error.ts'
import { toTarget } from '../../../egress/target.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { inTransaction } from '../../../store/db/database.ts'
import {
  type Destination,
  type DestinationKey,
  deleteDestination,
  findDestination,
  insertDestination,
  listDestinations,
} from '../../../store/exports/destinations.ts'
import { destinationContext } from '../../../sync/exports/deliver-export.ts'
import type { CallbackRules } from '../../../webhooks/callback-url.ts'
import { admins, readers } from '../../access/caller.ts'
import { badField, conflict, notFound } from '../../errors/errors.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { Nothing, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'

const tags = ['Data']
const PATH = '/export-destinations'
const path = strict({ destinationId: Uuid })
const MOST = 20
const PUBLIC_PORTS = [80, 443]

const fields = {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  endpoint: Type.String({
    maxLength: 500,
    description: 'Address of the storage, without a path; the bucket is the first part of the path of each request',
    examples: ['https://s3.ca-central-1.amazonaws.com'],
  }),
  region: Type.String({ pattern: '^[a-z0-9-]{1,50}$', examples: ['ca-central-1'] }),
  bucket: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$' }),
  prefix: Type.String({ pattern: '^([A-Za-z0-9_=-][A-Za-z0-9_.=-]{0,60}/){0,10}$', default: '', examples: ['lending/'] }),
  accessKeyId: Type.String({ pattern: '^[\\x21-\\x7e]{1,200}$' }),
}
const DestinationInput = strict(
  { ...fields, prefix: Type.Optional(fields.prefix), secretAccessKey: Type.String({ pattern: '^[\\x21-\\x7e]{1,500}$' }) },
  { title: 'ExportDestinationInput' },
)
const DestinationShape = strict({ id: Uuid, ...fields, createdOn: PlainTimestamp }, { title: 'ExportDestination' })

/** Destinations of exports: buckets of object storages that speak S3. */
export function exportDestinationRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [createRoute, listRoute, getRoute, deleteRoute])
}

const createRoute = route(
  {
    method: 'POST',
    url: PATH,
    scope: 'settings:write',
    roles: admins,
    proof: 'fresh',
    audit: 'export-destination.created',
    schema: {
      tags,
      summary: 'Add a bucket to which exports are delivered',
      operationId: 'createExportDestination',
      body: DestinationInput,
      response: { 201: DestinationShape },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { instanceId } = request.caller
    const key = { instanceId, id: newIdFor(request) }
    const { secretAccessKey, prefix = '', ...rest } = request.body
    const endpoint = readEndpoint(rest.endpoint, deps.webhooks.callbackRules)
    const secret = deps.sealer.seal(destinationContext(key), Buffer.from(secretAccessKey))
    await inTransaction(deps.database, async (db) => {
      if (await findDestination(db, key)) return
      if (!(await insertDestination(db, { ...key, ...rest, endpoint, prefix, secret }, MOST)))
        throw conflict(`There are ${MOST} destinations. Delete one of them.`)
      const after = { ...rest, endpoint, prefix, secret: 'new' }
      await recordChange(db, { instanceId, action: 'export-destination.created', subject: `export-destination/${key.id}`, after })
    })
    reply.code(201)
    return present(await known(deps, key))
  },
)

const listRoute = route(
  {
    method: 'GET',
    url: PATH,
    scope: 'settings:read',
    roles: readers,
    schema: { tags, summary: 'All destinations', operationId: 'listExportDestinations', response: { 200: Type.Array(DestinationShape) } },
  },
  async ({ database }: RouteDeps, request) => (await listDestinations(database, request.caller.instanceId)).map(present),
)

const getRoute = route(
  {
    method: 'GET',
    url: `${PATH}/:destinationId`,
    scope: 'settings:read',
    roles: readers,
    schema: { tags, summary: 'One destination', operationId: 'getExportDestination', params: path, response: { 200: DestinationShape } },
  },
  async (deps: RouteDeps, request) =>
    present(await known(deps, { instanceId: request.caller.instanceId, id: request.params.destinationId })),
)

const deleteRoute = route(
  {
    method: 'DELETE',
    url: `${PATH}/:destinationId`,
    scope: 'settings:write',
    roles: admins,
    proof: 'fresh',
    audit: 'export-destination.deleted',
    schema: {
      tags,
      summary: 'Remove a destination; what was delivered stays there',
      operationId: 'deleteExportDestination',
      params: path,
      response: { 204: Nothing },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const key = { instanceId: request.caller.instanceId, id: request.params.destinationId }
    const { secret: _secret, ...before } = await known(deps, key)
    await inTransaction(deps.database, async (db) => {
      const outcome = await deleteDestination(db, key)
      if (outcome === 'unknown') throw notFound('destination')
      if (outcome === 'busy')
        throw conflict('A file is being uploaded to this destination, or deleted there. Delete unfinished exports, or try again later.')
      const subject = `export-destination/${key.id}`
      await recordChange(db, { instanceId: key.instanceId, action: 'export-destination.deleted', subject, before })
    })
    reply.code(204)
    return null
  },
)

/** Origin of the storage; the egress guard checks its addresses at every request. */
function readEndpoint(text: string, { allowPrivate, allowHttp, allowedPorts }: CallbackRules): string {
  const refusal = badField('endpoint', 'must be an https address on the public internet, without a path')
  try {
    const url = toTarget(text, { reach: allowPrivate ? 'private' : 'public', ports: allowedPorts ?? PUBLIC_PORTS })
    const isSafe = url.protocol === 'https:' || allowPrivate || allowHttp === true
    if (!isSafe || url.pathname !== '/' || url.search !== '') throw refusal
    return url.origin
  } catch (error) {
    throw error instanceof EgressError ? refusal : error
  }
}

async function known({ database }: RouteDeps, key: DestinationKey): Promise<Destination> {
  const found = await findDestination(database, key)
  if (!found) throw notFound('destination')
  return found
}

function present({ id, name, endpoint, region, bucket, prefix, accessKeyId, createdAt }: Destination) {
  return { id, name, endpoint, region, bucket, prefix, accessKeyId, createdOn: toPlainTimestamp(createdAt) }
}
