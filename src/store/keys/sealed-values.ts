import { FIRST_ID } from '../../model/values/first-id.ts'
import type { Db } from '../db/database.ts'
import { type SealedColumn, type SealedRow, toContext } from './sealed-columns.ts'
import type { SealContext } from './sealing.ts'

export interface SealedValue {
  context: SealContext
  sealed: Uint8Array
  /** Object with the bytes that follow `sealed`; null: it is whole. */
  object: { key: string; bytes: number } | null
}

type Row = SealedRow & Pick<SealedValue, 'sealed' | 'object'> & { key: string }

const BATCH_ROWS = 500
/** A batch ends at this size, whatever its number of rows; a single value may be larger. */
const BATCH_BYTES = 8 * 1024 * 1024

/** All sealed values of a column with their seal contexts, in batches of bounded size. */
export async function* listSealedValues(db: Db, column: SealedColumn): AsyncGenerator<SealedValue> {
  const { table, key, rowId, generation, value, object } = column
  let after = { instanceId: FIRST_ID, key: FIRST_ID }
  for (;;) {
    const { rows } = await db.query<Row>(
      `with batch as (
         select instance_id, ${key} as key, sum(octet_length(${value})) over (order by instance_id, ${key}) - octet_length(${value}) as before
         from ${table} where ${value} is not null and (instance_id, ${key}) > ($1, $2) order by instance_id, ${key} limit ${BATCH_ROWS})
       select t.instance_id as "instanceId", t.${key} as key, ${rowId} as "rowId", ${generation ?? 'null::integer'} as generation,
         ${value} as sealed, ${object === null ? 'null::jsonb' : `(select ${object} from ${table} o where o.instance_id = t.instance_id and o.${key} = t.${key})`} as object
       from ${table} t join batch b on b.instance_id = t.instance_id and b.key = t.${key}
       where b.before < ${BATCH_BYTES} order by t.instance_id, t.${key}`,
      [after.instanceId, after.key],
    )
    for (const row of rows) yield { context: toContext(column, row), sealed: row.sealed, object: row.object }
    const last = rows.at(-1)
    if (!last) return
    after = { instanceId: last.instanceId, key: last.key }
  }
}
