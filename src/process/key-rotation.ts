import type { Database } from '../store/db/database.ts'
import type { ReloadableKeyRing } from '../store/keys/keys.ts'
import { reEncryptAll } from '../store/keys/re-encrypt.ts'
import type { Sealer } from '../store/keys/sealing.ts'
import type { Logger } from './log.ts'

/**
 * Key rotation: detects a new sealing key and re-encrypts values of older keys under it. Safe in any process at any
 * time.
 */
export async function reEncryptOld(database: Database, ring: ReloadableKeyRing, sealer: Sealer, log: Logger): Promise<void> {
  ring.refresh()
  if (ring.all.length === 1) return
  const { reEncrypted, unreadable } = await reEncryptAll(database, sealer)
  if (reEncrypted > 0) log.info({ reEncrypted, key: ring.newest.id }, 'sealed values re-encrypted under the newest key')
  if (unreadable > 0) log.error({ unreadable }, 'sealed values that no available key opens')
}
