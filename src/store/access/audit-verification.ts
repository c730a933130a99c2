import { timingSafeEqual } from 'node:crypto'
import { type Database, type Db, inTransaction } from '../db/database.ts'
import { DEPLOYMENT_CHAIN, entryHash, headSeal } from './audit-chain.ts'

/** First entry that was altered or is missing; null when the chain is intact. */
export type AuditFault = { position: number } | null

/** Result of verifying the audit chains; `entries` is the number of entries checked. */
export interface AuditReport {
  chains: number
  entries: number
  /** The first fault of each chain that has one; the instance is null for the deployment’s own chain. */
  faults: { instanceId: string | null; position: number }[]
}

/** Verifies all chains, each from its newest `last` entries on. */
export async function verifyAudits(database: Database, keys: readonly Uint8Array[], last?: number): Promise<AuditReport> {
  const report: AuditReport = { chains: 0, entries: 0, faults: [] }
  // Includes chains whose head is missing.
  const { rows } = await database.query<{ chain: string }>(
    `select instance_id as chain from audit_chains union select distinct instance_id from audit_entries order by 1`,
  )
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
  // On a session: behind a pooler a transaction begins with the query of its settings, after which its isolation is fixed.
  return inTransaction(database.sessions ?? database, async (db) => {
    await db.query('set transaction isolation level repeatable read, read only')
    const head = await readHead(db, chain)
    const stray = await findStray(db, chain, head)
    if (!head) return stray
    return (await verifyEntries(db, keys, { chain, head, last, onEntries })) ?? stray
  })
}

/** Entry outside the positions between start and head; null if there is none. */
async function findStray(db: Db, chain: string, head: ChainHead | null): Promise<AuditFault> {
  const { rows } = await db.query<{ position: string }>(
    `select position from audit_entries where instance_id = $1 and (position > $2 or position <= $3) order by position limit 1`,
    [chain, head?.position ?? 0, head?.start ?? 0],
  )
  return rows[0] ? { position: Number(rows[0].position) } : null
}

interface ToVerify {
  chain: string
  head: ChainHead
  last: number
  onEntries?: ((count: number) => void) | undefined
}

async function verifyEntries(db: Db, keys: readonly Uint8Array[], { chain, head, last, onEntries }: ToVerify): Promise<AuditFault> {
  const start = await findStart(db, chain, head, last)
  if (!start) return { position: head.position - last }
  let { position, hash } = start
  let newest: ChainPosition | null = null
  while (position < head.position) {
    const entries = await readChain(db, chain, position)
    if (entries.length === 0) return { position: position + 1 }
    onEntries?.(entries.length)
    for (const entry of entries) {
      position += 1
      const chained = { previous: hash, chain, position, at: entry.at, text: entry.entry }
      const isGenuine = keys.some((key) => isEqual(entryHash(key, chained), entry.hash))
      if (Number(entry.position) !== position || entry.isFiner || !isGenuine) return { position }
      hash = entry.hash
      if (hasVersion(entry.entry)) newest = { position, hash }
    }
  }
  return isEqual(hash, head.hash) && isSealed(keys, chain, head, newest, start) ? null : { position }
}

interface ChainPosition {
  position: number
  hash: Uint8Array
}

/** Whether the head's seal covers the newest entry whose writer seals heads, or one before the entries that are verified. */
function isSealed(
  keys: readonly Uint8Array[],
  chain: string,
  head: ChainHead,
  newest: ChainPosition | null,
  start: ChainPosition,
): boolean {
  const { sealedPosition, headHash } = head
  const sealed = newest ?? start
  if (newest === null && (sealedPosition === null || sealedPosition < start.position)) return true
  return (
    sealedPosition === sealed.position && headHash !== null && keys.some((key) => isEqual(headSeal(key, { chain, ...sealed }), headHash))
  )
}

/** Writers of release 1.0.0 give no version, and seal no head. */
function hasVersion(text: string): boolean {
  return text.startsWith('{"v":')
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

interface ChainHead extends ChainPosition {
  /** The entry before the oldest one that is kept. */
  start: number
  startHash: Uint8Array
  sealedPosition: number | null
  headHash: Uint8Array | null
}

async function readHead(db: Db, chain: string): Promise<ChainHead | null> {
  const { rows } = await db.query<ChainHead>(
    `select position::float8 as position, hash, start_position::float8 as start, start_hash as "startHash",
       sealed_position::float8 as "sealedPosition", head_hash as "headHash"
     from audit_chains where instance_id = $1`,
    [chain],
  )
  return rows[0] ?? null
}

/** Start of a verification of the newest `last` entries; null when the entry before them is missing. */
async function findStart(db: Db, chain: string, head: ChainHead, last: number): Promise<ChainPosition | null> {
  const position = head.position - last
  if (position <= head.start) return { position: head.start, hash: head.startHash }
  const { rows } = await db.query<{ hash: Uint8Array }>('select hash from audit_entries where instance_id = $1 and position = $2', [
    chain,
    position,
  ])
  return rows[0] ? { position, hash: rows[0].hash } : null
}

interface StoredEntry {
  position: string
  at: Date
  /** The time has more digits than were hashed. */
  isFiner: boolean
  entry: string
  hash: Uint8Array
}

async function readChain(db: Db, chain: string, after: number): Promise<StoredEntry[]> {
  const { rows } = await db.query<StoredEntry>(
    `select position, at, at <> date_trunc('milliseconds', at) as "isFiner", entry, hash from audit_entries
     where instance_id = $1 and position > $2 order by position limit 1000`,
    [chain, after],
  )
  return rows
}
