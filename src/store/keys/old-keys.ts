import type { Db } from '../db/database.ts'
import { HASHED_COLUMNS } from './hashed-columns.ts'
import type { Keys } from './keys.ts'
import { countSealed } from './sealing-key-counts.ts'

/** Key that no longer writes, and what still needs it. */
export interface OldKey {
  purpose: 'sealing' | 'token-hash'
  id: string
  needs: { what: string; count: number }[]
}

/** Processes begin with a new key by their own clocks. */
const MARGIN_MS = 60_000

/**
 * Older sealing and token-hash keys with what in the database needs them; backups, and addresses that sources were
 * given, may need them too. Reads whole tables.
 */
export async function readOldKeys(db: Db, keys: Pick<Keys, 'sealing' | 'tokenHash'>): Promise<OldKey[]> {
  return [...(await readOldSealingKeys(db, keys)), ...(await readOldHashKeys(db, keys))]
}

async function readOldSealingKeys(db: Db, { sealing }: Pick<Keys, 'sealing'>): Promise<OldKey[]> {
  const old = before(sealing.all, sealing.newest.id)
  const counts = old.length > 0 ? await countSealed(db) : []
  return old.map(({ id }) => ({
    purpose: 'sealing',
    id,
    needs: counts.filter(({ key }) => key === id).map(({ table, count }) => ({ what: `values in ${table}`, count })),
  }))
}

async function readOldHashKeys(db: Db, { tokenHash }: Pick<Keys, 'tokenHash'>): Promise<OldKey[]> {
  const old: OldKey[] = []
  let from: Date | null = null
  for (const { id } of before(tokenHash.all, tokenHash.newest.id)) {
    const until = tokenHash.writesUntil(id)
    old.push({ purpose: 'token-hash', id, needs: await countHashes(db, from, until) })
    from = until
  }
  return old
}

/** Hashes made between two moments; null: from the first on, or until now. */
async function countHashes(db: Db, from: Date | null, until: Date | null): Promise<OldKey['needs']> {
  const needs: OldKey['needs'] = []
  for (const { table, what, madeAt, isLive } of HASHED_COLUMNS) {
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::int as count from ${table} t
       where ${isLive} and coalesce(${madeAt} >= $1, true) and coalesce(${madeAt} < $2, true)`,
      [from && new Date(from.getTime() - MARGIN_MS), until && new Date(until.getTime() + MARGIN_MS)],
    )
    const count = rows[0]?.count ?? 0
    if (count > 0) needs.push({ what, count })
  }
  return needs
}

/** Keys older than the one that writes. */
function before<K extends { id: string }>(all: readonly K[], newestId: string): readonly K[] {
  return all.slice(
    0,
    all.findIndex(({ id }) => id === newestId),
  )
}
