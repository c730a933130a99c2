import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Db, inTransaction } from '../../src/store/db/database.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { areRowsFilled, companyFiller } from '../../src/store/db/row-companies/fill-rows.ts'
import { findQualityRuns } from '../../src/store/records/quality.ts'
import { listQuarantined } from '../../src/store/records/quarantine.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'

const TABLES = [...['raw_pages', 'sync_runs', 'run_pages', 'staged_runs', 'staged_records', 'quarantined_records', 'source_files']]
/** More than one step fills, of one table. */
const MANY = 5_001
/** More than one step looks at. */
const CONNECTIONS = 101

let at: TestDatabase
beforeEach(async () => {
  at = await testDatabase()
})
afterEach(async () => await at.drop())

interface Owner {
  instanceId: string
  companyId: string
  id: string
}

async function addConnections(count: number): Promise<Owner[]> {
  const instanceId = await addInstance(at.database)
  const companyId = await addCompany(at.database, instanceId)
  const { rows } = await at.database.query<Owner>(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, update_scheduled_at, refresh_hours)
     select $1, gen_random_uuid(), $2, $3, 'books', 'Accounting', 'a@b.example', 9, now(), 24 from generate_series(1, $4)
     returning instance_id as "instanceId", company_id as "companyId", id`,
    [instanceId, companyId, randomUUID(), count],
  )
  return rows
}

/** Rows of a running run, by the statements of release 1.0.0. */
async function writeAsBefore(db: Db, { instanceId, id }: Owner): Promise<void> {
  const runId = randomUUID()
  await db.query(
    `with marked as (insert into staged_runs (instance_id, run_id) values ($1, $2))
     insert into sync_runs (instance_id, id, connection_id, reason, is_awaited, state, fence, counts)
     values ($1, $2, $3, 'first', false, 'running', 1, '{}')`,
    [instanceId, runId, id],
  )
  await db.query(`insert into run_pages (instance_id, run_id, pull, page, seen) values ($1, $2, 0, 0, '')`, [instanceId, runId])
  await db.query(
    `insert into staged_records (instance_id, run_id, seq, entity, orig_id, id) values ($1, $2, 0, 'Accounts', 'a', gen_random_uuid())`,
    [instanceId, runId],
  )
  await db.query(
    `insert into quarantined_records (instance_id, connection_id, entity, orig_id, reason, raw_index, run_id) values ($1, $2, 'Accounts', 'a', '', 0, $3)`,
    [instanceId, id, runId],
  )
  await db.query(
    `insert into raw_pages (instance_id, id, connection_id, pull, page, fetched_at, content_hash, sealed)
     values ($1, gen_random_uuid(), $2, 'accounts', 1, now(), '', 'abc')`,
    [instanceId, id],
  )
  await db.query(
    `insert into source_files (instance_id, id, connection_id, name, content_hash, sealed) values ($1, gen_random_uuid(), $2, 'a.ofx', '', 'abc')`,
    [instanceId, id],
  )
}

/** As it was before the migration: nothing fills rows as they are written. */
async function goBack(): Promise<void> {
  for (const table of TABLES) await at.database.query(`alter table ${table} disable trigger ${table}_company`)
  await at.database.query(
    `create or replace function rows_lack_company() returns boolean language plpgsql immutable parallel safe as 'begin return true; end'`,
  )
  await at.database.query('delete from filled_rows')
}

async function goOn(): Promise<void> {
  for (const table of TABLES) await at.database.query(`alter table ${table} enable trigger ${table}_company`)
}

/** Rows by table: with the company of their connection, and without. */
async function countRows(companyId: string): Promise<Record<string, [number, number]>> {
  const counts: Record<string, [number, number]> = {}
  for (const table of TABLES) {
    const { rows } = await at.database.query<{ known: number; unknown: number }>(
      `select count(*) filter (where company_id = $1)::int as known, count(*) filter (where company_id is distinct from $1)::int as unknown from ${table}`,
      [companyId],
    )
    counts[table] = [rows[0]?.known ?? 0, rows[0]?.unknown ?? 0]
  }
  return counts
}

const fill = () => companyFiller(at.database, () => false)()
const ofEach = (count: [number, number]) => Object.fromEntries(TABLES.map((table) => [table, count]))

it('rows that release 1.0.0 writes get their company, also within the scope of the instance', async () => {
  const [first, second] = await addConnections(2)
  if (!first || !second) throw new Error('two connections are needed')
  await writeAsBefore(at.database, first)
  await withinInstance(first.instanceId, async () => await writeAsBefore(at.database, second))
  expect(await countRows(first.companyId)).toEqual(ofEach([2, 0]))
})

it('a new database has no rows to fill', async () => {
  expect(await areRowsFilled(at.database)).toBe(true)
})

describe('rows from before', () => {
  it('are read until they are filled, in steps, and then by their company only', async () => {
    const owners = await addConnections(CONNECTIONS)
    const [first] = owners
    if (!first) throw new Error('a connection is needed')
    await goBack()
    for (const owner of owners) await writeAsBefore(at.database, owner)
    await at.database.query(
      `insert into quarantined_records (instance_id, connection_id, entity, orig_id, reason, raw_index, run_id)
       select $1, $2, 'Transactions', n::text, '', 0, gen_random_uuid() from generate_series(1, $3) n`,
      [first.instanceId, first.id, MANY],
    )
    await at.database.query(`update sync_runs set state = 'failed', ended_at = now() where connection_id = $1`, [first.id])
    await goOn()
    expect((await countRows(first.companyId)).raw_pages).toEqual([0, CONNECTIONS])
    expect(await listQuarantined(at.database, first)).toHaveLength(MANY + 1)
    expect((await findQualityRuns(at.database, first)).last).not.toBeNull()
    expect(await isKeyed()).toBe(false)

    await fill()
    expect(await areRowsFilled(at.database)).toBe(true)
    expect(await isKeyed()).toBe(true)
    expect(await listQuarantined(at.database, first)).toHaveLength(MANY + 1)
    expect((await findQualityRuns(at.database, first)).last).not.toBeNull()
    const { staged_runs, staged_records, run_pages, quarantined_records, ...others } = await countRows(first.companyId)
    expect(Object.values(others)).toEqual([...Array(3)].map(() => [CONNECTIONS, 0]))
    expect(quarantined_records).toEqual([CONNECTIONS + MANY, 0])
    // The first run has ended here without its temporary data being deleted, which no release does.
    expect([staged_runs, staged_records, run_pages]).toEqual([...Array(3)].map(() => [CONNECTIONS - 1, 1]))
  })

  it('keep what another transaction changes meanwhile', async () => {
    const [owner] = await addConnections(1)
    if (!owner) throw new Error('a connection is needed')
    await goBack()
    await writeAsBefore(at.database, owner)
    await goOn()
    const filling = await inTransaction(at.database, async (db) => {
      await db.query('update sync_runs set page = 7')
      const waiting = fill()
      await until(async () => {
        const { rowCount } = await at.database.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rowCount === 1
      })
      return { waiting }
    })
    await filling.waiting
    const { rows } = await at.database.query('select page, company_id from sync_runs')
    expect(rows).toEqual([{ page: 7, company_id: owner.companyId }])
  })

  it('are filled once, however many processes do it', async () => {
    const owners = await addConnections(CONNECTIONS)
    await goBack()
    for (const owner of owners) await writeAsBefore(at.database, owner)
    await goOn()
    await Promise.all([fill(), fill(), fill()])
    // One of them found another at work, and comes again.
    await fill()
    expect(await countRows(owners[0]?.companyId ?? '')).toEqual(ofEach([CONNECTIONS, 0]))
  })

  it('of a backup that were filled are known to be', async () => {
    const [owner] = await addConnections(1)
    if (!owner) throw new Error('a connection is needed')
    await goBack()
    await writeAsBefore(at.database, owner)
    await goOn()
    await fill()
    // A restore brings the rows, and with them how far they were filled, but not the function.
    await at.database.query(
      `create or replace function rows_lack_company() returns boolean language plpgsql immutable parallel safe as 'begin return true; end'`,
    )
    await at.database.query('update sync_runs set company_id = null')
    await fill()
    expect(await areRowsFilled(at.database)).toBe(true)
    expect((await countRows(owner.companyId)).sync_runs, 'nothing was looked at again').toEqual([0, 1])
  })
})

/** Whether PostgreSQL looks at the company, in a statement that names it. */
async function isKeyed(): Promise<boolean> {
  const { rows } = await at.database.query<{ 'QUERY PLAN': string }>(
    `explain select from sync_runs where (rows_lack_company() or company_id = gen_random_uuid())`,
  )
  return rows.some((row) => row['QUERY PLAN'].includes('company_id'))
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue()));
}
