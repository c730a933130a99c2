import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { findReplication, insertReplication, listReplications } from '../../../store/changes/replications.ts'
import { inTransaction } from '../../../store/db/database.ts'
import {
  type Destination,
  type DestinationKey,
  deleteDestination,
  destinationContext,
  findDestination,
  insertDestination,
  listDestinations,
} from '../../../store/exports/destinations.ts'
import { admins, readers } from '../../access/caller.ts'
import { conflict, notFound, orNotFound } from '../../errors/errors.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { NoContent, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { readTarget } from './destination-input.ts'
import { DestinationInput, DestinationShape, presentDestination } from './destination-shapes.ts'
import { replicateRoute } from './replicate-destination.ts'

const tags = ['Data']
const PATH = '/export-destinations'
const path = strict({ destinationId: Uuid })
const MOST = 20

/** Destinations: S3-compatible buckets and SFTP folders for exports, and databases for replication. */
export function exportDestinationRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [createRoute, listRoute, getRoute, deleteRoute, replicateRoute])
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
      summary: 'Add a destination: a bucket or an SFTP server for files, or a database',
      description:
        'Files are delivered when they are asked for. A database (`postgres`) follows the change feed by itself, about once a minute: its schema holds a table for each kind of record (`accounting_accounts`, `banking_transactions`, …) with one row for each record that is published; rows of deleted records and of disconnected data are deleted. The schema is made where it is missing, must hold nothing else of these names, and is all that is touched. The secret is kept sealed and never shown.',
      operationId: 'createExportDestination',
      body: DestinationInput,
      response: { 201: DestinationShape },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { instanceId } = request.caller
    const key = { instanceId, id: newIdFor(request) }
    const { name } = request.body
    const { target, secret } = await readTarget(request.body, deps.webhooks.callbackRules)
    const sealed = deps.sealer.seal(destinationContext(key), Buffer.from(secret))
    await inTransaction(deps.database, async (db) => {
      if (await findDestination(db, key)) return
      if (!(await insertDestination(db, { ...key, name, secret: sealed }, target, MOST)))
        throw conflict(`There are ${MOST} destinations. Delete one of them.`)
      if (target.kind === 'postgres') await insertReplication(db, key)
      const after = { name, ...target, secret: 'new' }
      await recordChange(db, { instanceId, action: 'export-destination.created', subject: `export-destination/${key.id}`, after })
    })
    reply.code(201)
    return await present(deps, await known(deps, key))
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
  async ({ database }: RouteDeps, request) => {
    const { instanceId } = request.caller
    const replications = new Map((await listReplications(database, instanceId)).map((each) => [each.destinationId, each]))
    return (await listDestinations(database, instanceId)).map((each) => presentDestination(each, replications.get(each.id) ?? null))
  },
)

const getRoute = route(
  {
    method: 'GET',
    url: `${PATH}/:destinationId`,
    scope: 'settings:read',
    roles: readers,
    observed: ['replication'],
    schema: { tags, summary: 'One destination', operationId: 'getExportDestination', params: path, response: { 200: DestinationShape } },
  },
  async (deps: RouteDeps, request) =>
    await present(deps, await known(deps, { instanceId: request.caller.instanceId, id: request.params.destinationId })),
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
      summary: 'Remove a destination; what was delivered stays there, files and rows',
      operationId: 'deleteExportDestination',
      params: path,
      response: { 204: NoContent },
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

async function known({ database }: RouteDeps, key: DestinationKey): Promise<Destination> {
  return orNotFound(await findDestination(database, key), 'destination')
}

async function present({ database }: RouteDeps, destination: Destination) {
  return presentDestination(destination, await findReplication(database, destination))
}
