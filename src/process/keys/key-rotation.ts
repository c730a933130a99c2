import { repeat } from '../../jobs/repeat.ts'
import type { Database } from '../../store/db/database.ts'
import { type Keys, refreshKeys } from '../../store/keys/keys.ts'
import { reEncryptAll } from '../../store/keys/re-encrypt.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import type { Log } from '../../sync/context/groups.ts'

/** Interval at which keys are read again: an added key is loaded everywhere well before it may write. */
const LOOK_EVERY_MS = 30_000

/**
 * Loads keys that are added while the process runs, until the returned function is called. If the folder cannot be
 * read, the known keys stay.
 */
export function watchKeys(keys: Keys, log: Log): () => Promise<void> {
  const look = (): void => {
    try {
      refreshKeys(keys)
    } catch (error) {
      log.warn({ err: error }, 'the keys could not be read again')
    }
  }
  const timer = repeat({ everyMs: LOOK_EVERY_MS, restMs: LOOK_EVERY_MS, isBackground: true }, look)
  return async () => timer.stop()
}

/**
 * Key rotation: detects a new sealing key and re-encrypts values of older keys under it. Safe in any process at any
 * time.
 */
export async function reEncryptOld(database: Database, ring: Keys['sealing'], sealer: Sealer, log: Log): Promise<void> {
  ring.refresh()
  if (ring.all.length === 1) return
  const { reEncrypted, unreadable } = await reEncryptAll(database, sealer)
  if (reEncrypted > 0) log.info({ reEncrypted, key: ring.newest.id }, 'sealed values re-encrypted under the newest key')
  if (unreadable > 0) log.error({ unreadable }, 'sealed values that no available key opens')
}
