import type { Db } from '../db/database.ts'
import { NEVER_DUE } from './refresh-minutes.ts'

/** A service of an instance; `connectorKey` of a source itself, null for a bank reached through one. */
export interface ScheduledService {
  instanceId: string
  serviceId: string
  connectorKey: string | null
}

/** Minutes between two refreshes that an instance has set for a service; 0: never. Null where it has set none. */
export async function findServiceMinutes(
  db: Db,
  { instanceId, serviceId }: Omit<ScheduledService, 'connectorKey'>,
): Promise<number | null> {
  const { rows } = await db.query<{ minutes: number }>('select minutes from refresh_schedules where instance_id = $1 and service_id = $2', [
    instanceId,
    serviceId,
  ])
  return rows[0]?.minutes ?? null
}

/** Sets the minutes of a service; null removes them. */
export async function writeServiceMinutes(
  db: Db,
  { instanceId, serviceId, connectorKey }: ScheduledService,
  minutes: number | null,
): Promise<void> {
  if (minutes === null) await db.query('delete from refresh_schedules where instance_id = $1 and service_id = $2', [instanceId, serviceId])
  else
    await db.query(
      `insert into refresh_schedules (instance_id, service_id, connector_key, minutes) values ($1, $2, $3, $4)
       on conflict (instance_id, service_id) do update set minutes = excluded.minutes`,
      [instanceId, serviceId, connectorKey, minutes],
    )
}

/** Minutes set for one connection; null where it follows its service. */
export async function findOwnMinutes(db: Db, { instanceId, id }: { instanceId: string; id: string }): Promise<number | null> {
  const { rows } = await db.query<{ minutes: number | null }>(
    'select refresh_minutes as minutes from connections where instance_id = $1 and id = $2',
    [instanceId, id],
  )
  return rows[0]?.minutes ?? null
}

export async function writeOwnMinutes(
  db: Db,
  { instanceId, id }: { instanceId: string; id: string },
  minutes: number | null,
): Promise<void> {
  await db.query('update connections set refresh_minutes = $3 where instance_id = $1 and id = $2', [instanceId, id, minutes])
}

/**
 * Locks up to `limit` connections of a service without their own schedule, in order of id, after `after`; returns
 * their ids.
 */
export async function lockFollowers(db: Db, service: ScheduledService, after: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select c.id from connections c where c.instance_id = $1 and (c.service_id = $2 or c.connector_key = $3)
       and c.refresh_minutes is null and c.status <> 26 and c.id > $4 order by c.id limit $5 for update`,
    [service.instanceId, service.serviceId, service.connectorKey, after, limit],
  )
  return rows.map(({ id }) => id)
}

/** Schedules the next refresh; null: none. */
export async function scheduleUpdate(db: Db, { instanceId, id }: { instanceId: string; id: string }, at: Date | null): Promise<void> {
  await db.query(`update connections set update_scheduled_at = coalesce($3, ${NEVER_DUE}) where instance_id = $1 and id = $2`, [
    instanceId,
    id,
    at,
  ])
}
