import type { Database } from '../store/db/database.ts'
import type { LiveRing } from '../store/keys/keys.ts'
import { rewrapAll } from '../store/keys/rewrap.ts'
import type { Sealer } from '../store/keys/sealing.ts'
import type { Logger } from './log.ts'

/** Notices a sealing key that was added and brings what older ones hold under it. Any process may call it at any time. */
export async function rewrapOld(database: Database, ring: LiveRing, sealer: Sealer, log: Logger): Promise<void> {
  ring.refresh()
  if (ring.all.length === 1) return
  const { rewrapped, unreadable } = await rewrapAll(database, sealer)
  if (rewrapped > 0) log.info({ rewrapped, key: ring.newest.id }, 'sealed values brought under the newest key')
  if (unreadable > 0) log.error({ unreadable }, 'sealed values that no key here opens')
}
