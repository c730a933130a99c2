import { isDistributedTable } from '../db/cluster/distributed-tables.ts'
import { queueObjectRemoval } from '../db/cluster/without-triggers.ts'
import type { Db } from '../db/database.ts'
import { quoted } from '../snapshot/tables.ts'

/** Table with rows of instances. */
export interface InstanceTable {
  name: string
  columns: readonly string[]
}

/** Operators and erasures: their rows belong to the deployment. */
const OF_DEPLOYMENT = /^(operator|instance_erasures)/

/** All tables with rows of instances, each before those that its rows refer to; `instances` itself is not among them. */
export async function listInstanceTables(db: Db): Promise<InstanceTable[]> {
  const { rows } = await db.query<InstanceTable & { refersTo: string[] }>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns,
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
    for (const { name, columns } of free) {
      ordered.push({ name, columns })
      wait.delete(name)
    }
  }
  return ordered
}

/**
 * Deletes up to `limit` rows of an instance in a table, and as many in each of its partitions; returns their number. Needs a
 * transaction. On a cluster all rows of a table that lies on its nodes. NOTE the instance is asked for twice: in another
 * partition, a row of another instance may have the same place.
 */
export async function deleteInstanceRows(db: Db, { name }: InstanceTable, instanceId: string, limit: number): Promise<number> {
  if (db.isDistributed && isDistributedTable(name)) return await deleteRowsOfNodes(db, name, instanceId)
  // For the audit, which is never changed otherwise.
  await db.query("set local countinghouse.audit_retention = 'on'")
  const { rowCount } = await db.query(
    `delete from ${quoted(name)} where instance_id = $1 and ctid = any (array(select ctid from ${quoted(name)} where instance_id = $1 limit $2))`,
    [instanceId, limit],
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
