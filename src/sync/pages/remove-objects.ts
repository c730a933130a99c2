import { StorageRefused } from '../../object-storage/s3-object.ts'
import { claimObjectsToRemove, forgetObjects, postponeObjects } from '../../store/records/page-objects.ts'
import type { Logging, PageObjects, Store } from '../context/groups.ts'

const BATCH = 500
/** Concurrent requests to the storage. */
const AT_ONCE = 8

/**
 * Removes objects of deleted or moved pages, and of uploads that no page has claimed; returns their number. A removal
 * whose response is lost is repeated, and a failed one is retried after ten minutes.
 */
export async function removeUnclaimedObjects(
  { database, log, pageObjects }: Store & Logging & { pageObjects: PageObjects },
  isStopping: () => boolean,
): Promise<number> {
  let removed = 0
  for (;;) {
    const keys = await claimObjectsToRemove(database, BATCH)
    const done: string[] = []
    const failed: string[] = []
    const queue = keys.values()
    let reason = ''
    const work = async (): Promise<void> => {
      for (const key of queue) {
        if (isStopping() || failed.length >= AT_ONCE) return
        try {
          await pageObjects.remove(key)
          done.push(key)
        } catch (error) {
          if (!(error instanceof StorageRefused)) throw error
          failed.push(key)
          reason = error.message
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    await forgetObjects(database, done)
    await postponeObjects(database, failed)
    removed += done.length
    if (failed.length > 0)
      log.warn({ failed: failed.length, reason }, 'objects of deleted raw pages could not be removed; they are tried again')
    if (failed.length > 0 || keys.length < BATCH || isStopping()) return removed
  }
}
