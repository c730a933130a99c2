import { type Db, inTransaction } from '../../store/db/database.ts'
import { countExports, type Export, findExport, insertExport, type NewExport } from '../../store/exports/exports.ts'
import type { Store } from '../context/groups.ts'
import { queueExport } from './run-export.ts'

/** Days from the request for which an export and its file are kept. */
export const EXPORT_DAYS = 7
/** Of an instance at once. */
const MAX_UNFINISHED = 5
const MAX_KEPT = 100

/** Thrown when an instance has as many exports as it may. */
export class TooManyRequested extends Error {}

/**
 * Makes and queues an export of what is published now; a repeated request gets the one that it has made. `onMade` runs
 * in the transaction. Throws `TooManyRequested`.
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
