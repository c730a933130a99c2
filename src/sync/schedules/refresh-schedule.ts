import { recordChange } from '../../audit/record.ts'
import { Status } from '../../model/statuses.ts'
import { FIRST_ID } from '../../model/values/first-id.ts'
import { type Connection, lockConnection } from '../../store/connections/connections.ts'
import { type Database, type Db, databaseTime, inTransaction } from '../../store/db/database.ts'
import { enqueueJob, type Job } from '../../store/jobs/jobs.ts'
import {
  findOwnMinutes,
  findServiceMinutes,
  lockFollowers,
  type ScheduledService,
  scheduleUpdate,
  writeOwnMinutes,
  writeServiceMinutes,
} from '../../store/schedules/refresh-schedules.ts'
import { ActionNotAllowed, type ConnectionTarget, changeConnection } from '../connection/connection-actions.ts'
import type { Publishing, Store } from '../context/groups.ts'
import { nextRefresh } from '../runs/schedule.ts'
import type { Service } from '../sources/catalogue.ts'
import { shortestMinutesOf } from './shortest-interval.ts'

const BATCH = 200

/** Thrown for an interval at which refreshes would exceed the source's rate limits. */
export class TooOften extends Error {
  readonly shortestMinutes: number

  constructor(shortestMinutes: number) {
    super(`at least ${shortestMinutes} minutes`)
    this.shortestMinutes = shortestMinutes
  }
}

/** Thrown for file sources, which are read when files arrive. */
export class NoSchedule extends Error {}

/** Refresh interval in minutes; 0 for never. */
export interface Schedule {
  minutes: number
  setBy: 'connection' | 'service' | 'source'
  shortestMinutes: number
  /** False for files, which are read when they arrive. */
  isChangeable: boolean
}

/** Interval of a service: its own, else that of the source through which it is reached, else the connector's. */
export async function findServiceInterval(db: Db, instanceId: string, service: Service): Promise<Pick<Schedule, 'minutes' | 'setBy'>> {
  if (isOfFiles(service)) return { minutes: 0, setBy: 'source' }
  const own = await findServiceMinutes(db, { instanceId, serviceId: service.id })
  if (own !== null) return { minutes: own, setBy: 'service' }
  const above = service.parentId === null ? null : await findServiceMinutes(db, { instanceId, serviceId: service.parentId })
  return { minutes: above ?? service.source.description.refreshHours * 60, setBy: 'source' }
}

export async function readServiceSchedule({ database }: Store, instanceId: string, service: Service): Promise<Schedule> {
  const interval = await findServiceInterval(database, instanceId, service)
  const shortestMinutes = shortestMinutesOf(service.source.description, await service.source.load())
  return { ...interval, shortestMinutes, isChangeable: !isOfFiles(service) }
}

export async function readConnectionSchedule(deps: Store, connection: Connection, service: Service): Promise<Schedule> {
  const own = await findOwnMinutes(deps.database, connection)
  const ofService = await readServiceSchedule(deps, connection.instanceId, service)
  return own === null || isOfFiles(service) ? ofService : { ...ofService, minutes: own, setBy: 'connection' }
}

/**
 * Sets the refresh interval of a company's current connection at a service; null: follows the service. Null when there
 * is no such connection. Throws `ActionNotAllowed`, `TooOften` or `NoSchedule`.
 */
export async function changeConnectionSchedule(
  deps: Store & Publishing,
  target: ConnectionTarget,
  service: Service,
  minutes: number | null,
): Promise<Connection | null> {
  await checkMinutes(service, minutes)
  return await changeConnection(deps.database, deps, target, async (db, connection) => {
    if (connection.status === Status.Disconnected || connection.entityId === null)
      throw new ActionNotAllowed(connection, 'the connection has ended or was never authorized')
    const before = await findOwnMinutes(db, connection)
    await writeOwnMinutes(db, connection, minutes)
    const changed = await lockConnection(db, connection.instanceId, connection.id)
    if (changed) await scheduleUpdate(db, changed, nextRefresh(changed, await databaseTime(db)))
    await recordChange(db, {
      instanceId: connection.instanceId,
      action: 'connection.schedule-changed',
      subject: `connection/${connection.id}`,
      before: toAudited(before),
      after: toAudited(minutes),
    })
  })
}

/**
 * Sets the refresh interval of a service in an instance; null: follows its connector. A job updates its connections.
 * Throws `TooOften` or `NoSchedule`.
 */
export async function changeServiceSchedule(
  { database }: Store,
  instanceId: string,
  service: Service,
  minutes: number | null,
): Promise<void> {
  await checkMinutes(service, minutes)
  const scheduled = { instanceId, serviceId: service.id, connectorKey: service.parentId === null ? service.source.description.key : null }
  await inTransaction(database, async (db) => {
    const before = await findServiceMinutes(db, scheduled)
    await writeServiceMinutes(db, scheduled, minutes)
    const { serviceId, connectorKey } = scheduled
    await enqueueJob(db, {
      instanceId,
      kind: 'reschedule',
      key: `reschedule/${instanceId}/${serviceId}`,
      payload: { serviceId, connectorKey },
    })
    await recordChange(db, {
      instanceId,
      action: 'service.schedule-changed',
      subject: `service/${serviceId}`,
      before: toAudited(before),
      after: toAudited(minutes),
    })
  })
}

/** As an audit entry shows an interval: null where it has none of its own, `never` where it is not read by itself. */
function toAudited(minutes: number | null): { everyMinutes: number | 'never' | null } {
  return { everyMinutes: minutes === 0 ? 'never' : minutes }
}

/** Job: reschedules all connections that follow a service's schedule, in batches. */
export async function rescheduleFollowers(database: Database, { instanceId, payload }: Job): Promise<void> {
  const connectorKey = typeof payload.connectorKey === 'string' ? payload.connectorKey : null
  const service = { instanceId, serviceId: String(payload.serviceId), connectorKey }
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) after = await rescheduleBatch(database, service, after)
}

async function rescheduleBatch(database: Database, service: ScheduledService, after: string): Promise<string | undefined> {
  return await inTransaction(database, async (db) => {
    const ids = await lockFollowers(db, service, after, BATCH)
    const now = await databaseTime(db)
    for (const id of ids) {
      const connection = await lockConnection(db, service.instanceId, id)
      if (connection) await scheduleUpdate(db, connection, nextRefresh(connection, now))
    }
    return ids.at(-1)
  })
}

async function checkMinutes(service: Service, minutes: number | null): Promise<void> {
  if (isOfFiles(service)) throw new NoSchedule()
  const shortest = shortestMinutesOf(service.source.description, await service.source.load())
  if (minutes !== null && minutes > 0 && minutes < shortest) throw new TooOften(shortest)
}

function isOfFiles({ source }: Service): boolean {
  return source.description.link === 'upload'
}
