import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import { findCurrentConnection } from '../../../store/connections/connections.ts'
import { ActionNotAllowed } from '../../../sync/connection/connection-actions.ts'
import {
  changeConnectionSchedule,
  changeServiceSchedule,
  NoSchedule,
  readConnectionSchedule,
  readServiceSchedule,
  type Schedule,
  TooOften,
} from '../../../sync/schedules/refresh-schedule.ts'
import { LONGEST_MINUTES, SHORTEST_MINUTES } from '../../../sync/schedules/shortest-interval.ts'
import { findService, type Service } from '../../../sync/sources/catalogue.ts'
import { developers, operators, readers } from '../../access/caller.ts'
import { badField, conflict, notFound, orNotFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'

const EveryMinutes = orNull(
  Type.Integer({
    minimum: SHORTEST_MINUTES,
    maximum: LONGEST_MINUTES,
    description: 'Minutes between two refreshes, from 15 to 43200 (30 days) and not below `shortestMinutes`; null: never',
    examples: [360],
  }),
)

const schedule = {
  everyMinutes: orNull(Type.Integer({ description: 'Minutes between two refreshes; null: never by itself' })),
  setBy: Type.String({
    enum: ['connection', 'service', 'source'],
    description: 'Whose schedule it is: the connection’s own, the service’s own, or that of the source (as set for it, or its default)',
  }),
  shortestMinutes: Type.Integer({ description: 'Shortest interval that the limits of the source allow for one connection' }),
  isChangeable: Type.Boolean({ description: 'False for files, which are read when they arrive' }),
}
const ServiceSchedule = strict(schedule, { title: 'ServiceSchedule' })
const ConnectionSchedule = strict({ ...schedule, updateScheduledOn: orNull(PlainTimestamp) }, { title: 'ConnectionSchedule' })

const Change = strict({ everyMinutes: EveryMinutes }, { title: 'ScheduleInput' })
const connectionPath = strict({ companyId: Uuid, serviceId: Uuid })
const servicePath = strict({ serviceId: Uuid })
const OF_CONNECTION = '/normalized-data/company/:companyId/data-connection/:serviceId/schedule'
const OF_SERVICE = '/normalized-data/services/:serviceId/schedule'
const FOR_ALL =
  'For all connections without a schedule of their own, which follow within a moment; that of a source is also that of the banks reached through it.'

interface ConnectionPath {
  companyId: string
  serviceId: string
}

/** Refresh schedules of services and of connections. */
export function scheduleRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [
    getServiceRoute,
    changeServiceRoute,
    resetServiceRoute,
    getConnectionRoute,
    changeConnectionRoute,
    resetConnectionRoute,
  ])
}

const getServiceRoute = route(
  {
    method: 'GET',
    url: OF_SERVICE,
    scope: 'connections:read',
    roles: readers,
    schema: {
      tags: ['Services'],
      summary: 'How often a service is read',
      operationId: 'getServiceSchedule',
      params: servicePath,
      response: { 200: ServiceSchedule },
    },
  },
  async (deps: RouteDeps, request) => await showService(deps, request.caller.instanceId, request.params.serviceId),
)

const changeServiceRoute = route(
  {
    method: 'PUT',
    url: OF_SERVICE,
    scope: 'connections:write',
    roles: developers,
    audit: 'service.schedule-changed',
    schema: {
      tags: ['Services'],
      summary: 'Set how often a service is read',
      description: FOR_ALL,
      operationId: 'updateServiceSchedule',
      params: servicePath,
      body: Change,
      response: { 200: ServiceSchedule },
    },
  },
  async (deps: RouteDeps, request) =>
    await setService(deps, request.caller.instanceId, request.params.serviceId, request.body.everyMinutes ?? 0),
)

const resetServiceRoute = route(
  {
    method: 'DELETE',
    url: OF_SERVICE,
    scope: 'connections:write',
    roles: developers,
    audit: 'service.schedule-changed',
    schema: {
      tags: ['Services'],
      summary: 'Read a service as often as its source says',
      description: FOR_ALL,
      operationId: 'resetServiceSchedule',
      params: servicePath,
      response: { 200: ServiceSchedule },
    },
  },
  async (deps: RouteDeps, request) => await setService(deps, request.caller.instanceId, request.params.serviceId, null),
)

