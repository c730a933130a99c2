import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { type Database, type Db, inTransaction } from '../db/database.ts'
import { type Columns, type Filter, toCondition } from '../db/list-selection.ts'
import type { HashKey } from '../keys/keys.ts'

/** Chain id of entries that belong to no instance. */
const DEPLOYMENT_CHAIN = '00000000-0000-0000-0000-000000000000'

/** Audit entry: what was done, by ids and codes only; no secret, address or amount. */
export interface AuditEntry {
  /** Null for an entry of the whole deployment. */
  instanceId: string | null
  /** `noun.verb`, such as `login.succeeded`. */
  action: string
  /** Id of the user who did it; null when unknown. */
  userId: string | null
  /** What the action was applied to, such as `user/<id>`. */
  subject: string | null
  /** Kind of the actor; absent in entries of earlier releases. */
  actor?: string
  /** Id of an actor that is no user. */
  actorId?: string
  /** Network of the request. */
  network?: string
  requestId?: string
  /** Changed fields with their values. */
  before?: AuditValues
  after?: AuditValues
  /** Names of changed fields whose values are not kept. */
  withheld?: string[]
  details?: Record<string, string | number | boolean>
}

export type AuditValues = Record<string, string | number | boolean | null>

export interface RecordedEntry {
  position: number
  at: Date
  entry: Omit<AuditEntry, 'instanceId'>
}

/** First entry that was altered or is missing; null when the chain is intact. */
export type AuditFault = { position: number } | null

const START = Buffer.alloc(32)

/**
 * Audit log writer: appends to the instance's hash chain. Each entry's keyed hash covers the previous entry, so a
 * change or gap is detectable. Writers of one chain are serialized until the transaction of `db` ends: record last.
 */
export async function recordAudit(db: Db, key: Uint8Array, entry: AuditEntry, at: Date): Promise<void> {
  const { instanceId, ...rest } = entry
  const chain = instanceId ?? DEPLOYMENT_CHAIN
  const text = JSON.stringify(rest)
  const head = (await lockHead(db, chain)) ?? (await startChain(db, chain))
  const position = Number(head.position) + 1
  const hash = link(key, head.hash, chain, position, at, text)
  await db.query(
    `with head as (update audit_chains set position = $2, hash = $5 where instance_id = $1)
     insert into audit_entries (instance_id, position, at, entry, hash) values ($1, $2, $3, $4, $5)`,
    [chain, position, at, text, hash],
  )
}

interface Head {
  position: string
  hash: Uint8Array
}

async function lockHead(db: Db, chain: string): Promise<Head | null> {
  const { rows } = await db.query<Head>('select position, hash from audit_chains where instance_id = $1 for update', [chain])
  return rows[0] ?? null
}

async function startChain(db: Db, chain: string): Promise<Head> {
  const insert = 'insert into audit_chains (instance_id, position, hash, start_hash) values ($1, 0, $2, $2) on conflict do nothing'
  await db.query(insert, [chain, START])
  const head = await lockHead(db, chain)
  if (!head) throw new Error('the audit chain is gone')
  return head
}

const LISTED: Columns = {
  position: { sql: 'position', type: 'number' },
  recordedOn: { sql: 'at', type: 'date', key: 'at' },
  action: { sql: `(entry::json ->> 'action')`, type: 'string' },
  userId: { sql: `(entry::json ->> 'userId')::uuid`, type: 'uuid' },
  subject: { sql: `(entry::json ->> 'subject')`, type: 'string' },
}

/** Page of matching entries, newest first, older than `beforePosition` if given. */
export async function listAudit(
  db: Db,
  instanceId: string,
  limit: number,
  beforePosition: number | null = null,
  filter: Filter = [],
): Promise<RecordedEntry[]> {
  const values: unknown[] = [instanceId, beforePosition, limit]
  const { rows } = await db.query<{ position: string; at: Date; entry: string }>(
    `select position, at, entry from audit_entries where instance_id = $1 and ($2::bigint is null or position < $2)
       and ${toCondition(filter, LISTED, values)} order by position desc limit $3`,
    values,
  )
  return rows.map((row) => ({ position: Number(row.position), at: row.at, entry: JSON.parse(row.entry) as RecordedEntry['entry'] }))
}

/** What was found in the audit chains; `entries` counts what was looked at. */
export interface AuditReport {
  chains: number
  entries: number
  /** The first fault of each chain that has one; the instance is null for the deployment’s own chain. */
  faults: { instanceId: string | null; position: number }[]
}

