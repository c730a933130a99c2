import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { CATEGORY_IDS } from '../../model/catalogue.ts'
import { statusName } from '../../model/statuses.ts'
import { toPlainTimestamp } from '../../model/timestamps.ts'
import { findCompany } from '../../store/companies.ts'
import { type Connection, findNewestConnection, listConnections, listTimeline } from '../../store/connections.ts'
import { listQuarantined } from '../../store/quarantine.ts'
import { listRuns } from '../../store/sync-runs.ts'
import { findUser } from '../../store/users.ts'
import { acceptDeletions, disconnect, NotNow, requestRefresh, resume, suspend } from '../../sync/actions.ts'
import { findService, listServices } from '../../sync/catalogue.ts'
import { wantDirectory } from '../../sync/directory.ts'
import { issueLink } from '../../sync/link.ts'
import { operators, readers } from '../access/caller.ts'
import { conflict, notFound } from '../errors.ts'
import type { HouseDeps } from '../house-deps.ts'
import { selectInMemory } from '../list-in-memory.ts'
import { type ListQuery, listQuerySchema, pageOf, readListQuery } from '../list-query.ts'
import { listPage } from '../list-reply.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../schemas.ts'

const ConnectionShape = Type.Object({
  sessionId: Uuid,
  statusName: Type.String({ examples: ['Synced'] }),
  statusCode: Type.Integer({ examples: [19] }),
  serviceName: Type.String(),
  serviceId: Uuid,
  categoryId: Uuid,
  category: Type.String(),
  createdOn: PlainTimestamp,
  updateScheduledOn: PlainTimestamp,
})

const ListedConnection = Type.Object({ ...ConnectionShape.properties, companyId: Uuid, lastUpdatedOn: PlainTimestamp })

const LIST = {
  filter: {
    sessionId: 'uuid',
    companyId: 'uuid',
    statusName: 'string',
    statusCode: 'number',
    serviceName: 'string',
    serviceId: 'uuid',
    categoryId: 'uuid',
    category: 'string',
    createdOn: 'date',
    lastUpdatedOn: 'date',
    updateScheduledOn: 'date',
  },
  orderBy: ['createdOn', 'serviceName', 'serviceId', 'statusName', 'statusCode', 'lastUpdatedOn', 'updateScheduledOn'],
} as const

const Detail = Type.Object({
  ...ConnectionShape.properties,
  entityName: orNull(Type.String({ description: 'The books or the bank login that was authorized' })),
  fault: orNull(Type.String({ description: 'Why it is at fault' })),
  lastPublishedOn: orNull(PlainTimestamp),
  timeline: Type.Array(
    Type.Object({
      at: PlainTimestamp,
      fromStatusCode: orNull(Type.Integer()),
      statusCode: Type.Integer(),
      statusName: Type.String(),
      detail: Type.String(),
    }),
  ),
  runs: Type.Array(
    Type.Object({
      id: Uuid,
      reason: Type.String(),
      state: Type.String(),
      startedOn: PlainTimestamp,
      endedOn: orNull(PlainTimestamp),
      pages: Type.Integer(),
      records: Type.Integer(),
      changed: Type.Integer(),
      deleted: Type.Integer(),
      heldBack: Type.Integer({ description: 'Deletions that looked like a fault of the source and were not believed' }),
      setAside: Type.Integer(),
      reidentified: Type.Integer({ description: 'Accounts that a reconnect gave other ids and that go on as they were' }),
      unclear: Type.Integer({ description: 'Accounts that could not be told apart after a reconnect: they ended, and new ones began' }),
      unmapped: Type.Array(Type.Object({ entity: Type.String(), field: Type.String(), word: Type.String(), count: Type.Integer() })),
      errorKind: orNull(Type.String()),
      error: orNull(Type.String()),
    }),
  ),
  setAside: Type.Array(Type.Object({ entity: Type.String(), origId: Type.String(), reason: Type.String(), on: PlainTimestamp })),
})

