import { Type } from 'typebox'
import { CATEGORIES, CATEGORY_IDS } from '../../../model/catalogue.ts'
import { isReadable, statusName } from '../../../model/statuses.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { listRuns } from '../../../store/connections/connection-history.ts'
import type { NamedConnection } from '../../../store/connections/connection-list.ts'
import { ENTRIES_SHOWN, listTimeline } from '../../../store/connections/connection-timeline.ts'
import type { Connection } from '../../../store/connections/connections.ts'
import { findActiveConsent, findFirstOpening } from '../../../store/connections/consents.ts'
import type { Database } from '../../../store/db/database.ts'
import { listQuarantined } from '../../../store/records/quarantine.ts'
import { faultProperties, presentFault } from '../../schemas/fault-shapes.ts'
import { ConnectionStatus, orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

const RUNS_SHOWN = 20
const RECORDS_SHOWN = 100

export const ConnectionShape = strict(
  {
    sessionId: Uuid,
    statusName: Type.String({ examples: ['Synced'] }),
    statusCode: ConnectionStatus,
    serviceName: Type.String(),
    serviceId: Uuid,
    parentServiceName: orNull(
      Type.String({ description: 'Through which aggregator the bank is reached; null for a source that is reached itself' }),
    ),
    categoryId: Uuid,
    category: Type.String({ enum: [...CATEGORIES] }),
    createdOn: PlainTimestamp,
    updateScheduledOn: orNull(
      Type.String({
        description:
          'Next refresh by the schedule; null where none will come: while it waits for its owner or is suspended, when it has ended, ' +
          'when its schedule is “never”, and for files, which are read when they arrive. UTC',
      }),
    ),
  },
  { title: 'Connection' },
)

/** Connection with a requested read. */
export const AskedRead = strict(
  {
    ...ConnectionShape.properties,
    runId: Type.String({ format: 'uuid', description: 'Id of its run; requests share a run that has not begun' }),
    run: Type.String({ description: 'Address of its run' }),
    runs: Type.String({ description: 'Address of the list that shows its run once it has begun, as in `Location`' }),
  },
  { title: 'AskedRead' },
)

export const NextReadOn = orNull(
  Type.String({
    description:
      'When it is read next by itself, be it by the schedule or after a failure; null while it waits for its owner, is suspended or has ended. UTC',
  }),
)

export const ListedConnection = strict(
  {
    ...ConnectionShape.properties,
    companyId: Uuid,
    lastUpdatedOn: PlainTimestamp,
    nextReadOn: NextReadOn,
    isCurrent: Type.Boolean({
      description: 'Whether it is the connection that its company has to its service now: the active one, or else the newest',
    }),
    ...faultProperties,
  },
  { title: 'ListedConnection' },
)

export const LIST = {
  filter: {
    sessionId: 'uuid',
    companyId: 'uuid',
    statusName: 'string',
    statusCode: 'number',
    serviceName: 'string',
    parentServiceName: 'string',
    serviceId: 'uuid',
    categoryId: 'uuid',
    category: 'string',
    createdOn: 'date',
    lastUpdatedOn: 'date',
    updateScheduledOn: 'date',
    nextReadOn: 'date',
    faultCode: 'string',
    troubleCode: 'string',
    isCurrent: 'boolean',
  },
  orderBy: ['createdOn', 'serviceName', 'serviceId', 'statusName', 'statusCode', 'lastUpdatedOn', 'updateScheduledOn'],
} as const

export const Detail = strict(
  {
    ...ConnectionShape.properties,
    entityName: orNull(Type.String({ description: 'The books or the bank login that was authorized' })),
    ...faultProperties,
    nextReadOn: NextReadOn,
    lastPublishedOn: orNull(PlainTimestamp),
    linkOpenedOn: orNull(Type.String({ description: 'When the owner first opened the link that led to it; UTC' })),
    consentExpiresOn: orNull(Type.String({ description: 'Until when the owner agreed; null when nobody was asked, or it has ended; UTC' })),
    timeline: Type.Array(
      strict({
        at: PlainTimestamp,
        fromStatusCode: orNull(ConnectionStatus),
        statusCode: ConnectionStatus,
        statusName: Type.String(),
        detail: Type.String(),
      }),
      { description: `The newest ${ENTRIES_SHOWN} changes of its status, oldest first; \`…/timeline\` lists all` },
    ),
    runs: Type.Array(
      strict({
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
        unmapped: Type.Array(strict({ entity: Type.String(), field: Type.String(), word: Type.String(), count: Type.Integer() })),
        errorKind: orNull(Type.String()),
        error: orNull(Type.String()),
      }),
      { description: `The newest ${RUNS_SHOWN}, newest first; \`…/runs\` lists all` },
    ),
    setAside: Type.Array(strict({ entity: Type.String(), origId: Type.String(), reason: Type.String(), on: PlainTimestamp }), {
      description: `The first ${RECORDS_SHOWN} records set aside, by entity and \`origId\`; \`…/quality\` lists all, with their number`,
    }),
  },
  { title: 'ConnectionDetail' },
)

export function present(connection: Connection, service: { name: string; parentName: string | null }) {
  return {
    sessionId: connection.id,
    statusName: statusName(connection.status),
    statusCode: connection.status,
    serviceName: service.name,
    serviceId: connection.serviceId,
    parentServiceName: service.parentName,
    categoryId: CATEGORY_IDS[connection.category],
    category: connection.category,
    createdOn: toPlainTimestamp(connection.createdAt),
    updateScheduledOn: connection.updateScheduledAt && toPlainTimestamp(connection.updateScheduledAt),
  }
}

/** Expected next read: a retry after a failure, or the schedule. */
export function presentNextRead({ status, trouble, updateScheduledAt }: Pick<Connection, 'status' | 'trouble' | 'updateScheduledAt'>) {
  if (!isReadable(status)) return null
  if (trouble) return toPlainTimestamp(new Date(trouble.nextAt))
  return updateScheduledAt && toPlainTimestamp(updateScheduledAt)
}

export function presentListed(connection: NamedConnection) {
  return {
    ...present(connection, connection),
    companyId: connection.companyId,
    lastUpdatedOn: toPlainTimestamp(connection.updatedAt),
    nextReadOn: presentNextRead(connection),
    isCurrent: connection.isCurrent,
    ...presentFault(connection),
  }
}

export async function presentDetail(database: Database, connection: Connection, service: { name: string; parentName: string | null }) {
  const { instanceId, id } = connection
  const orNullOn = (at: Date | null) => (at === null ? null : toPlainTimestamp(at))
  return {
    ...present(connection, service),
    entityName: connection.entityName,
    ...presentFault(connection),
    nextReadOn: presentNextRead(connection),
    lastPublishedOn: orNullOn(connection.publishedAt),
    linkOpenedOn: orNullOn(await findFirstOpening(database, instanceId, id)),
    consentExpiresOn: orNullOn((await findActiveConsent(database, instanceId, id))?.expiresAt ?? null),
    timeline: (await listTimeline(database, instanceId, id)).map((entry) => ({
      at: toPlainTimestamp(entry.at),
      fromStatusCode: entry.fromStatus,
      statusCode: entry.toStatus,
      statusName: statusName(entry.toStatus),
      detail: entry.detail,
    })),
    runs: (await listRuns(database, connection, RUNS_SHOWN)).map((run) => ({
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
    setAside: (await listQuarantined(database, connection, RECORDS_SHOWN)).map((record) => ({
      entity: record.entity,
      origId: record.origId,
      reason: record.reason,
      on: toPlainTimestamp(record.at),
    })),
  }
}
