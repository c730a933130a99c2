import type { SubscribableEvent } from '../../model/events.ts'
import type { Db } from '../db/database.ts'

/** Response behaviours of a receiver, with which developers simulate failures of their own. */
export const BEHAVIOURS = ['accept', 'fail', 'slow', 'gone'] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

/** Receiver: an endpoint of ours that stores the events of one subscription for inspection by a developer. */
export interface Receiver {
  instanceId: string
  id: string
  subscriptionId: string
  event: SubscribableEvent
  /** Current address of the subscription: the receiver's, or one that has replaced it since. */
  callbackUrl: string
  behaviour: Behaviour
  createdAt: Date
}

/** Results of the checks of a request's signatures. */
export interface RequestChecks {
  /** Timestamp within five minutes of our clock. */
  timestamp: boolean
  /** A header signature matches an active secret. */
  headers: boolean
  /** The signature in the body matches an active secret. */
  body: boolean
}

export interface StoredRequest {
  id: string
  receivedAt: Date
  headers: Record<string, string>
  bodyBytes: number
  checks: RequestChecks
  /** Same message received before: a redelivered event. */
  isRepeat: boolean
  /** Status of our response. */
  answered: number
}

const COLUMNS = `r.instance_id as "instanceId", r.id, r.subscription_id as "subscriptionId", s.event, s.callback_url as "callbackUrl", r.behaviour,
  r.created_at as "createdAt"`
const FROM = 'from receivers r join subscriptions s on s.instance_id = r.instance_id and s.id = r.subscription_id'

/** False when the instance already has `most` of them. */
export async function insertReceiver(
  db: Db,
  instanceId: string,
  receiver: { id: string; subscriptionId: string; tokenHash: Uint8Array },
  most: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into receivers (instance_id, id, subscription_id, token_hash)
     select $1, $2, $3, $4 where (select count(*) from receivers where instance_id = $1) < $5`,
    [instanceId, receiver.id, receiver.subscriptionId, receiver.tokenHash, most],
  )
  return rowCount === 1
}

/** Finds a receiver by its token alone; the token determines the instance. */
export async function findReceiverByToken(db: Db, tokenHashes: readonly Uint8Array[]): Promise<Receiver | null> {
  const { rows } = await db.query<Receiver>(`select ${COLUMNS} ${FROM} where r.token_hash = any($1::bytea[])`, [tokenHashes])
  return rows[0] ?? null
}

/** Whether the token belongs to the receiver with which this subscription of this instance was created. */
export async function isReceiverOf(
  db: Db,
  { instanceId, subscriptionId }: { instanceId: string; subscriptionId: string },
  tokenHashes: readonly Uint8Array[],
): Promise<boolean> {
  const { rows } = await db.query(
    'select 1 from receivers where instance_id = $1 and subscription_id = $2 and token_hash = any($3::bytea[])',
    [instanceId, subscriptionId, tokenHashes],
  )
  return rows.length > 0
}

export async function findReceiver(db: Db, instanceId: string, id: string): Promise<Receiver | null> {
  const { rows } = await db.query<Receiver>(`select ${COLUMNS} ${FROM} where r.instance_id = $1 and r.id = $2`, [instanceId, id])
  return rows[0] ?? null
}

/** Oldest first. */
export async function listReceivers(db: Db, instanceId: string): Promise<Receiver[]> {
  const { rows } = await db.query<Receiver>(`select ${COLUMNS} ${FROM} where r.instance_id = $1 order by r.created_at, r.id`, [instanceId])
  return rows
}

export async function writeBehaviour(db: Db, instanceId: string, id: string, behaviour: Behaviour): Promise<void> {
  await db.query('update receivers set behaviour = $3 where instance_id = $1 and id = $2', [instanceId, id, behaviour])
}

/** Deletes a receiver and its requests; the subscription stays. */
export async function deleteReceiver(db: Db, instanceId: string, id: string): Promise<void> {
  await db.query('delete from receivers where instance_id = $1 and id = $2', [instanceId, id])
}
