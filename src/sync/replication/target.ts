import pg from 'pg'
import { type PostgresConnection, PostgresRefused } from '../../egress/postgres.ts'
import type { Batch, TableBatch } from './batch.ts'
import { STATE_TABLE, TABLES, type Table } from './tables.ts'

/** Schema of a customer's database into which a destination is replicated; nothing outside it is touched. */
export interface Target {
  destinationId: string
  schema: string
}

/** State of the target; null for a schema that was not prepared yet. */
export interface TargetState {
  token: string | null
}

/** Change of the tables by a batch, and the state after it. */
export interface Step {
  batch: Batch
  pass: number
  /** Expected token in the database; another one means that another process has continued. */
  before: string | null
  token: string
  /** Deletes the rows of earlier passes: this pass has seen all records. */
  isSweep: boolean
  /** The target now contains everything that is published. */
  isCurrent: boolean
}

/** Thrown when the database has another token than the expected one. */
export class TargetMoved extends Error {}

const { escapeIdentifier } = pg

/** NOTE the search path excludes the customer's schemas: their functions and operators are never called. */
const SESSION = `set search_path to pg_catalog; set time zone 'UTC'; set statement_timeout to '300s'; set lock_timeout to '30s';
  set idle_in_transaction_session_timeout to '60s'; set default_transaction_isolation to 'read committed'; set client_min_messages to 'error'`

/**
 * Creates the schema and tables, or adds the columns of later versions. Throws `PostgresRefused` for foreign tables.
 */
export async function prepareTarget(db: PostgresConnection, target: Target): Promise<TargetState> {
  await db.query(SESSION)
  return await within(db, async () => {
    const { rows } = await db.query<{ name: string }>(
      `select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = any ($2)`,
      [target.schema, [STATE_TABLE, ...TABLES.map(({ name }) => name)]],
    )
    const known = new Set(rows.map(({ name }) => name))
    const isOurs = known.has(STATE_TABLE)
    if (!isOurs && known.size > 0)
      throw new PostgresRefused('The schema has tables of these names that are not from here. Name a schema of its own.')
    const { rows: schemas } = await db.query('select from pg_namespace where nspname = $1', [target.schema])
    if (schemas.length === 0) await db.query(`create schema ${escapeIdentifier(target.schema)}`)
    await db.query(
      `create table if not exists ${at(target, STATE_TABLE)} (destination_id uuid primary key, token uuid, pass integer not null, current_on timestamptz)`,
    )
    let isWhole = TABLES.every(({ name }) => known.has(name))
    for (const table of TABLES) if (!(await prepareTable(db, target, table))) isWhole = false
    return await readState(db, target, isWhole)
  })
}

async function readState(db: PostgresConnection, target: Target, isWhole: boolean): Promise<TargetState> {
  const { rows } = await db.query<{ id: string; token: string | null }>(
    `select destination_id::text as id, token::text as token from ${at(target, STATE_TABLE)}`,
  )
  if (rows.some(({ id }) => id !== target.destinationId))
    throw new PostgresRefused('The schema belongs to another destination. Name a schema of its own.')
  if (rows.length === 0)
    await db.query(`insert into ${at(target, STATE_TABLE)} (destination_id, pass) values ($1, 0)`, [target.destinationId])
  if (isWhole) return { token: rows[0]?.token ?? null }
  // If a table or a column was dropped, the rows cannot be continued: also if the process ends before a new pass begins.
  await db.query(`update ${at(target, STATE_TABLE)} set token = null`)
  return { token: null }
}

/** False if a column that was dropped is created again: rows written before have no value in it. */
async function prepareTable(db: PostgresConnection, target: Target, { name, columns }: Table): Promise<boolean> {
  await db.query(
    `create table if not exists ${at(target, name)} (company_id uuid not null, service_id uuid not null, id uuid not null, session_id uuid not null,
       published_on timestamptz, pass integer not null, primary key (company_id, service_id, id))`,
  )
  const { rows } = await db.query<{ name: string; isDropped: boolean }>(
    `select a.attname::text as name, a.attisdropped as "isDropped" from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0`,
    [at(target, name)],
  )
  const known = new Set(rows.map((row) => row.name))
  const missing = columns.filter((column) => !known.has(column.name))
  if (missing.length === 0) return true
  const added = missing.map((column) => `add column ${escapeIdentifier(column.name)} ${column.type}`)
  await db.query(`alter table ${at(target, name)} ${added.join(', ')}`)
  return !rows.some(({ isDropped }) => isDropped)
}

