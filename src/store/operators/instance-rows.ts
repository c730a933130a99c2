import { isDistributedTable } from '../db/cluster/distributed-tables.ts'
import { queueObjectRemoval } from '../db/cluster/without-triggers.ts'
import type { Db } from '../db/database.ts'
import { quoted } from '../snapshot/tables.ts'

/** Table with rows of instances. */
export interface InstanceTable {
  name: string
  columns: readonly string[]
  /** Columns after the instance of an index that has all rows, in the index's order; empty where there is none. */
  key: readonly KeyColumn[]
}

interface KeyColumn {
  name: string
  type: string
}

/** Values of a table's key, as text. */
export type RowKey = readonly string[]

/** Operators and erasures: their rows belong to the deployment. */
const OF_DEPLOYMENT = /^(operator|instance_erasures)/

/** The shortest index of the table \`c\` with all rows of an instance beside each other: no conditions, no expressions, no nulls. */
const KEY_OF_TABLE = `(
  select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by k.place)
  from (select * from pg_index i where i.indrelid = c.oid and i.indisvalid and i.indpred is null and i.indexprs is null and 0 = all (i.indoption::int2[])
    and (select relam from pg_class r where r.oid = i.indexrelid) = (select oid from pg_am where amname = 'btree')
    and (select attname from pg_attribute f where f.attrelid = c.oid and f.attnum = i.indkey[0]) = 'instance_id' and i.indnkeyatts > 1
    and not exists (select from unnest(i.indkey[:i.indnkeyatts - 1]) u (attnum) join pg_attribute f on f.attrelid = c.oid and f.attnum = u.attnum where not f.attnotnull)
    order by i.indisprimary desc, i.indnkeyatts, i.indexrelid limit 1) i,
    unnest(i.indkey[1:i.indnkeyatts - 1]) with ordinality k (attnum, place)
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum)`

