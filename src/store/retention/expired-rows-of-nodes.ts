import { addStoredBytes } from '../db/cluster/without-triggers.ts'
import { type Database, inTransaction } from '../db/database.ts'
import type { ExpiredPosition } from './expired-rows.ts'
import type { RetentionRule } from './rules.ts'

interface Due {
  companyId: string
  id: string
  age: string
}

/** Bytes of a file, by its connection, that were emptied. */
interface Emptied {
  instanceId: string
  connectionId: string
  bytes: number
}

/**
 * Retention on a cluster: the next `limit` expired rows of all nodes, deleted or emptied company by company. By their
 * keys: the place of a row means another row on each node.
 */
export async function deleteExpiredOfNodes(
  database: Database,
  { table, age, where, needed, emptied }: RetentionRule,
  before: Date,
  after: ExpiredPosition,
  limit: number,
): Promise<{ deleted: number; next: ExpiredPosition | null }> {
  const { rows } = await database.query<Due>(
    `select company_id as "companyId", id, ${age}::text as age from ${table}
     where ${where} and ${age} < $1 and (${age}, id) > ($2::timestamptz, $3::uuid) order by ${table}.${age}, id limit $4`,
    [before, after.age, after.id, limit],
  )
  // NOTE the company as a parameter: Citus locks rows only in a statement that names the key of each table.
  const stays = needed.replaceAll('t.company_id', '$2')
  let deleted = 0
  for (const [companyId, ids] of Map.groupBy(rows, (row) => row.companyId)) {
    const due = `t.company_id = $2 and t.id = any($3::uuid[]) and t.${where} and t.${age} < $1 and not (${stays})`
    const values = [before, companyId, ids.map(({ id }) => id)]
    deleted += await inTransaction(database, async (db) => {
      if (!emptied) return (await db.query(`delete from ${table} t where ${due}`, values)).rowCount ?? 0
      const bytes = await db.query<Emptied>(
        `select instance_id as "instanceId", connection_id as "connectionId", octet_length(${emptied}) as bytes from ${table} t where ${due} for update`,
        values,
      )
      for (const one of bytes.rows) await addStoredBytes(db, one, -one.bytes)
      return (await db.query(`update ${table} t set ${emptied} = null where ${due}`, values)).rowCount ?? 0
    })
  }
  const last = rows.at(-1)
  return { deleted, next: rows.length === limit && last ? { age: last.age, id: last.id } : null }
}
