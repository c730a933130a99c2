import { createHash } from 'node:crypto'
import type { Db } from '../db/database.ts'
import type { KeyFile } from './key-files.ts'
import type { HashKey, Keys } from './keys.ts'

/**
 * Thrown when the keys of this data directory are not those that the database's secrets were sealed and hashed with.
 */
export class KeyMismatch extends Error {
  constructor() {
    super('the keys (DATA_DIR/keys, or KEYS, KEYS_FILE, KEYS_COMMAND) are not those of this database; bring back those that belong to it')
    this.name = 'KeyMismatch'
  }
}

/**
 * Key fingerprint check: the first start stores the fingerprint of its token hash key; later starts must have that key,
 * or one that was added to it. Otherwise a lost key folder would be silently replaced and no sealed value could be opened any more. Throws
 * `KeyMismatch`.
 */
export async function checkKeys(db: Db, { tokenHash }: Pick<Keys, 'tokenHash'>): Promise<void> {
  const newest = toFingerprint(tokenHash.newest)
  await db.query('insert into key_fingerprint (fingerprint) values ($1) on conflict do nothing', [newest])
  // After a rotation the newest key's takes the place, so that older keys may be deleted one day.
  const { rowCount } = await db.query('update key_fingerprint set fingerprint = $1 where fingerprint = any($2::bytea[])', [
    newest,
    tokenHash.all.map(toFingerprint),
  ])
  if (rowCount !== 1) throw new KeyMismatch()
}

/** Whether the keys are those of this database, or nothing was stored with any yet; changes nothing. */
export async function areKeysOf(db: Db, { tokenHash }: Pick<Keys, 'tokenHash'>): Promise<boolean> {
  const { rows } = await db.query<{ fingerprint: Uint8Array }>('select fingerprint from key_fingerprint')
  return rows.every(({ fingerprint }) => tokenHash.all.some((key) => Buffer.compare(toFingerprint(key), fingerprint) === 0))
}

/** Fingerprint of a token hash key. */
function toFingerprint({ bytes }: Pick<HashKey, 'bytes'>): Buffer {
  return createHash('sha256').update('fingerprint\n').update(bytes).digest()
}

/** Whether one of these keys has the fingerprint, in hex, that a database holds. */
export function haveFingerprint(keys: readonly Pick<KeyFile, 'purpose' | 'bytes'>[], fingerprint: string): boolean {
  return keys.some((key) => key.purpose === 'token-hash' && toFingerprint(key).toString('hex') === fingerprint)
}