const place = strict({ companyId: Uuid, serviceId: Uuid })
const PATH = '/normalized-data/company/:companyId/data-connection/:serviceId'
const tags = ['Connections']
const RUNS_SHOWN = 20

/** Links, statuses and what can be done with a connection. */
export function connectionRoutes(deps: HouseDeps): FastifyPluginAsyncTypebox {
  const { database } = deps

  async function checkPlace(instanceId: string, params: { companyId: string; serviceId: string }) {
    if (!(await findCompany(database, instanceId, params.companyId))) throw notFound('company')
    const service = await findService(deps.sync, database, instanceId, params.serviceId)
    if (!service) throw notFound('service')
    return service
  }

  async function page(instanceId: string, companyId: string | null, query: ListQuery) {
    const list = readListQuery(query, LIST)
    const names = await serviceNames(deps, instanceId)
    const items = (await listConnections(database, instanceId, companyId)).map((c) => ({ ...c, name: names.get(c.serviceId) ?? '' }))
    return { list, ...selectInMemory(items, list, LIST.filter, (item, property) => listed(item)[property as keyof typeof LIST.filter]) }
  }

  return async (app) => {
    app.get(
      `${PATH}/link`,
      {
        config: { roles: operators },
        schema: {
          tags,
          summary: 'Service connection link',
          operationId: 'getConnectionLink',
          params: place,
          response: { 200: Type.Object({ link: Type.String({ format: 'uri' }) }) },
        },
      },
      async (request) => {
        const { instanceId, userId } = request.caller
        const service = await checkPlace(instanceId, request.params)
        if (!service.isEnabled) throw conflict('This service is not enabled here: its keys are not set.')
        await wantDirectory(deps.sync, service.source)
        const user = await findUser(database, instanceId, userId)
        return { link: await issueLink(deps.sync, { instanceId, ...request.params, issuedBy: user?.email ?? '' }) }
      },
    )
    app.get(
      '/normalized-data/company/:companyId/data-connection/statuses',
      {
        config: { roles: readers },
        schema: {
          tags,
          summary: 'Connections of a company',
          operationId: 'listConnectionsOfCompany',
          params: strict({ companyId: Uuid }),
          querystring: listQuerySchema(LIST),
          response: { 200: pageOf(ConnectionShape) },
        },
      },
      async (request, reply) => {
        const { instanceId } = request.caller
        if (!(await findCompany(database, instanceId, request.params.companyId))) throw notFound('company')
        const { list, items, total } = await page(instanceId, request.params.companyId, request.query)
        return listPage(
          reply,
          list,
          items.map((item) => present(item, item.name)),
          total,
        )
      },
    )
    app.get(
      '/normalized-data/data-connection/statuses',
      {
        config: { roles: readers },
        schema: {
          tags,
          summary: 'Connections of all companies',
          operationId: 'listConnections',
          querystring: listQuerySchema(LIST),
          response: { 200: pageOf(ListedConnection) },
        },
      },
      async (request, reply) => {
        const { list, items, total } = await page(request.caller.instanceId, null, request.query)
        const rows = items.map((item) => ({
          ...present(item, item.name),
          companyId: item.companyId,
          lastUpdatedOn: toPlainTimestamp(item.updatedAt),
        }))
        return listPage(reply, list, rows, total)
      },
    )
    app.get(
      `${PATH}/status`,
      {
        config: { roles: readers },
        schema: {
          tags,
          summary: 'The newest connection of a company to a service',
          description: 'With its timeline, its last runs and the records that were set aside.',
          operationId: 'getConnectionStatus',
          params: place,
          response: { 200: Detail },
        },
      },
      async (request) => {
        const { instanceId } = request.caller
        const service = await checkPlace(instanceId, request.params)
        const connection = await findNewestConnection(database, instanceId, request.params.companyId, request.params.serviceId)
        if (!connection) throw notFound('connection')
        return await presentDetail(deps, connection, service.name)
      },
    )
    const actions = {
      refresh: { act: requestRefresh, summary: 'Read the source now' },
      'accept-deletions': {
        act: acceptDeletions,
        summary: 'What the source no longer lists is gone, however much it is: read it now and believe it',
      },
      suspend: { act: suspend, summary: 'Stop reading the source until resumed; published data stays readable' },
      resume: { act: resume, summary: 'Go on after a suspension' },
    }
    for (const [name, { act, summary }] of Object.entries(actions)) {
      app.post(
        `${PATH}/${name}`,
        {
          config: { roles: operators },
          schema: {
            tags,
            summary,
            operationId: `${name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Connection`,
            params: place,
            response: { 202: ConnectionShape },
          },
        },
        async (request, reply) => {
          reply.code(202)
          return await perform(request.caller.instanceId, request.params, act)
        },
      )
    }
    app.delete(
      PATH,
      {
        config: { roles: operators },
        schema: {
          tags,
          summary: 'Disconnect: no reader from now on, credentials gone, data deleted',
          operationId: 'disconnectConnection',
          params: place,
          response: { 202: ConnectionShape },
        },
      },
      async (request, reply) => {
        reply.code(202)
        return await perform(request.caller.instanceId, request.params, disconnect)
      },
    )
  }

  async function perform(instanceId: string, params: { companyId: string; serviceId: string }, act: typeof suspend) {
    const service = await checkPlace(instanceId, params)
    try {
      const connection = await act(deps.sync, { instanceId, ...params })
      if (!connection) throw notFound('connection')
      return present(connection, service.name)
    } catch (error) {
      if (error instanceof NotNow) throw conflict(`Not possible now: ${error.message}.`)
      throw error
    }
  }
}