/** All tables with rows of instances, each before those that its rows refer to; `instances` itself is not among them. */
export async function listInstanceTables(db: Db): Promise<InstanceTable[]> {
  const { rows } = await db.query<InstanceTable & { refersTo: string[] }>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns, coalesce(${KEY_OF_TABLE}, '[]') as key,
       array(select distinct f.confrelid::regclass::text from pg_constraint f where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as "refersTo"
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not exists (select from pg_inherits i where i.inhrelid = c.oid)
       and exists (select from pg_attribute i where i.attrelid = c.oid and i.attname = 'instance_id' and not i.attisdropped)
     group by c.oid, c.relname order by c.relname collate "C"`,
  )
  const tables = rows.filter(({ name }) => !OF_DEPLOYMENT.test(name))
  const ordered: InstanceTable[] = []
  const wait = new Map(tables.map((table) => [table.name, table]))
  while (wait.size > 0) {
    const referred = new Set([...wait.values()].flatMap(({ refersTo }) => refersTo))
    const free = [...wait.values()].filter(({ name }) => !referred.has(name))
    if (free.length === 0) throw new Error(`tables refer to each other in a circle: ${[...wait.keys()].join(', ')}`)
    for (const { name, columns, key } of free) {
      ordered.push({ name, columns, key })
      wait.delete(name)
    }
  }
  return ordered
}

/**
 * Deletes up to `limit` rows of an instance in a table, and as many in each of its partitions, from the key `after` on, which
 * the call before returned as `next`; null: none are left. Needs a transaction. On a cluster all rows of a table that lies
 * on its nodes. A table without a key is read whole, however long it takes: those have few rows, except for
 * `record_versions` (`deleteRecordsOfConnections`). NOTE the instance is asked for twice: in another partition, a row of
 * another instance may have the same place.
 */
export async function deleteInstanceRows(
  db: Db,
  { name, key }: Pick<InstanceTable, 'name' | 'key'>,
  instanceId: string,
  limit: number,
  after: RowKey | null = null,
): Promise<{ deleted: number; next: RowKey | null }> {
  if (db.isDistributed && isDistributedTable(name)) return { deleted: await deleteRowsOfNodes(db, name, instanceId), next: null }
  // For the audit, which is never changed otherwise.
  await db.query("set local countinghouse.audit_retention = 'on'")
  if (key.length === 0) await db.query('set local statement_timeout = 0')
  const { rows } = await db.query<{ deleted: number; found: number; last: RowKey | null }>(
    `with found as materialized (${selectPlaces(name, key, after?.length ?? 0)}),
       gone as (delete from ${quoted(name)} where instance_id = $1 and ctid = any (array(select place from found)) returning 1)
     select (select count(*) from gone)::int as deleted, (select count(*) from found)::int as found,
       (select key from found order by n desc limit 1) as last`,
    [instanceId, limit, ...(after ?? [])],
  )
  const { deleted = 0, found = 0, last = null } = rows[0] ?? {}
  return { deleted, next: found < limit ? null : last }
}

/**
 * Places of the first rows in the order of their key. A statement that began at the start of the table each time would
 * pass all rows that were deleted before it. NOTE "from … on": a row may have the key of the last one that was deleted.
 */
function selectPlaces(table: string, key: readonly KeyColumn[], given: number): string {
  const from = `from ${quoted(table)} t where instance_id = $1`
  if (key.length === 0) return `select ctid as place, '{}'::text[] as key, 0 as n ${from} limit $2`
  const columns = key.map(({ name }) => `t.${quoted(name)}`)
  const values = key.slice(0, given).map(({ type }, index) => `$${index + 3}::text::${type}`)
  const begin = values.length === 0 ? '' : `and (${columns.join(', ')}) >= (${values.join(', ')})`
  const order = columns.join(', ')
  return `select ctid as place, array[${columns.map((column) => `${column}::text`).join(', ')}] as key, row_number() over (order by ${order}) as n
    ${from} ${begin} order by ${order} limit $2`
}

/**
 * Deletes all records of the connections that `deleteInstanceRows` would delete with the same `limit` and `after`, and
 * returns their number. Records have no index by instance, and their table has the records of all instances. Whoever
 * writes records holds their connection: locked here, it gets none before its row is deleted in the same transaction.
 */
export async function deleteRecordsOfConnections(db: Db, instanceId: string, limit: number, after: RowKey | null): Promise<number> {
  const { rows } = await db.query<{ companyId: string; serviceId: string }>(
    `select company_id as "companyId", service_id as "serviceId" from connections
     where instance_id = $1 and ($3::uuid is null or id >= $3) order by id limit $2 for update`,
    [instanceId, limit, after?.[0] ?? null],
  )
  if (rows.length === 0) return 0
  const companies = rows.map(({ companyId }) => companyId)
  const { rowCount } = await db.query(
    `delete from record_versions where instance_id = $1 and company_id = any($2) and record_set = any (array(
       select unnest(record_set_keys(c.company_id, c.service_id)) from unnest($2::uuid[], $3::uuid[]) c (company_id, service_id)))`,
    [instanceId, companies, rows.map(({ serviceId }) => serviceId)],
  )
  return rowCount ?? 0
}

/** NOTE not by the place of rows, which means other rows on each node; each node deletes its own at the same time. */
async function deleteRowsOfNodes(db: Db, table: string, instanceId: string): Promise<number> {
  await db.query('set local statement_timeout = 0')
  if (table !== 'raw_pages') return (await db.query(`delete from ${quoted(table)} where instance_id = $1`, [instanceId])).rowCount ?? 0
  const { rows } = await db.query<{ connectionId: string; objectId: string | null }>(
    'delete from raw_pages where instance_id = $1 returning connection_id as "connectionId", object_id as "objectId"',
    [instanceId],
  )
  for (const [connectionId, pages] of Map.groupBy(rows, (row) => row.connectionId))
    await queueObjectRemoval(
      db,
      { instanceId, connectionId },
      pages.flatMap(({ objectId }) => objectId ?? []),
    )
  return rows.length
}

export async function deleteInstance(db: Db, id: string): Promise<void> {
  await db.query('delete from instances where id = $1', [id])
}

export async function listConnectionIds(db: Db, instanceId: string, after: string | null, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select id from connections where instance_id = $1 and ($2::uuid is null or id > $2) order by id limit $3',
    [instanceId, after, limit],
  )
  return rows.map(({ id }) => id)
}

/** Jobs of these kinds that wait or run. */
export async function countJobs(db: Db, instanceId: string, kinds: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from jobs where instance_id = $1 and kind = any ($2) and state in ('ready', 'running')`,
    [instanceId, kinds],
  )
  return rows[0]?.count ?? 0
}

/** Deletes all jobs of a kind, dead ones too; returns their number. */
export async function deleteJobs(db: Db, instanceId: string, kind: string): Promise<number> {
  const { rowCount } = await db.query('delete from jobs where instance_id = $1 and kind = $2', [instanceId, kind])
  return rowCount ?? 0
}
