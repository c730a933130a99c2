import type { SubscribableEvent } from '../../model/events.ts'
import type { Db } from '../db/database.ts'

/** How a receiver answers, so that a developer can rehearse what his own might do. */
export const BEHAVIOURS = ['accept', 'fail', 'slow', 'gone'] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

/** An address of ours at which the events of one subscription are kept for a developer to look at. */
export interface Receiver {
  instanceId: string
  id: string
  subscriptionId: string
  event: SubscribableEvent
  /** Where the subscription sends to now: the receiver's address, or what somebody has put in its place since. */
  callbackUrl: string
  behaviour: Behaviour
  createdAt: Date
}

/** Which of the proofs that come with a request hold. */
export interface RequestChecks {
  /** Its time is within five minutes of ours. */
  timestamp: boolean
  /** A signature of the headers fits an active secret. */
  headers: boolean
  /** So does the signature inside the body. */
  body: boolean
}

export interface StoredRequest {
  id: string
  receivedAt: Date
  headers: Record<string, string>
  bodyBytes: number
  checks: RequestChecks
  /** The same message came before: an event that is delivered again. */
  isRepeat: boolean
  /** The status that it was answered with. */
  answered: number
}

const COLUMNS = `r.instance_id as "instanceId", r.id, r.subscription_id as "subscriptionId", s.event, s.callback_url as "callbackUrl", r.behaviour,
  r.created_at as "createdAt"`
const FROM = 'from receivers r join subscriptions s on s.instance_id = r.instance_id and s.id = r.subscription_id'

/** False when the instance has `most` of them already. */
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

/** Whoever calls at an address knows nothing but its token, which belongs to one instance. */
export async function findReceiverByToken(db: Db, tokenHash: Uint8Array): Promise<Receiver | null> {
  const { rows } = await db.query<Receiver>(`select ${COLUMNS} ${FROM} where r.token_hash = $1`, [tokenHash])
  return rows[0] ?? null
}

/** Whether the token is the one of the receiver that this subscription of this instance was made with. */
export async function isReceiverOf(
  db: Db,
  { instanceId, subscriptionId }: { instanceId: string; subscriptionId: string },
  tokenHash: Uint8Array,
): Promise<boolean> {
  const { rows } = await db.query('select 1 from receivers where instance_id = $1 and subscription_id = $2 and token_hash = $3', [
    instanceId,
    subscriptionId,
    tokenHash,
  ])
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

/** With what it kept; its subscription stays. */
export async function deleteReceiver(db: Db, instanceId: string, id: string): Promise<void> {
  await db.query('delete from receivers where instance_id = $1 and id = $2', [instanceId, id])
}
