import { FIRST_ID } from '../../model/values/first-id.ts'
import type { Db } from '../db/database.ts'
import { type RowCursor, type SealedColumn, type SealedRow, toContext } from './sealed-columns.ts'
import type { SealContext } from './sealing.ts'

export interface SealedValue {
  context: SealContext
  sealed: Uint8Array
  /** Object with the bytes that follow `sealed`; null: it is whole. */
  object: { key: string; bytes: number } | null
}

type Row = SealedRow & Pick<SealedValue, 'sealed' | 'object'>

const BATCH_ROWS = 500
/** A batch ends at this size, whatever its number of rows; a single value may be larger. */
const BATCH_BYTES = 8 * 1024 * 1024

/**
 * All sealed values of a column with their seal contexts, in batches of bounded size. NOTE two statements for a batch: on
 * a cluster the rows of a join would have to be of one company.
 */
export async function* listSealedValues(db: Db, column: SealedColumn): AsyncGenerator<SealedValue> {
  const { table, key, rowId, generation, value, object } = column
  let after: RowCursor = { instanceId: FIRST_ID, key: FIRST_ID }
  for (;;) {
    const last = await findBatchEnd(db, column, after)
    if (last === null) return
    const { rows } = await db.query<Row>(
      `select instance_id as "instanceId", ${rowId} as "rowId", ${generation ?? 'null::integer'} as generation, ${value} as sealed,
         ${object ?? 'null::jsonb'} as object
       from ${table} where ${value} is not null and (instance_id, ${key}) > ($1, $2) and (instance_id, ${key}) <= ($3, $4)
       order by instance_id, ${key}`,
      [after.instanceId, after.key, last.instanceId, last.key],
    )
    for (const row of rows) yield { context: toContext(column, row), sealed: row.sealed, object: row.object }
    after = last
  }
}

/** Last row of the batch that begins behind `after`; null at the end of the table. */
async function findBatchEnd(db: Db, { table, key, value }: SealedColumn, after: RowCursor): Promise<RowCursor | null> {
  const { rows } = await db.query<RowCursor & { bytes: number }>(
    `select instance_id as "instanceId", ${key} as key, octet_length(${value}) as bytes from ${table}
     where ${value} is not null and (instance_id, ${key}) > ($1, $2) order by instance_id, ${key} limit ${BATCH_ROWS}`,
    [after.instanceId, after.key],
  )
  let sum = 0
  for (const row of rows) {
    sum += row.bytes
    if (sum >= BATCH_BYTES) return row
  }
  return rows.at(-1) ?? null
}
