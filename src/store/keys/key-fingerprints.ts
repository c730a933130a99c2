import { createHash } from 'node:crypto'
import type { Db } from '../db/database.ts'
import type { Keys } from './keys.ts'

/**
 * Thrown when the keys of this data directory are not those that the database's secrets were sealed and hashed with.
 */
export class KeyMismatch extends Error {
  constructor() {
    super('the keys in DATA_DIR/keys are not those of this database; bring back the folder that belongs to it')
    this.name = 'ForeignKeys'
  }
}

/**
 * Key fingerprint check: the first start stores the fingerprint of the key that never rotates, later starts must match
 * it. Otherwise a lost key folder would be silently replaced and no sealed value could be opened any more. Throws
 * `KeyMismatch`.
 */
export async function checkKeys(db: Db, keys: Pick<Keys, 'tokenHash'>): Promise<void> {
  const fingerprint = createHash('sha256').update('fingerprint\n').update(keys.tokenHash).digest()
  await db.query('insert into key_fingerprint (fingerprint) values ($1) on conflict do nothing', [fingerprint])
  const { rows } = await db.query<{ fingerprint: Uint8Array }>('select fingerprint from key_fingerprint')
  if (!rows[0] || Buffer.compare(rows[0].fingerprint, fingerprint) !== 0) throw new KeyMismatch()
}
