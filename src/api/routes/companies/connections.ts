import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import { listConnections } from '../../../store/connections/connection-list.ts'
import { type Connection, findCurrentConnection } from '../../../store/connections/connections.ts'
import { databaseTime } from '../../../store/db/database.ts'
import {
  ActionNotAllowed,
  acceptDeletions,
  type ConnectionTarget,
  disconnect,
  requestRefresh,
  resume,
  suspend,
} from '../../../sync/connection/connection-actions.ts'
import { issueLink } from '../../../sync/links/link.ts'
import { findService } from '../../../sync/sources/catalogue.ts'
import { ensureDirectory } from '../../../sync/sources/directory.ts'
import { closedBy, readSourceAccess } from '../../../sync/sources/source-access.ts'
import { operators, readers } from '../../access/caller.ts'
import { issuerOf } from '../../access/keys/issuer.ts'
import { conflict, notFound, orNotFound, serviceNotEnabled } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { type ListQuery, listQuerySchema, pageOf, readListQuery } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { linkQuery, readLinkOptions } from '../../schemas/link-options.ts'
import { strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { AskedRead, ConnectionShape, Detail, LIST, ListedConnection, present, presentDetail, presentListed } from './connection-shapes.ts'

const companyServicePath = strict({ companyId: Uuid, serviceId: Uuid })
/** Whether an action on a connection causes a read. */
const isRead = (action: string) => action === 'refresh' || action === 'accept-deletions'
const PATH = '/normalized-data/company/:companyId/data-connection/:serviceId'
const tags = ['Connections']

/** Connection routes: links, statuses and actions. */
export function connectionRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [
    getConnectionLinkRoute,
    listConnectionsOfCompanyRoute,
    listConnectionsRoute,
    getConnectionStatusRoute,
    ...actionRoutes,
    disconnectConnectionRoute,
  ])
}

const getConnectionLinkRoute = route(
  {
    method: 'GET',
    url: `${PATH}/link`,
    scope: 'links:write',
    roles: operators,
    isChange: true,
    audit: 'link.created',
    schema: {
      tags,
      summary: 'Service connection link',
      operationId: 'getConnectionLink',
      params: companyServicePath,
      querystring: linkQuery,
      response: { 200: strict({ link: Type.String({ format: 'uri' }) }) },
    },
  },
  async (deps: RouteDeps, request) => {
    const { database } = deps
    const { instanceId } = request.caller
    const service = await checkCompanyAndService(deps, instanceId, request.params)
    const closed = closedBy(await readSourceAccess(database, instanceId), service.source)
    if (closed) throw serviceNotEnabled(closed)
    const options = await readLinkOptions(database, instanceId, request.query)
    await ensureDirectory(deps.sync, service.source)
    return { link: await issueLink(deps.sync, { instanceId, ...request.params, ...(await issuerOf(database, request.caller)) }, options) }
  },
)

const listConnectionsOfCompanyRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/company/:companyId/data-connection/statuses',
    scope: 'connections:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Connections of a company',
      operationId: 'listCompanyConnections',
      params: strict({ companyId: Uuid }),
      querystring: listQuerySchema(LIST),
      response: { 200: pageOf(ListedConnection) },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { database } = deps
    const { instanceId } = request.caller
    if (!(await findCompany(database, instanceId, request.params.companyId))) throw notFound('company')
    const { list, connections, total } = await page(deps, instanceId, request.params.companyId, request.query)
    return listPage(reply, list, connections.map(presentListed), total)
  },
)

const listConnectionsRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/data-connection/statuses',
    replica: true,
    scope: 'connections:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Connections of all companies',
      operationId: 'listConnections',
      querystring: listQuerySchema(LIST),
      response: { 200: pageOf(ListedConnection) },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { list, connections, total } = await page(deps, request.caller.instanceId, null, request.query)
    return listPage(reply, list, connections.map(presentListed), total)
  },
)

