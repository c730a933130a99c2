import { randomUUID } from 'node:crypto'
import { type AuditEventFacts, toAuditEventBody } from '../../model/audit-events.ts'
import { AUDIT_EVENT } from '../../model/events.ts'
import { type Db, databaseTime } from '../db/database.ts'

/** Nil UUID: the event is about no connection, or is a test. */
export const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Whether a subscription of the instance other than `exceptId` gets audit entries. */
export async function hasAuditSubscription(db: Db, instanceId: string, exceptId: string): Promise<boolean> {
  const { rows } = await db.query('select 1 from subscriptions where instance_id = $1 and event = $2 and id <> $3 limit 1', [
    instanceId,
    AUDIT_EVENT,
    exceptId,
  ])
  return rows.length > 0
}

/**
 * Events of audit entries of one instance, in the order given; one that is there already is left out. Their times differ
 * by a microsecond at least: the feed orders by them.
 */
export async function insertAuditEvents(db: Db, instanceId: string, entries: readonly Omit<AuditEventFacts, 'id'>[]): Promise<void> {
  const events = entries.map((facts) => ({ facts, id: randomUUID() }))
  await db.query(
    `with inserted as (
       insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body, created_at)
       select $1, e.id, $2, $3::uuid, $3::uuid, $3::uuid, $2 || '/' || e.position, e.body,
         statement_timestamp() + (e.place - $4) * interval '1 microsecond'
       from unnest($5::uuid[], $6::bigint[], $7::text[]) with ordinality as e (id, position, body, place)
       on conflict do nothing returning id)
     select pg_notify('events', '') from inserted limit 1`,
    [
      ...[instanceId, AUDIT_EVENT, NOBODY, entries.length],
      ...[events.map(({ id }) => id), entries.map(({ position }) => position)],
      events.map(({ facts, id }) => toAuditEventBody({ ...facts, id })),
    ],
  )
}

/** Test event of a subscription to audit entries, for it alone: an entry at position 0, of no chain. */
export async function insertAuditTestEvent(db: Db, instanceId: string, subscriptionId: string, id: string): Promise<void> {
  const entry = { action: 'subscription.tested', userId: null, subject: `subscription/${subscriptionId}` }
  const body = toAuditEventBody({ id, position: 0, hash: '0'.repeat(64), at: await databaseTime(db), entry })
  await db.query(
    `with inserted as (
       insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body, only_for)
       values ($1, $2, $3, $4, $4, $4, $5, $6, $7) returning id)
     select pg_notify('events', '') from inserted`,
    [instanceId, id, AUDIT_EVENT, NOBODY, `test/${id}`, body, subscriptionId],
  )
}
