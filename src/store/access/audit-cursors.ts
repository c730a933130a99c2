import { AUDIT_EVENT } from '../../model/events.ts'
import type { Db } from '../db/database.ts'
import { isSuspendedSql } from '../operators/suspensions.ts'
import { DEPLOYMENT_CHAIN } from './audit-chain.ts'

/** Time for which a process may work on a batch before another process repeats it. */
const LEASE_SECONDS = 60

/**
 * Destination of entries: AUDIT_SINK (forwarding continues after a change of its address), or the webhook subscriptions
 * of an instance.
 */
export type AuditDestination = 'sink' | 'webhooks'

export interface ClaimedCursor {
  /** Null: the deployment’s own chain. */
  instanceId: string | null
  /** Position up to which entries were forwarded. */
  position: number
  /** Newest entry at the time of the claim. */
  head: number
}

/** Claims a chain with entries waiting for a destination; null if none is free. */
export async function claimAuditCursor(db: Db, destination: AuditDestination): Promise<ClaimedCursor | null> {
  const { rows } = await db.query<{ chain: string; position: number; head: number }>(
    `with behind as (
       select c.instance_id, c.position from audit_chains c left join audit_cursors k on k.instance_id = c.instance_id and k.sink = $1
       where c.position > coalesce(k.position, 0) and (k.leased_until is null or k.leased_until < statement_timestamp())
         and ($1 <> 'webhooks' or exists (select 1 from subscriptions s where s.instance_id = c.instance_id and s.event = $3)
           and not ${isSuspendedSql('c.instance_id')})
       order by k.leased_until nulls first, c.instance_id limit 1)
     insert into audit_cursors as k (instance_id, sink, position, leased_until)
       select instance_id, $1, 0, clock_timestamp() + make_interval(secs => $2) from behind
     on conflict (instance_id, sink) do update set leased_until = excluded.leased_until
       where k.leased_until is null or k.leased_until < statement_timestamp()
     returning instance_id as chain, position::float8 as position,
       (select b.position::float8 from behind b where b.instance_id = k.instance_id) as head`,
    [destination, LEASE_SECONDS, AUDIT_EVENT],
  )
  const [row] = rows
  return row ? { instanceId: row.chain === DEPLOYMENT_CHAIN ? null : row.chain, position: row.position, head: row.head } : null
}

/** Webhooks begin with the next entry of an instance. */
export async function startAuditWebhooks(db: Db, instanceId: string): Promise<void> {
  await db.query(
    `insert into audit_cursors (instance_id, sink, position) select instance_id, 'webhooks', position from audit_chains where instance_id = $1
     on conflict (instance_id, sink) do update set position = excluded.position`,
    [instanceId],
  )
}

/** Records that the entries up to `position` were forwarded. */
export async function moveAuditCursor(db: Db, destination: AuditDestination, from: ClaimedCursor, position: number): Promise<void> {
  await db.query('update audit_cursors set position = $4, leased_until = null where instance_id = $1 and sink = $2 and position = $3', [
    from.instanceId ?? DEPLOYMENT_CHAIN,
    destination,
    from.position,
    position,
  ])
}

/** Releases a chain of which nothing was forwarded. */
export async function releaseAuditCursor(db: Db, destination: AuditDestination, { instanceId, position }: ClaimedCursor): Promise<void> {
  await db.query('update audit_cursors set leased_until = null where instance_id = $1 and sink = $2 and position = $3', [
    instanceId ?? DEPLOYMENT_CHAIN,
    destination,
    position,
  ])
}