const getConnectionStatusRoute = route(
  {
    method: 'GET',
    url: `${PATH}/status`,
    scope: 'connections:read',
    roles: readers,
    observed: ['updateScheduledOn', 'nextReadOn', 'lastPublishedOn', 'linkOpenedOn', 'runs', 'setAside'],
    schema: {
      tags,
      summary: 'The current connection of a company to a service',
      description: 'The active one, or else the newest. With its timeline, its last runs and the records that were set aside.',
      operationId: 'getConnection',
      params: companyServicePath,
      response: { 200: Detail },
    },
  },
  async (deps: RouteDeps, request) => {
    const { database } = deps
    const { instanceId } = request.caller
    const service = await checkCompanyAndService(deps, instanceId, request.params)
    const connection = await findCurrentConnection(database, instanceId, request.params.companyId, request.params.serviceId)
    if (!connection) throw notFound('connection')
    return await presentDetail(database, connection, service)
  },
)

const ACTIONS = {
  refresh: { act: requestRefresh, audit: 'connection.refresh-requested', summary: 'Read the source now' },
  'accept-deletions': {
    act: acceptDeletions,
    audit: 'connection.deletions-accepted',
    summary: 'What the source no longer lists is gone, however much it is: read it now and believe it',
  },
  suspend: { act: suspend, audit: 'connection.suspended', summary: 'Stop reading the source until resumed; published data stays readable' },
  resume: { act: resume, audit: 'connection.resumed', summary: 'Go on after a suspension' },
} as const

const actionRoutes = Object.entries(ACTIONS).map(([name, { act, audit, summary }]) =>
  route(
    {
      method: 'POST',
      url: `${PATH}/${name}`,
      scope: 'connections:write',
      roles: operators,
      audit,
      schema: {
        tags,
        summary,
        operationId: name === 'accept-deletions' ? 'acceptDeletions' : `${name}Connection`,
        params: companyServicePath,
        response: { 202: isRead(name) ? AskedRead : ConnectionShape },
      },
    },
    async (deps: RouteDeps, request, reply) => {
      const from = toPlainTimestamp(await databaseTime(deps.database))
      const { runId, ...connection } = await perform(deps, request.caller.instanceId, request.params, act)
      reply.code(202)
      if (runId === undefined) return connection
      const all = new URL(request.url, 'http://host').pathname.replace(/[^/]+$/, 'runs')
      const runs = `${all}?FilterQuery=${encodeURIComponent(`startedOn>=${from}`)}`
      reply.header('location', runs)
      return { ...connection, runId, run: `${all}/${runId}`, runs }
    },
  ),
)

const disconnectConnectionRoute = route(
  {
    method: 'DELETE',
    url: PATH,
    scope: 'connections:write',
    roles: operators,
    etagBelow: '/status',
    audit: 'connection.disconnected',
    schema: {
      tags,
      summary: 'Disconnect: no reader from now on, credentials gone, data deleted',
      operationId: 'disconnectConnection',
      params: companyServicePath,
      response: { 202: ConnectionShape },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    reply.code(202)
    return await perform(deps, request.caller.instanceId, request.params, disconnect)
  },
)

async function checkCompanyAndService({ database, sync }: RouteDeps, instanceId: string, params: { companyId: string; serviceId: string }) {
  if (!(await findCompany(database, instanceId, params.companyId))) throw notFound('company')
  return orNotFound(await findService(database, sync.sources, instanceId, params.serviceId), 'service')
}

async function page({ database, sync }: RouteDeps, instanceId: string, companyId: string | null, query: ListQuery) {
  const list = readListQuery(query, LIST)
  const names = new Map([...sync.sources.values()].map(({ description }) => [description.key, description.name]))
  return { list, ...(await listConnections(database, instanceId, companyId, names, list)) }
}

async function perform(deps: RouteDeps, instanceId: string, params: { companyId: string; serviceId: string }, act: ConnectionAction) {
  const service = await checkCompanyAndService(deps, instanceId, params)
  try {
    const connection = orNotFound(await act(deps.sync, { instanceId, ...params }), 'connection')
    const { runId } = connection
    return { ...present(connection, service), ...(runId === undefined ? {} : { runId }) }
  } catch (error) {
    if (error instanceof ActionNotAllowed) throw conflict(`Not possible now: ${error.message}.`)
    throw error
  }
}

type ConnectionAction = (sync: RouteDeps['sync'], target: ConnectionTarget) => Promise<(Connection & { runId?: string }) | null>
