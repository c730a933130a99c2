import { type Db, inTransaction } from '../../store/db/database.ts'
import { countExports, type Export, findExport, insertExport, type NewExport } from '../../store/exports/exports.ts'
import type { Store } from '../context/groups.ts'
import { queueExport } from './run-export.ts'

/** Days for which an export and its file are kept, from the request. */
export const EXPORT_DAYS = 7
/** Maximum number of exports of an instance at once. */
const MAX_UNFINISHED = 5
const MAX_KEPT = 100

/** Thrown when an instance has reached its maximum of exports. */
export class TooManyRequested extends Error {}

/**
 * Creates and queues an export of the current publications; a repeated request returns the export that it created.
 * `onMade` runs in the transaction. Throws `TooManyRequested`.
 */
export async function requestExport({ database }: Store, wanted: NewExport, onMade: (db: Db) => Promise<void>): Promise<Export> {
  return await inTransaction(database, async (db) => {
    const counted = await countExports(db, wanted.instanceId)
    const known = await findExport(db, wanted)
    if (known) return known
    if (counted.unfinished >= MAX_UNFINISHED)
      throw new TooManyRequested(`${MAX_UNFINISHED} exports are being written. Wait for one of them.`)
    if (counted.all >= MAX_KEPT) throw new TooManyRequested(`${MAX_KEPT} exports are kept. Delete one of them.`)
    await insertExport(db, wanted)
    await queueExport(db, wanted)
    await onMade(db)
    const made = await findExport(db, wanted)
    if (!made) throw new Error('the export was not kept')
    return made
  })
}
