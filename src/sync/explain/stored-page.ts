import { StorageRefused } from '../../object-storage/s3-object.ts'
import type { Db } from '../../store/db/database.ts'
import type { RawPageId } from '../../store/records/raw-pages.ts'
import { ObjectMissing } from '../pages/complete-value.ts'
import { openPage, type PageReader } from '../runs/raw-page-store.ts'

/** Page whose bytes cannot be read now: reported as such, and never taken for a deleted page. */
export async function readStoredPage(db: Db, reader: PageReader, key: RawPageId) {
  try {
    return await openPage(db, reader, key)
  } catch (error) {
    if (error instanceof ObjectMissing) return { fault: 'the raw page is missing in object storage' }
    if (error instanceof StorageRefused) return { fault: 'object storage does not answer at present' }
    throw error
  }
}
