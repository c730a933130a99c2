import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { TABLES } from '../../src/sync/replication/tables.ts'
import { openApiHarness } from '../api/harness.ts'
import { adminUrlOf } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { lacksMount, mountDisk, mountNote } from '../process/small-disk.ts'
import { addDatabase, openTargetDatabase, runReplications, show, type TargetDatabase } from './harness.ts'

const BATCH = 100
const ACCOUNTS = 600

const api = openForTests(openApiHarness)
let target: TargetDatabase
let admin: Database
let id: string
beforeAll(async () => {
  api.syncHarness.deps.readLeaseMs = 0
  api.books.accounts = Array.from({ length: ACCOUNTS }, (_, i) => ({ id: `a-${i}`, name: `Account ${i} ${'x'.repeat(150)}` }))
  await api.syncHarness.sync(api.connectionId)
})
beforeEach(async () => {
  target = await openTargetDatabase()
  admin = openDatabase(await adminUrlOf(target.url), { max: 2 })
  id = await addDatabase(api, target)
})
afterEach(async () => {
  await api.syncHarness.deps.database.query('delete from export_destinations')
  await admin.end()
  await target.drop()
})

const run = async (crashPoint: (point: string) => Promise<void> = async () => undefined) => {
  await runReplications(api.syncHarness.deps, { batchRecords: BATCH, crashPoint })
  return (await show(api, id)).replication
}

async function countRows(): Promise<number> {
  const all = TABLES.map(({ name }) => `select id from countinghouse.${name}`).join(' union all ')
  return (await admin.query(all)).rowCount ?? 0
}

async function countPublished(): Promise<number> {
  const { rows } = await api.syncHarness.deps.database.query<{ n: number }>(
    `select count(*)::int as n from record_versions where valid_to is null and not deleted`,
  )
  return rows[0]?.n ?? 0
}

/** Runs `harm` once this many batches are committed; counts the batches of the run. */
function after(batches: number, harm: () => Promise<unknown>) {
  let seen = 0
  return {
    crashPoint: async (point: string) => {
      if (point !== 'after-replicated-commit') return
      seen += 1
      if (seen === batches) await harm()
    },
    count: () => seen,
  }
}

/** The failure is said, the batches before it are whole, and the next run writes the others only. */
async function expectToGoOn(error: unknown, harm: () => Promise<unknown>, mend: () => Promise<unknown>) {
  const first = after(2, harm)
  expect(await run(first.crashPoint)).toMatchObject({ state: 'failing', error, failingSince: expect.any(String) })
  expect([await countRows(), first.count()]).toEqual([2 * BATCH, 2])
  expect(await run(), 'as long as it lasts').toMatchObject({ state: 'failing', error })
  expect(await countRows()).toBe(2 * BATCH)
  await mend()
  const second = after(0, async () => undefined)
  expect(await run(second.crashPoint)).toMatchObject({ state: 'current', error: null, failingSince: null })
  expect(await countRows()).toBe(await countPublished())
  expect(second.count(), 'batches that were left').toBe(Math.ceil((await countPublished()) / BATCH) - 2)
  expect((await admin.query('select pass from countinghouse.countinghouse_state')).rows).toEqual([{ pass: 1 }])
}

describe.skipIf(lacksMount)(`a database on a disk of its own${mountNote}`, () => {
  it('that fills up in the middle says so, keeps what was whole, and goes on there once there is room', async () => {
    const disk = await mountDisk(8)
    const tablespace = `small_${target.name}`
    const folder = join(disk.path, 'space')
    try {
      await mkdir(folder)
      await chmod(disk.path, 0o755)
      const { rows } = await admin.query<{ path: string }>(`select current_setting('data_directory') as path`)
      const { uid, gid } = await stat(rows[0]?.path ?? '')
      await chown(folder, uid, gid)
      await admin.query(`create tablespace ${tablespace} location '${folder}'`)
      await admin.query(`grant create on tablespace ${tablespace} to public`)
      await admin.query(`alter database ${target.name} set default_tablespace = ${tablespace}`)
      const filler = join(disk.path, 'filler')
      const fill = async () => {
        const error = await writeFile(filler, Buffer.alloc(16 * 1024 * 1024)).catch((thrown: NodeJS.ErrnoException) => thrown.code)
        expect([error, (await readFile(filler)).length > 0]).toEqual(['ENOSPC', true])
      }
      await expectToGoOn('The disk of the database is full. Make room there.', fill, () => rm(filler))
    } finally {
      await api.syncHarness.deps.database.query('delete from export_destinations')
      await admin.query('drop schema if exists countinghouse cascade')
      await admin.query(`alter database ${target.name} reset default_tablespace`)
      await admin.query(`drop tablespace if exists ${tablespace}`)
      await disk.remove()
    }
  })
})