/** Verifies all chains, each from its newest `last` entries on. */
export async function verifyAudits(database: Database, keys: readonly Uint8Array[], last?: number): Promise<AuditReport> {
  const report: AuditReport = { chains: 0, entries: 0, faults: [] }
  const { rows } = await database.query<{ chain: string }>('select instance_id as chain from audit_chains order by 1')
  for (const { chain } of rows) {
    const instanceId = chain === DEPLOYMENT_CHAIN ? null : chain
    const fault = await verifyAudit(database, keys, instanceId, { last, onEntries: (count) => (report.entries += count) })
    report.chains += 1
    if (fault) report.faults.push({ instanceId, ...fault })
  }
  return report
}

/**
 * Chain verification: recomputes the hash of every entry, or of the newest `last`, under each key that may have written
 * it, and of the head, and compares it with the stored one. Reads one point in time and holds up no writer.
 */
export async function verifyAudit(
  database: Database,
  keys: readonly Uint8Array[],
  instanceId: string | null,
  { last = Number.POSITIVE_INFINITY, onEntries }: { last?: number | undefined; onEntries?(count: number): void } = {},
): Promise<AuditFault> {
  const chain = instanceId ?? DEPLOYMENT_CHAIN
  return inTransaction(database, async (db) => {
    await db.query('set transaction isolation level repeatable read, read only')
    const head = await readHead(db, chain)
    if (!head) return null
    const start = await findStart(db, chain, head, last)
    if (!start) return { position: head.position - last }
    let { position, hash } = start
    while (position < head.position) {
      const entries = await readChain(db, chain, position)
      if (entries.length === 0) return { position: position + 1 }
      onEntries?.(entries.length)
      for (const entry of entries) {
        position += 1
        const previous = hash
        const isGenuine = keys.some((key) => timingSafeEqual(link(key, previous, chain, position, entry.at, entry.entry), entry.hash))
        if (Number(entry.position) !== position || !isGenuine) return { position }
        hash = entry.hash
      }
    }
    return timingSafeEqual(hash, head.hash) ? null : { position }
  })
}

interface ChainHead {
  position: number
  hash: Uint8Array
  /** The entry before the oldest one that is kept. */
  start: number
  startHash: Uint8Array
}

async function readHead(db: Db, chain: string): Promise<ChainHead | null> {
  const { rows } = await db.query<{ position: string; hash: Uint8Array; start: string; startHash: Uint8Array }>(
    `select position, hash, start_position as start, start_hash as "startHash" from audit_chains where instance_id = $1`,
    [chain],
  )
  const [row] = rows
  return row ? { ...row, position: Number(row.position), start: Number(row.start) } : null
}

/** Where a verification of the newest `last` entries begins; null when the entry before them is missing. */
async function findStart(db: Db, chain: string, head: ChainHead, last: number): Promise<{ position: number; hash: Uint8Array } | null> {
  const position = head.position - last
  if (position <= head.start) return { position: head.start, hash: head.startHash }
  const { rows } = await db.query<{ hash: Uint8Array }>('select hash from audit_entries where instance_id = $1 and position = $2', [
    chain,
    position,
  ])
  return rows[0] ? { position, hash: rows[0].hash } : null
}

/** Key of the audit chains: derived, so that no other use of a token hash key can produce the hash of an entry. */
export function toAuditKey({ bytes }: HashKey): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', bytes, '', 'audit chain', 32))
}

/** Retention: drops entries older than `before`, oldest first; the remaining chain still verifies. */
export async function deleteOldAudit(database: Database, before: Date): Promise<void> {
  await inTransaction(database, async (db) => {
    await db.query("set local countinghouse.audit_retention = 'on'")
    await db.query('select 1 from audit_chains order by instance_id for update')
    await db.query(
      `update audit_chains c set start_position = last.position, start_hash = last.hash
       from (select distinct on (e.instance_id) e.instance_id, e.position, e.hash from audit_entries e
             where e.position < coalesce((select min(k.position) from audit_entries k where k.instance_id = e.instance_id and k.at >= $1), e.position + 1)
             order by e.instance_id, e.position desc) last
       where c.instance_id = last.instance_id`,
      [before],
    )
    await db.query(
      'delete from audit_entries e using audit_chains c where e.instance_id = c.instance_id and e.position <= c.start_position',
    )
  })
}

async function readChain(db: Db, chain: string, after: number): Promise<{ position: string; at: Date; entry: string; hash: Uint8Array }[]> {
  const { rows } = await db.query<{ position: string; at: Date; entry: string; hash: Uint8Array }>(
    'select position, at, entry, hash from audit_entries where instance_id = $1 and position > $2 order by position limit 1000',
    [chain, after],
  )
  return rows
}

function link(key: Uint8Array, previous: Uint8Array, chain: string, position: number, at: Date, text: string): Buffer {
  return createHmac('sha256', key).update(previous).update(`${chain}\n${position}\n${at.toISOString()}\n${text}`).digest()
}
