import type { Database } from '../../store/db/database.ts'
import { SEALED_COLUMNS } from '../../store/keys/sealed-columns.ts'
import { listSealedValues } from '../../store/keys/sealed-values.ts'
import { SealError, type Sealer } from '../../store/keys/sealing.ts'
import type { PageObjects } from '../../sync/context/groups.ts'
import { completeValue, ObjectMissing } from '../../sync/pages/complete-value.ts'

export interface OpenedColumn {
  table: string
  column: string
  opened: number
  unreadable: number
  /** Why the first unreadable value cannot be opened; null: all can. */
  reason: string | null
}

/** Opens every sealed value, and keeps none; also those whose bytes lie in object storage. */
export async function openSealedValues(
  { database, sealer, pageObjects }: { database: Database; sealer: Sealer; pageObjects?: PageObjects },
  signal: AbortSignal,
): Promise<OpenedColumn[]> {
  const columns: OpenedColumn[] = []
  for (const sealedColumn of SEALED_COLUMNS) {
    const found: OpenedColumn = { table: sealedColumn.table, column: sealedColumn.column, opened: 0, unreadable: 0, reason: null }
    for await (const { context, sealed, object } of listSealedValues(database, sealedColumn)) {
      signal.throwIfAborted()
      try {
        await sealer.openLarge(context, await completeValue(pageObjects, sealed, object))
        found.opened += 1
      } catch (error) {
        if (!(error instanceof SealError || error instanceof ObjectMissing)) throw error
        found.unreadable += 1
        found.reason ??= error.message
      }
    }
    columns.push(found)
  }
  return columns
}
