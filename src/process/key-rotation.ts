import type { Database } from '../store/db/database.ts'
import type { ReloadableKeyRing } from '../store/keys/keys.ts'
import { reEncryptAll } from '../store/keys/re-encrypt.ts'
import type { Sealer } from '../store/keys/sealing.ts'
import type { Logger } from './log.ts'

/** Notices a sealing key that was added and brings what older ones hold under it. Any process may call it at any time. */
export async function reEncryptOld(database: Database, ring: ReloadableKeyRing, sealer: Sealer, log: Logger): Promise<void> {
  ring.refresh()
  if (ring.all.length === 1) return
  const { reEncrypted, unreadable } = await reEncryptAll(database, sealer)
  if (reEncrypted > 0) log.info({ reEncrypted, key: ring.newest.id }, 'sealed values brought under the newest key')
  if (unreadable > 0) log.error({ unreadable }, 'sealed values that no key here opens')
}
