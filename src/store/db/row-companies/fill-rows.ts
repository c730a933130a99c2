import { FIRST_ID, LAST_ID } from '../../../model/values/first-id.ts'
import { type Database, type Db, inTransaction } from '../database.ts'

/** Connections of one step. */
const CONNECTIONS = 100
/** Rows of one table that a step fills. */
const ROWS = 5_000

/**
 * Tables whose rows may lack their company, with how the rows `p` of a connection `c` are found and the columns that
 * name one of them.
 */
const TABLES: readonly { table: string; of: string; key: readonly string[] }[] = [
  ...[
    { table: 'raw_pages', key: ['id'] },
    { table: 'sync_runs', key: ['id'] },
    { table: 'source_files', key: ['id'] },
    { table: 'quarantined_records', key: ['connection_id', 'entity', 'orig_id'] },
  ].map((one) => ({ ...one, of: `join ${one.table} p on p.instance_id = c.instance_id and p.connection_id = c.id` })),
  ...[
    { table: 'staged_runs', key: ['run_id'], and: '' },
    { table: 'run_pages', key: ['run_id', 'pull', 'page'], and: '' },
    { table: 'staged_records', key: ['id', 'run_id', 'entity'], and: ' and p.seq >= 0' },
  ].map(({ and, ...one }) => ({
    ...one,
    // Those of other runs have been deleted.
    of: `join sync_runs r on r.instance_id = c.instance_id and r.connection_id = c.id and r.state = 'running'
      join ${one.table} p on p.instance_id = r.instance_id and p.run_id = r.id${and}`,
  })),
]

/** Periodic task that fills the rows of earlier releases, until none lacks its company. */
export function companyFiller(database: Database, isStopping: () => boolean): () => Promise<void> {
  let isDone = false
  return async () => {
    isDone ||= await areRowsFilled(database)
    while (!isDone && !isStopping()) {
      const step = await inTransaction(database, fillRows)
      if (step === 'busy') return
      isDone = step === 'done'
    }
  }
}

/** A database without connections has no rows to fill. */
export async function fillNewDatabase(database: Database): Promise<void> {
  await inTransaction(database, async (db) => {
    const { rowCount } = await db.query('select from connections limit 1')
    if (rowCount === 0) await announceFilled(db)
  })
}

export async function areRowsFilled(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ isFilled: boolean }>('select not rows_lack_company() as "isFilled"')
  return rows[0]?.isFilled ?? false
}

interface Position {
  instanceId: string
  id: string
}

/** One step of the walk over all connections; busy: another process takes it. */
export async function fillRows(db: Db): Promise<'done' | 'more' | 'busy'> {
  const after = await lockPosition(db)
  if (after === null) return 'busy'
  const { rows } = await db.query<Position & { companyId: string }>(
    `select instance_id as "instanceId", id, company_id as "companyId" from connections where (instance_id, id) > ($1, $2)
     order by instance_id, id limit $3`,
    [after.instanceId, after.id, CONNECTIONS],
  )
  const last = rows.at(-1)
  if (!last) {
    await announceFilled(db)
    return 'done'
  }
  const values = [rows.map((row) => row.instanceId), rows.map((row) => row.id), rows.map((row) => row.companyId), ROWS]
  let isWhole = true
  for (const table of TABLES) if ((await fillTable(db, table, values)) === ROWS) isWhole = false
  if (isWhole) await savePosition(db, last)
  return 'more'
}

/** Position of the walk, locked; null while another process has it. */
async function lockPosition(db: Db): Promise<Position | null> {
  // NOTE not an insert by itself, which would wait for the process that takes a step.
  await db.query(
    `insert into filled_rows (until_instance, until_connection) select $1, $1 where not exists (select from filled_rows) on conflict do nothing`,
    [FIRST_ID],
  )
  const { rows } = await db.query<Position>(
    'select until_instance as "instanceId", until_connection as id from filled_rows for update skip locked',
  )
  return rows[0] ?? null
}

async function savePosition(db: Db, { instanceId, id }: Position): Promise<void> {
  await db.query('update filled_rows set until_instance = $1, until_connection = $2', [instanceId, id])
}

/** Returns the number of rows that lacked their company, at most `ROWS`. */
async function fillTable(db: Db, { table, of, key }: (typeof TABLES)[number], values: unknown[]): Promise<number> {
  const columns = ['instance_id', ...key]
  const { rows } = await db.query<{ count: number }>(
    `with found as materialized (
       select ${columns.map((name) => `p.${name}`).join(', ')}, c.company_id from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as c (instance_id, id, company_id)
       ${of} where p.company_id is null limit $4),
     filled as (update ${table} t set company_id = found.company_id from found
       where ${columns.map((name) => `t.${name} = found.${name}`).join(' and ')})
     select count(*)::int as count from found`,
    values,
  )
  return rows[0]?.count ?? 0
}

/** From here on statements look at rows of their company only. Other processes keep the plans that they have. */
export async function announceFilled(db: Db): Promise<void> {
  await db.query(
    `create or replace function rows_lack_company() returns boolean language plpgsql immutable parallel safe as 'begin return false; end'`,
  )
  await db.query(
    `insert into filled_rows (until_instance, until_connection) values ($1, $1)
     on conflict (only_one) do update set until_instance = $1, until_connection = $1`,
    [LAST_ID],
  )
}
