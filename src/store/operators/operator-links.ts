import type { Db } from '../db/database.ts'

/** One-time link: the right of an operator to set a password. */
export interface OperatorLink {
  operatorId: string
  resetsTwoStep: boolean
}

export async function createOperatorLink(db: Db, link: OperatorLink & { tokenHash: Uint8Array; expiresAt: Date }): Promise<void> {
  await db.query('insert into operator_links (token_hash, operator_id, resets_two_step, expires_at) values ($1, $2, $3, $4)', [
    link.tokenHash,
    link.operatorId,
    link.resetsTwoStep,
    link.expiresAt,
  ])
}

/** Null when the link is unknown, used or expired at `at`. */
export async function findOperatorLink(db: Db, tokenHashes: readonly Uint8Array[], at: Date): Promise<OperatorLink | null> {
  const { rows } = await db.query<OperatorLink>(
    `select operator_id as "operatorId", resets_two_step as "resetsTwoStep" from operator_links
     where token_hash = any($1::bytea[]) and used_at is null and expires_at > $2`,
    [tokenHashes, at],
  )
  return rows[0] ?? null
}

/** Uses a link up; false when a concurrent request was first. */
export async function consumeOperatorLink(db: Db, tokenHashes: readonly Uint8Array[], at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update operator_links set used_at = $2 where token_hash = any($1::bytea[]) and used_at is null and expires_at > $2',
    [tokenHashes, at],
  )
  return rowCount === 1
}

/** Invalidates all links of an operator. */
export async function cancelOperatorLinks(db: Db, operatorId: string, at: Date): Promise<void> {
  await db.query('update operator_links set used_at = $2 where operator_id = $1 and used_at is null', [operatorId, at])
}