/** One transaction: the whole step is applied, or nothing. Throws `TargetMoved`, `PostgresRefused`. */
export async function writeStep(db: PostgresConnection, target: Target, step: Step): Promise<void> {
  const { batch, pass, before, token, isSweep, isCurrent } = step
  await within(db, async () => {
    const { rows } = await db.query<{ token: string | null }>(`select token::text as token from ${at(target, STATE_TABLE)} for update`)
    if (rows.length !== 1 || (rows[0]?.token ?? null) !== before) throw new TargetMoved()
    for (const { name } of batch.cleared === '' ? [] : TABLES)
      await db.query(
        `delete from ${at(target, name)} t using json_to_recordset($1::json) as r("companyId" uuid, "serviceId" uuid)
         where t.company_id = r."companyId" and t.service_id = r."serviceId"`,
        [batch.cleared],
      )
    for (const each of batch.tables) await writeRows(db, target, each, pass)
    for (const { name } of isSweep ? TABLES : []) await db.query(`delete from ${at(target, name)} where pass < $1`, [pass])
    await db.query(
      `update ${at(target, STATE_TABLE)} set token = $1, pass = $2, current_on = case when $3 then clock_timestamp() else current_on end`,
      [token, pass, isCurrent],
    )
  })
}

/** JSON numbers become `numeric` as written: no digit is lost. */
async function writeRows(db: PostgresConnection, target: Target, { table, upserts, deletes }: TableBatch, pass: number): Promise<void> {
  if (deletes !== '')
    await db.query(
      `delete from ${at(target, table.name)} t using json_to_recordset($1::json) as r("companyId" uuid, "serviceId" uuid, id uuid)
       where t.company_id = r."companyId" and t.service_id = r."serviceId" and t.id = r.id`,
      [deletes],
    )
  if (upserts === '') return
  const names = table.columns.map(({ name }) => escapeIdentifier(name))
  const values = table.columns.map(({ property }) => `d.${escapeIdentifier(property)}`)
  const set = ['session_id', 'published_on', 'pass', ...names].map((name) => `${name} = excluded.${name}`)
  await db.query(
    `insert into ${at(target, table.name)} as t (company_id, service_id, id, session_id, published_on, pass, ${names.join(', ')})
     select r."companyId", r."serviceId", r.id, r."sessionId", r."publishedOn", $2, ${values.join(', ')}
     from json_to_recordset($1::json) as r("companyId" uuid, "serviceId" uuid, id uuid, "sessionId" uuid, "publishedOn" timestamptz, record json)
     cross join lateral json_to_record(r.record) as d(${table.columns.map(({ property, type }) => `${escapeIdentifier(property)} ${type}`).join(', ')})
     on conflict (company_id, service_id, id) do update set ${set.join(', ')}`,
    [upserts, pass],
  )
}

/** Records that the target contains everything that is published. */
export async function markCurrent(db: PostgresConnection, target: Target): Promise<void> {
  await db.query(`update ${at(target, STATE_TABLE)} set current_on = clock_timestamp()`)
}

/** Deletes all rows, for an instance that is erased; the empty tables stay. Does nothing if the tables do not exist. */
export async function emptyTarget(db: PostgresConnection, target: Target): Promise<void> {
  await db.query(SESSION)
  await within(db, async () => {
    const { rows } = await db.query<{ isThere: boolean }>(`select to_regclass($1) is not null as "isThere"`, [at(target, STATE_TABLE)])
    if (!rows[0]?.isThere) return
    const { rows: owned } = await db.query(`select from ${at(target, STATE_TABLE)} where destination_id = $1 for update`, [
      target.destinationId,
    ])
    if (owned.length === 0) return
    for (const { name } of TABLES) await db.query(`delete from ${at(target, name)}`)
    await db.query(`update ${at(target, STATE_TABLE)} set token = null`)
  })
}

function at({ schema }: Target, name: string): string {
  return `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`
}

async function within<T>(db: PostgresConnection, work: () => Promise<T>): Promise<T> {
  await db.query('begin')
  try {
    const result = await work()
    await db.query('commit')
    return result
  } catch (error) {
    await db.query('rollback').catch(() => undefined)
    throw error
  }
}
