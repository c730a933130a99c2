import { hkdfSync } from 'node:crypto'
import { type Database, type Db, inTransaction } from '../db/database.ts'
import { type Columns, type Filter, toCondition } from '../db/list-selection.ts'
import type { HashKey } from '../keys/keys.ts'
import { DEPLOYMENT_CHAIN, ENTRY_VERSION, entryHash, headSeal } from './audit-chain.ts'

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
  /** In hexadecimal. */
  hash: string
}

const START = Buffer.alloc(32)

/**
 * Audit log writer: appends to the instance's hash chain. Each entry's keyed hash covers the previous entry, so a
 * change or gap is detectable. Writers of one chain are serialized until the transaction of `db` ends: record last.
 */
export async function recordAudit(db: Db, key: Uint8Array, entry: AuditEntry, at: Date): Promise<void> {
  await recordAudits(db, key, [entry], at)
}

/** The same for several entries of one chain, in their order. */
export async function recordAudits(db: Db, key: Uint8Array, entries: readonly AuditEntry[], at: Date): Promise<void> {
  const [first] = entries
  if (!first) return
  const chain = first.instanceId ?? DEPLOYMENT_CHAIN
  const head = (await lockHead(db, chain)) ?? (await startChain(db, chain))
  const start = Number(head.position)
  const texts: string[] = []
  const hashes: Uint8Array[] = []
  for (const [index, { instanceId, ...rest }] of entries.entries()) {
    if ((instanceId ?? DEPLOYMENT_CHAIN) !== chain) throw new Error('entries of one batch belong to one chain')
    const text = JSON.stringify({ v: ENTRY_VERSION, ...rest })
    hashes.push(entryHash(key, { previous: hashes.at(-1) ?? head.hash, chain, position: start + index + 1, at, text }))
    texts.push(text)
  }
  const position = start + entries.length
  const hash = hashes.at(-1) ?? head.hash
  await db.query(
    `with head as (update audit_chains set position = $2, hash = $5, sealed_position = $2, head_hash = $6 where instance_id = $1)
     insert into audit_entries (instance_id, position, at, entry, hash)
     select $1, $7::bigint + e.place, $3, e.entry, e.hash from unnest($4::text[], $8::bytea[]) with ordinality as e (entry, hash, place)`,
    [chain, position, at, texts, hash, headSeal(key, { chain, position, hash }), start, hashes],
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
  actor: { sql: `(entry::json ->> 'actor')`, type: 'string' },
  actorId: { sql: `(entry::json ->> 'actorId')`, type: 'string' },
  network: { sql: `(entry::json ->> 'network')`, type: 'string' },
  requestId: { sql: `(entry::json ->> 'requestId')`, type: 'string' },
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
  const { rows } = await db.query<Row>(
    `select position, at, entry, hash from audit_entries where instance_id = $1 and ($2::bigint is null or position < $2)
       and ${toCondition(filter, LISTED, values)} order by position desc limit $3`,
    values,
  )
  return rows.map(toRecorded)
}

/** Position of the newest entry of an instance; 0 if there is none. */
export async function findAuditEnd(db: Db, instanceId: string): Promise<number> {
  const { rows } = await db.query<{ position: string }>('select position from audit_chains where instance_id = $1', [instanceId])
  return Number(rows[0]?.position ?? 0)
}

/** Positions of entries: after one, up to and with another. */
export interface AuditRange {
  after: number
  /** Absent: to the newest. */
  until?: number
}

/** Matching entries of a range, oldest first. */
export async function listAuditAfter(
  db: Db,
  instanceId: string | null,
  { after, until }: AuditRange,
  limit: number,
  filter: Filter = [],
): Promise<RecordedEntry[]> {
  const values: unknown[] = [instanceId ?? DEPLOYMENT_CHAIN, after, until ?? null, limit]
  const { rows } = await db.query<Row>(
    `select position, at, entry, hash from audit_entries
     where instance_id = $1 and position > $2 and ($3::bigint is null or position <= $3)
       and ${toCondition(filter, LISTED, values)} order by position limit $4`,
    values,
  )
  return rows.map(toRecorded)
}

interface Row {
  position: string
  at: Date
  entry: string
  hash: Uint8Array
}

function toRecorded({ position, at, entry, hash }: Row): RecordedEntry {
  return { position: Number(position), at, entry: JSON.parse(entry) as RecordedEntry['entry'], hash: Buffer.from(hash).toString('hex') }
}

/** Key of the audit chains: derived, so that no other use of a token hash key can produce the hash of an entry. */
export function toAuditKey({ bytes }: HashKey): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', bytes, '', 'audit chain', 32))
}

/** Entries that one transaction deletes: writers of the chain wait that long. */
const EXPIRED_AT_ONCE = 5_000

/**
 * Retention: drops entries older than `before`, oldest first, chain by chain in steps; what is left of a chain still
 * verifies. Looks at the oldest entry of each chain, and at what expires.
 */
export async function deleteOldAudit(database: Database, before: Date, limit = EXPIRED_AT_ONCE): Promise<void> {
  const { rows } = await database.query<{ chain: string }>(
    `select c.instance_id as chain from audit_chains c cross join lateral (
       select at from audit_entries e where e.instance_id = c.instance_id and e.position > c.start_position order by e.position limit 1) oldest
     where oldest.at < $1 order by 1`,
    [before],
  )
  for (const { chain } of rows) while ((await inTransaction(database, (db) => deleteOldest(db, chain, before, limit))) === limit);
}

/** Deletes up to `limit` entries; returns their number. */
async function deleteOldest(db: Db, chain: string, before: Date, limit: number): Promise<number> {
  await db.query("set local countinghouse.audit_retention = 'on'")
  // A statement of its own: the next one has to see what another process has deleted before the lock.
  await db.query('select from audit_chains where instance_id = $1 for update', [chain])
  const { rowCount } = await db.query(
    `with step as materialized (
         select e.position, e.at, e.hash from audit_entries e join audit_chains c on c.instance_id = e.instance_id
         where e.instance_id = $1 and e.position > c.start_position order by e.position limit $3),
       gone as materialized (
         select position, hash from step where position < coalesce((select min(position) from step where at >= $2), position + 1)),
       moved as (
         update audit_chains c set start_position = last.position, start_hash = last.hash
         from (select position, hash from gone order by position desc limit 1) last where c.instance_id = $1)
     delete from audit_entries where instance_id = $1 and position in (select position from gone)`,
    [chain, before, limit],
  )
  return rowCount ?? 0
}