const getConnectionRoute = route(
  {
    method: 'GET',
    url: OF_CONNECTION,
    scope: 'connections:read',
    roles: readers,
    observed: ['updateScheduledOn'],
    schema: {
      tags: ['Connections'],
      summary: 'How often a connection is read',
      operationId: 'getConnectionSchedule',
      params: connectionPath,
      response: { 200: ConnectionSchedule },
    },
  },
  async (deps: RouteDeps, request) => await showConnection(deps, request.caller.instanceId, request.params),
)

const changeConnectionRoute = route(
  {
    method: 'PUT',
    url: OF_CONNECTION,
    scope: 'connections:write',
    roles: operators,
    audit: 'connection.schedule-changed',
    schema: {
      tags: ['Connections'],
      summary: 'Set how often a connection is read',
      operationId: 'updateConnectionSchedule',
      params: connectionPath,
      body: Change,
      response: { 200: ConnectionSchedule },
    },
  },
  async (deps: RouteDeps, request) => await setConnection(deps, request.caller.instanceId, request.params, request.body.everyMinutes ?? 0),
)

const resetConnectionRoute = route(
  {
    method: 'DELETE',
    url: OF_CONNECTION,
    scope: 'connections:write',
    roles: operators,
    audit: 'connection.schedule-changed',
    schema: {
      tags: ['Connections'],
      summary: 'Read a connection as often as its service',
      operationId: 'resetConnectionSchedule',
      params: connectionPath,
      response: { 200: ConnectionSchedule },
    },
  },
  async (deps: RouteDeps, request) => await setConnection(deps, request.caller.instanceId, request.params, null),
)

async function showService(deps: RouteDeps, instanceId: string, serviceId: string) {
  return present(await readServiceSchedule(deps, instanceId, await getService(deps, instanceId, serviceId)))
}

async function setService(deps: RouteDeps, instanceId: string, serviceId: string, minutes: number | null) {
  const service = await getService(deps, instanceId, serviceId)
  await refuseInvalid(changeServiceSchedule(deps, instanceId, service, minutes))
  return await showService(deps, instanceId, serviceId)
}

async function showConnection(deps: RouteDeps, instanceId: string, { companyId, serviceId }: ConnectionPath) {
  if (!(await findCompany(deps.database, instanceId, companyId))) throw notFound('company')
  const service = await getService(deps, instanceId, serviceId)
  const connection = orNotFound(await findCurrentConnection(deps.database, instanceId, companyId, serviceId), 'connection')
  const at = connection.updateScheduledAt
  return { ...present(await readConnectionSchedule(deps, connection, service)), updateScheduledOn: at && toPlainTimestamp(at) }
}

async function setConnection(deps: RouteDeps, instanceId: string, path: ConnectionPath, minutes: number | null) {
  if (!(await findCompany(deps.database, instanceId, path.companyId))) throw notFound('company')
  const service = await getService(deps, instanceId, path.serviceId)
  if (!(await refuseInvalid(changeConnectionSchedule(deps.sync, { instanceId, ...path }, service, minutes)))) throw notFound('connection')
  return await showConnection(deps, instanceId, path)
}

async function getService({ database, sync }: RouteDeps, instanceId: string, serviceId: string): Promise<Service> {
  return orNotFound(await findService(database, sync.sources, instanceId, serviceId), 'service')
}

function present({ minutes, ...schedule }: Schedule) {
  return { everyMinutes: minutes === 0 ? null : minutes, ...schedule }
}

async function refuseInvalid<T>(change: Promise<T>): Promise<T> {
  try {
    return await change
  } catch (error) {
    if (error instanceof TooOften)
      throw badField('everyMinutes', `must be at least ${error.shortestMinutes} within the limits of this source`)
    if (error instanceof NoSchedule) throw conflict('Files are read when they arrive: they have no schedule.')
    if (error instanceof ActionNotAllowed) throw conflict(`Not possible now: ${error.message}.`)
    throw error
  }
}