async function serviceNames(deps: HouseDeps, instanceId: string): Promise<Map<string, string>> {
  return new Map((await listServices(deps.sync, deps.database, instanceId)).map((service) => [service.id, service.name]))
}

function listed(connection: Connection & { name: string }) {
  return {
    sessionId: connection.id,
    companyId: connection.companyId,
    statusName: statusName(connection.status),
    statusCode: connection.status,
    serviceName: connection.name,
    serviceId: connection.serviceId,
    categoryId: CATEGORY_IDS[connection.category],
    category: connection.category,
    createdOn: connection.createdAt,
    lastUpdatedOn: connection.updatedAt,
    updateScheduledOn: connection.updateScheduledAt,
  }
}

function present(connection: Connection, serviceName: string) {
  return {
    sessionId: connection.id,
    statusName: statusName(connection.status),
    statusCode: connection.status,
    serviceName,
    serviceId: connection.serviceId,
    categoryId: CATEGORY_IDS[connection.category],
    category: connection.category,
    createdOn: toPlainTimestamp(connection.createdAt),
    updateScheduledOn: toPlainTimestamp(connection.updateScheduledAt),
  }
}

async function presentDetail(deps: HouseDeps, connection: Connection, serviceName: string) {
  const { database } = deps
  const { instanceId, id } = connection
  const orNullOn = (at: Date | null) => (at === null ? null : toPlainTimestamp(at))
  return {
    ...present(connection, serviceName),
    entityName: connection.entityName,
    fault: connection.fault,
    lastPublishedOn: orNullOn(connection.publishedAt),
    timeline: (await listTimeline(database, instanceId, id)).map((entry) => ({
      at: toPlainTimestamp(entry.at),
      fromStatusCode: entry.fromStatus,
      statusCode: entry.toStatus,
      statusName: statusName(entry.toStatus),
      detail: entry.detail,
    })),
    runs: (await listRuns(database, instanceId, id, RUNS_SHOWN)).map((run) => ({
      id: run.id,
      reason: run.reason,
      state: run.state,
      startedOn: toPlainTimestamp(run.startedAt),
      endedOn: orNullOn(run.endedAt),
      ...run.counts,
      unmapped: run.unmapped,
      errorKind: run.errorKind,
      error: run.error,
    })),
    setAside: (await listQuarantined(database, instanceId, id)).map((record) => ({
      entity: record.entity,
      origId: record.origId,
      reason: record.reason,
      on: toPlainTimestamp(record.at),
    })),
  }
}
