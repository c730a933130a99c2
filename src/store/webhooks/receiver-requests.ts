import type { Db } from '../db/database.ts'
import type { RequestChecks, StoredRequest } from './receivers.ts'

interface ReceiverKey {
  instanceId: string
  receiverId: string
}

export interface NewRequest {
  id: string
  headers: Record<string, string>
  body: Uint8Array
  checks: RequestChecks
  answered: number
}

/** Stores a request and prunes the receiver's requests to the newest within both bounds. Needs a transaction. */
export async function saveRequest(
  db: Db,
  { instanceId, receiverId }: ReceiverKey,
  request: NewRequest,
  most: { requests: number; bytes: number },
): Promise<void> {
  // Serializes writers, so that each sees the requests stored before it.
  await db.query('select 1 from receivers where instance_id = $1 and id = $2 for no key update', [instanceId, receiverId])
  await db.query(
    `insert into receiver_requests (instance_id, receiver_id, id, headers, body, checks, answered) values ($1, $2, $3, $4, $5, $6, $7)`,
    [instanceId, receiverId, request.id, JSON.stringify(request.headers), request.body, JSON.stringify(request.checks), request.answered],
  )
  await db.query(
    `delete from receiver_requests where instance_id = $1 and receiver_id = $2 and id in (
       select id from (
         select id, row_number() over newest as place, sum(octet_length(body)) over newest as bytes from receiver_requests
         where instance_id = $1 and receiver_id = $2 window newest as (order by received_at desc, id)) ranked
       where place > $3 or (bytes > $4 and place > 1))`,
    [instanceId, receiverId, most.requests, most.bytes],
  )
}

const COLUMNS = `id, received_at as "receivedAt", headers, octet_length(body) as "bodyBytes", checks, answered,
  exists (select 1 from receiver_requests before where before.instance_id = r.instance_id and before.receiver_id = r.receiver_id
    and before.received_at < r.received_at and before.headers ->> 'webhook-id' = r.headers ->> 'webhook-id') as "isRepeat"`

/** Newest first. */
export async function listRequests(db: Db, { instanceId, receiverId }: ReceiverKey): Promise<StoredRequest[]> {
  const { rows } = await db.query<StoredRequest>(
    `select ${COLUMNS} from receiver_requests r where instance_id = $1 and receiver_id = $2 order by received_at desc, id`,
    [instanceId, receiverId],
  )
  return rows
}

export async function findRequest(
  db: Db,
  { instanceId, receiverId }: ReceiverKey,
  id: string,
): Promise<(StoredRequest & { body: Uint8Array }) | null> {
  const { rows } = await db.query<StoredRequest & { body: Uint8Array }>(
    `select ${COLUMNS}, body from receiver_requests r where instance_id = $1 and receiver_id = $2 and id = $3`,
    [instanceId, receiverId, id],
  )
  return rows[0] ?? null
}

export async function clearRequests(db: Db, { instanceId, receiverId }: ReceiverKey): Promise<void> {
  await db.query('delete from receiver_requests where instance_id = $1 and receiver_id = $2', [instanceId, receiverId])
}

/** Deletes all requests that mention a company. */
export async function deleteRequestsOfCompany(db: Db, instanceId: string, companyId: string): Promise<void> {
  await db.query("delete from receiver_requests where instance_id = $1 and position(convert_to($2, 'UTF8') in body) > 0", [
    instanceId,
    companyId.toLowerCase(),
  ])
}

/** Retention: deletes the requests of an instance older than `days`. */
export async function deleteOldRequests(db: Db, instanceId: string, days: number): Promise<void> {
  await db.query(
    'delete from receiver_requests where instance_id = $1 and received_at < statement_timestamp() - make_interval(days => $2)',
    [instanceId, days],
  )
}
