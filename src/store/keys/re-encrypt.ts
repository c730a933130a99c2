import { FIRST_ID } from '../../model/values/first-id.ts'
import { isDistributedTable } from '../db/cluster/distributed-tables.ts'
import { type Database, type Db, inTransaction } from '../db/database.ts'
import { type RowCursor, SEALED_COLUMNS, type SealedColumn, type SealedRow, toContext } from './sealed-columns.ts'
import { SEALED_HEAD_BYTES, SEALED_MIN_BYTES, SealError, type Sealer } from './sealing.ts'

/** Rows per transaction: few, because other writers of these rows wait that long. */
const BATCH = 500

export interface ReEncrypted {
  reEncrypted: number
  /** Values that no available key opens. */
  unreadable: number
}

/**
 * Re-encryption after a key rotation: wraps every sealed value under the newest sealing key, table by table, while the
 * service runs; only the wrap of each value's data key changes. Locked rows are left for the next run. Safe to kill:
 * the next run continues with the rest.
 */
export async function reEncryptAll(database: Database, sealer: Sealer): Promise<ReEncrypted> {
  const total: ReEncrypted = { reEncrypted: 0, unreadable: 0 }
  for (const sealedColumn of SEALED_COLUMNS) {
    for (let after: RowCursor | null = { instanceId: FIRST_ID, key: FIRST_ID }; after !== null; ) {
      const from: RowCursor = after
      const done = await inTransaction(database, (db) => reEncryptBatch(db, sealer, sealedColumn, from))
      total.reEncrypted += done.reEncrypted
      total.unreadable += done.unreadable
      after = done.last
    }
  }
  return total
}

interface OldRow extends SealedRow, RowCursor {
  head: Uint8Array
  /** On a cluster. */
  companyId?: string
}

async function reEncryptBatch(
  db: Db,
  sealer: Sealer,
  sealedColumn: SealedColumn,
  after: RowCursor,
): Promise<ReEncrypted & { last: RowCursor | null }> {
  const { table, key, rowId, generation, value } = sealedColumn
  const last = await findBatchEnd(db, sealedColumn, after)
  const isOfNodes = (db.isDistributed ?? false) && isDistributedTable(table)
  const { rows } = await db.query<OldRow>(
    `select instance_id as "instanceId", ${key} as key, ${rowId} as "rowId", ${generation ?? 'null::integer'} as generation,
       substr(${value}, 1, ${SEALED_MIN_BYTES}) as head${isOfNodes ? ', company_id as "companyId"' : ''}
     from ${table} where ${value} is not null and substr(${value}, 2, 8) <> $1
       and (instance_id, ${key}) > ($2, $3) and ($4::uuid is null or (instance_id, ${key}) <= ($4, $5))${isOfNodes ? '' : ' for no key update skip locked'}`,
    [Buffer.from(sealer.newestKeyId(), 'hex'), after.instanceId, after.key, last?.instanceId, last?.key],
  )
  const heads: { row: OldRow; head: Uint8Array }[] = []
  for (const row of rows) {
    const head = newHead(sealer, sealedColumn, row)
    if (head) heads.push({ row, head })
  }
  if (isOfNodes) return { reEncrypted: await replaceHeads(db, sealedColumn, heads), unreadable: rows.length - heads.length, last }
  await db.query(
    `update ${table} t set ${sealedColumn.assign('n.head')}
     from unnest($1::uuid[], $2::uuid[], $3::bytea[]) as n (instance_id, key, head) where t.instance_id = n.instance_id and t.${key} = n.key`,
    [heads.map(({ row }) => row.instanceId), heads.map(({ row }) => row.key), heads.map(({ head }) => head)],
  )
  return { reEncrypted: heads.length, unreadable: rows.length - heads.length, last }
}

/** On a cluster, row by row: rows of several nodes cannot be locked at once. One that has changed is left for the next run. */
async function replaceHeads(
  db: Db,
  { table, key, value, assign }: SealedColumn,
  heads: readonly { row: OldRow; head: Uint8Array }[],
): Promise<number> {
  let replaced = 0
  for (const { row, head } of heads) {
    const { rowCount } = await db.query(
      `update ${table} t set ${assign('$5::bytea')} where t.instance_id = $1 and t.${key} = $2 and t.company_id = $3
         and substr(${value}, 1, ${SEALED_MIN_BYTES}) = $4`,
      [row.instanceId, row.key, row.companyId, row.head, head],
    )
    replaced += rowCount ?? 0
  }
  return replaced
}

/**
 * Last row of the batch that begins behind `after`; null at the end of the table. Keeps statements from scanning the
 * whole table.
 */
async function findBatchEnd(db: Db, { table, key, value }: SealedColumn, after: RowCursor): Promise<RowCursor | null> {
  const { rows } = await db.query<RowCursor>(
    `select instance_id as "instanceId", ${key} as key from ${table} where ${value} is not null and (instance_id, ${key}) > ($1, $2)
     order by instance_id, ${key} offset ${BATCH - 1} limit 1`,
    [after.instanceId, after.key],
  )
  return rows[0] ?? null
}

function newHead(sealer: Sealer, sealedColumn: SealedColumn, row: OldRow): Uint8Array | null {
  try {
    return sealer.reEncrypt(toContext(sealedColumn, row), row.head).subarray(0, SEALED_HEAD_BYTES)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return null
  }
}
