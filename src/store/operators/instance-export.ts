import { isUuid } from '../../model/values/uuid.ts'
import { enterNodes } from '../db/cluster/cluster-transaction.ts'
import type { Database, Db } from '../db/database.ts'
import { acrossInstances } from '../db/instance-scope.ts'
import type { SealedColumn, SealedRow } from '../keys/sealed-columns.ts'
import { quoted } from '../snapshot/tables.ts'
import { type InstanceTable, listInstanceTables } from './instance-rows.ts'

const ROWS = 200

/** Row of a table as JSON, with the sealed values that were asked for. */
export interface ExportedRow {
  row: Record<string, unknown>
  sealed: { column: SealedColumn; of: SealedRow; bytes: Uint8Array; object: { key: string; bytes: number } | null }[]
}

/** All rows of an instance at one point in time; on a cluster, those of each table that lies on its nodes at one of their own. */
export interface InstanceSnapshot {
  takenAt: Date
  tables: readonly InstanceTable[]
  /** Read one table to its end before the next. */
  listRows(table: InstanceTable, sealed: readonly SealedColumn[]): AsyncGenerator<ExportedRow>
  close(): void
}

/** Opens a snapshot on a separate connection; row-level security shows the rows of this instance only. */
export async function openInstanceSnapshot(database: Database, instanceId: string): Promise<InstanceSnapshot> {
  if (!isUuid(instanceId)) throw new RangeError('an instance has a UUID')
  const client = await acrossInstances(() => (database.sessions ?? database).connect())
  // A broken connection fails the next statement.
  client.on('error', () => undefined)
  // Closed instead of released, which ends the transaction wherever the reader has stopped.
  const close = () => client.release(true)
  try {
    await client.query('begin isolation level repeatable read, read only')
    const { rows } = await client.query<{ takenAt: Date }>(
      `select set_config('countinghouse.instance', $1, true), set_config('statement_timeout', '0', true),
         set_config('idle_in_transaction_session_timeout', '600000', true), transaction_timestamp() as "takenAt"`,
      [instanceId],
    )
    if (database.isDistributed) await enterNodes(client, instanceId)
    const tables = await listInstanceTables(client)
    const list = (table: InstanceTable, sealed: readonly SealedColumn[]) =>
      listRows(client, { name: table.name, from: database.isDistributed ? quoted(table.name) : sourceOf(table.name) }, sealed)
    return { takenAt: rows[0]?.takenAt ?? new Date(0), tables, listRows: list, close }
  } catch (error) {
    close()
    throw error
  }
}

type Client = Pick<Db, 'query'>
type Found = { row: Record<string, unknown>; instanceId: string } & Record<string, unknown>

/**
 * NOTE records have no index by instance: they are looked up by the services of its companies, because their table has
 * the records of all instances.
 */
function sourceOf(table: string): string {
  if (table !== 'record_versions') return quoted(table)
  return `(select v.* from (select distinct instance_id, company_id, service_id from connections) c cross join lateral (
    select * from record_versions r where r.instance_id = c.instance_id and r.company_id = c.company_id and r.service_id = c.service_id
      and r.record_set = any (record_set_keys(c.company_id, c.service_id)) offset 0) v)`
}

async function* listRows(
  client: Client,
  { name, from }: { name: string; from: string },
  columns: readonly SealedColumn[],
): AsyncGenerator<ExportedRow> {
  const values = columns.map(
    ({ value, rowId, generation, object }, at) =>
      `, ${value} as sealed${at}, ${rowId} as row${at}, ${generation ?? 'null::integer'} as generation${at}, ${object ?? 'null::jsonb'} as object${at}`,
  )
  await client.query(
    `declare rows no scroll cursor for select to_jsonb(t) - ${bytesOf(name)} as row, instance_id as "instanceId" ${values.join('')} from ${from} t`,
  )
  for (;;) {
    const { rows } = await client.query<Found>(`fetch ${ROWS} from rows`)
    for (const found of rows) yield { row: found.row, sealed: columns.flatMap((column, at) => toSealed(found, column, at)) }
    if (rows.length < ROWS) break
  }
  await client.query('close rows')
}

/** Names of the columns of bytes, which rows leave out: hashes and sealed values say nothing to a reader. */
function bytesOf(table: string): string {
  return `array(select attname::text from pg_attribute where attrelid = '${quoted(table)}'::regclass
    and atttypid = any(array['bytea', 'bytea[]']::regtype[]))`
}

function toSealed(found: Found, column: SealedColumn, at: number): ExportedRow['sealed'] {
  const bytes = found[`sealed${at}`]
  if (!(bytes instanceof Uint8Array)) return []
  const generation = found[`generation${at}`]
  const of = {
    instanceId: found.instanceId,
    rowId: String(found[`row${at}`]),
    generation: typeof generation === 'number' ? generation : null,
  }
  return [{ column, of, bytes, object: toObject(found[`object${at}`]) }]
}

function toObject(value: unknown): { key: string; bytes: number } | null {
  if (typeof value !== 'object' || value === null || !('key' in value && 'bytes' in value)) return null
  return { key: String(value.key), bytes: Number(value.bytes) }
}
