import { randomBytes, randomUUID } from 'node:crypto'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { adminUrlOf } from '../harness/database.ts'

interface Table {
  name: string
  /** Columns that need a value. */
  columns: { name: string; type: string }[]
}

/** Tables of the deployment itself. */
const OF_DEPLOYMENT = /^(operator|instance_erasures)/

/** Generators of values by type, different each time. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  uuid: randomUUID,
  text: randomUUID,
  bytea: () => randomBytes(200),
  jsonb: () => '{}',
  timestamptz: () => new Date(),
  date: () => '2026-11-20',
  bool: () => true,
  xid8: () => '1',
  pg_lsn: () => '0/1',
}

/**
 * Inserts a generated row of the instance into every table with an `instance_id`, bypassing foreign keys and checks. All
 * are of one company at one service, so that the record is that of the connection.
 */
export async function fillTables(database: Database, instanceId: string): Promise<void> {
  const { rows } = await database.query<{ name: string }>('select current_database() as name')
  const superuser = openDatabase(await adminUrlOf(`postgres://x/${rows[0]?.name}`), { max: 1 })
  await superuser.query(`do $$ declare c record; begin
    for c in select conrelid::regclass as t, conname from pg_constraint where contype = 'c' and connamespace = current_schema()::regnamespace loop
      execute format('alter table %s drop constraint if exists %I', c.t, c.conname);
    end loop; end $$`)
  await superuser.query(`set session_replication_role = replica`)
  const common = new Map<string, unknown>([
    ['instance_id', instanceId],
    ['company_id', randomUUID()],
    ['service_id', randomUUID()],
    ['entity', 'Accounts'],
  ])
  for (const { name, columns } of await listTables(superuser)) {
    const values = columns.map((column) => common.get(column.name) ?? toValue(column.type))
    const names = columns.map((column) => `"${column.name}"`).join(', ')
    await superuser.query(
      `insert into "${name}" (${names}) values (${values.map((_, at) => `$${at + 1}`).join(', ')}) on conflict do nothing`,
      values,
    )
  }
  await superuser.end()
}

/** Tables with rows of the instance. */
export async function listFilledTables(database: Database, instanceId: string): Promise<string[]> {
  const filled: string[] = []
  for (const { name } of await listTables(database)) {
    const { rows } = await database.query(`select from "${name}" where instance_id = $1 limit 1`, [instanceId])
    if (rows.length > 0) filled.push(name)
  }
  const own = await database.query('select from instances where id = $1', [instanceId])
  return own.rows.length > 0 ? [...filled, 'instances'] : filled
}

async function listTables(database: Database): Promise<Table[]> {
  const { rows } = await database.query<Table>(
    `select c.relname as name, jsonb_agg(jsonb_build_object('name', a.attname, 'type', t.typname) order by a.attnum)
       filter (where a.attname = 'instance_id' or a.attnotnull and not a.atthasdef and a.attidentity = '' or t.typname = 'bytea') as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       join pg_type t on t.oid = a.atttypid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not exists (select from pg_inherits i where i.inhrelid = c.oid)
       and exists (select from pg_attribute i where i.attrelid = c.oid and i.attname = 'instance_id')
     group by c.relname order by c.relname`,
  )
  return rows.filter(({ name }) => !OF_DEPLOYMENT.test(name))
}

function toValue(type: string): unknown {
  if (type.startsWith('_')) return '{}'
  return (VALUES[type] ?? (() => 1))()
}