describe('a database that fails in the middle', () => {
  it.each([
    ['53100', 'The disk of the database is full. Make room there.'],
    ['53200', 'The database has no memory left.'],
    ['53400', 'The database has reached a limit of its settings.'],
    ['40001', 'Another transaction of the database was in the way.'],
    ['40P01', 'Another transaction of the database was in the way.'],
    ['57P01', 'The database is shutting down.'],
    ['57014', 'The database took too long.'],
    ['P0001', 'A trigger of the database refused the rows.'],
    ['XX000', 'The database answered with error XX000.'],
  ])('with %s says what it is and goes on where it stood', async (code, error) => {
    const harm = async () => {
      await admin.query(`create function public.refuse() returns trigger language plpgsql as
        $$ begin raise exception 'canary-8812' using errcode = '${code}'; end $$`)
      await admin.query(
        'create trigger refuse before insert on countinghouse.accounting_accounts for each row execute function public.refuse()',
      )
    }
    await expectToGoOn(error, harm, () => admin.query('drop function public.refuse() cascade'))
    expect(JSON.stringify(await show(api, id))).not.toContain('canary')
  })

  it('because its user lost a right on one table goes on once it is given back', async () => {
    const user = target.user
    await expectToGoOn(
      'The user may not do that: it has to own the schema and its tables, or be allowed to create the schema.',
      () => admin.query(`revoke insert, update on countinghouse.accounting_accounts from ${user}`),
      () => admin.query(`grant insert, update on countinghouse.accounting_accounts to ${user}`),
    )
  })

  it('at the third table leaves nothing in the first', async () => {
    const everything = async () => {
      await runReplications(api.syncHarness.deps)
      return (await show(api, id)).replication
    }
    await everything()
    for (const { name } of TABLES) await admin.query(`delete from countinghouse.${name}`)
    await api.call('POST', `/export-destinations/${id}/replicate`, { body: { cursor: null } })
    await admin.query(`revoke insert on countinghouse.banking_accounts from ${target.user}`)
    expect(await everything()).toMatchObject({ state: 'failing', error: expect.stringContaining('may not do that') })
    expect(await countRows()).toBe(0)
    await admin.query(`grant insert on countinghouse.banking_accounts to ${target.user}`)
    expect(await everything()).toMatchObject({ state: 'current', error: null })
    expect(await countRows()).toBe(await countPublished())
  })

  it('with a limit of connections goes on once there is one more', async () => {
    const held = await target.database.connect()
    await admin.query(`alter database ${target.name} connection limit 1`)
    const error = 'The database takes no more connections. Close some, or raise the limit of the user or the database.'
    expect(await run()).toMatchObject({ state: 'failing', error })
    await admin.query(`alter database ${target.name} connection limit 5`)
    expect(await run()).toMatchObject({ state: 'current', error: null })
    held.release()
  })

  it('while it starts is tried again', async () => {
    // ErrorResponse. Source: https://www.postgresql.org/docs/18/protocol-message-formats.html
    const body = Buffer.from('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0')
    const head = Buffer.from([0x45, 0, 0, 0, body.length + 4])
    const starting = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.end(Buffer.concat([head, body]))),
    )
    await new Promise<void>((resolve) => starting.listen(0, '127.0.0.1', resolve))
    const address = starting.address()
    const point = async (port: number) =>
      await api.syncHarness.deps.database.query(
        `update export_destinations set settings = settings || jsonb_build_object('port', $1::int)`,
        [port],
      )
    await point(typeof address === 'object' ? (address?.port ?? 0) : 0)
    expect(await run()).toMatchObject({ state: 'failing', error: 'The database is starting.' })
    starting.close()
    await point(target.port)
    expect(await run()).toMatchObject({ state: 'current', error: null })
  })
})

describe('tables that somebody changed', () => {
  const changed = (code: string) =>
    `The tables were changed and do not take the rows any more (error ${code}). Undo that, or drop the changed table: it is created and filled again.`
  const table = 'countinghouse.accounting_accounts'

  const change = async (how: string) => await admin.query(`alter table ${table} ${how}`)

  it.each([
    [
      'a column that must have a value',
      '23502',
      `add column own text not null default 1; alter table ${table} alter own drop default`,
      'drop column own',
    ],
    ['a check', '23514', `add constraint mine check (name not like 'Account 3%') not valid`, 'drop constraint mine'],
    ['a key that is gone', '42P10', 'drop constraint accounting_accounts_pkey', 'add primary key (company_id, service_id, id)'],
  ])('by %s, and back, are continued', async (_what, code, harm, mend) => {
    await expectToGoOn(
      changed(code),
      () => change(harm),
      () => change(mend),
    )
  })

  it.each([
    ['a shorter column', '22001', 'alter column name type varchar(100) using left(name, 100)'],
    ['another type', '42804', 'alter column name type integer using 0'],
    ['a column that is gone', '42703', 'drop column session_id'],
  ])('by %s are filled again once the table is dropped', async (_what, code, harm) => {
    expect(await run(after(2, () => change(harm)).crashPoint)).toMatchObject({ state: 'failing', error: changed(code) })
    await admin.query(`drop table ${table}`)
    expect(await run()).toMatchObject({ state: 'current', error: null })
    expect(await countRows()).toBe(await countPublished())
  })

  it('by a column that was dropped are filled again, also if the process ends in between', async () => {
    await run()
    await admin.query(`alter table ${table} drop column name`)
    // The run that creates the column again ends before its new pass begins.
    const { database } = api.syncHarness.deps
    await database.query('alter table export_replications add constraint stop check (pass < 2) not valid')
    await expect(run()).rejects.toThrow('stop')
    await database.query('alter table export_replications drop constraint stop')
    expect((await admin.query(`select from ${table} where name is null`)).rowCount).toBeGreaterThan(0)
    expect(await run()).toMatchObject({ state: 'current' })
    expect((await admin.query(`select from ${table} where name is null`)).rowCount).toBe(0)
  })
})
