import { FIRST_ID } from '../../model/values/first-id.ts'
import { isDistributedTable } from '../db/cluster/distributed-tables.ts'
import { type Database, type Db, inTransaction } from '../db/database.ts'
import { SEALED_COLUMNS, type SealedColumn, type SealedRow, toContext } from './sealed-columns.ts'
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

interface RowCursor {
  instanceId: string
  key: string
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

export interface SealedCount {
  table: string
  key: string
  count: number
}

/** Values counted by one call of a census, and by one of its statements. */
const CENSUS_CALL = 10_000
const CENSUS_STEP = 1_000

/**
 * Count of sealed values for metrics: values per table and sealing key as of the last complete walk. Each call
 * continues the walk by a bounded number of rows, so that a large deployment is not read whole; a smaller one is
 * counted by each call. Null until the first walk is complete.
 */
export function sealedCensus(db: Db): () => Promise<SealedCount[] | null> {
  let last: SealedCount[] | null = null
  let walk = openWalk()
  return async () => {
    for (let left = CENSUS_CALL; left > 0; ) {
      const column = SEALED_COLUMNS[walk.column]
      if (!column) {
        last = [...walk.counts.values()]
        walk = openWalk()
        break
      }
      const { counted, end } = await countStep(db, column, walk.after, Math.min(left, CENSUS_STEP))
      for (const { key, count } of counted) {
        const known = walk.counts.get(`${column.table} ${key}`)
        walk.counts.set(`${column.table} ${key}`, { table: column.table, key, count: count + (known?.count ?? 0) })
        left -= count
      }
      walk.after = end ?? { instanceId: FIRST_ID, key: FIRST_ID }
      if (end === null) walk.column += 1
    }
    return last
  }
}

function openWalk(): { column: number; after: RowCursor; counts: Map<string, SealedCount> } {
  return { column: 0, after: { instanceId: FIRST_ID, key: FIRST_ID }, counts: new Map() }
}

/** Counts the next values of a column; `end` is null at its end. */
async function countStep(
  db: Db,
  { table, key, value }: SealedColumn,
  after: RowCursor,
  limit: number,
): Promise<{ counted: { key: string; count: number }[]; end: RowCursor | null }> {
  const { rows } = await db.query<{ key: string; count: number; end: RowCursor; seen: number }>(
    `with step as materialized (select instance_id, ${key} as row_key, encode(substr(${value}, 2, 8), 'hex') as sealing_key from ${table}
         where ${value} is not null and (instance_id, ${key}) > ($1, $2) order by instance_id, ${key} limit $3)
     select sealing_key as key, count(*)::int as count, (select count(*) from step)::int as seen,
       (select json_build_object('instanceId', instance_id, 'key', row_key) from step order by instance_id desc, row_key desc limit 1) as end
     from step group by sealing_key`,
    [after.instanceId, after.key, limit],
  )
  const [first] = rows
  return { counted: rows.map(({ key, count }) => ({ key, count })), end: first && first.seen === limit ? first.end : null }
}

/** Number of values per sealing key and table. A key without any may be deleted. Reads all tables. */
export async function countSealed(db: Db): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const { table, value } of SEALED_COLUMNS) {
    const { rows } = await db.query<{ key: string; count: number }>(
      `select encode(substr(${value}, 2, 8), 'hex') as key, count(*)::int as count from ${table} where ${value} is not null group by 1`,
    )
    counts.push(...rows.map((row) => ({ table, ...row })))
  }
  return counts
}
