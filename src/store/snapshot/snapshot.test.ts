import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { databaseOfOneServer } from '../../../test/harness/database.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { createInstance } from '../access/instances.ts'
import { findPause } from '../db/deployment-pause.ts'
import { findBackupAge, recordBackup } from './last-backup.ts'
import { beginLoad, checkEmpty, type SnapshotLoad } from './load-snapshot.ts'
import { openSnapshot, type Snapshot } from './open-snapshot.ts'
import { TableDigester } from './table-digest.ts'
import { quoted } from './tables.ts'
import { endUnfinishedRestore, findUnfinishedRestore, markUnfinishedRestore, refuseUnfinishedRestore } from './unfinished-restore.ts'

/** Partitions of a time are not part of a snapshot. */
const OBJECTS = `select object from (
  select 'index ' || indexname || ' ' || indexdef as object from pg_indexes where schemaname = 'public'
  union select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
  union select 'trigger ' || tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal
  union select 'rows ' || oid::regclass || ' ' || relrowsecurity || ' ' || relforcerowsecurity from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')) o where object !~ '_[0-9]{8}'
  order by 1`

const [BACKUP, OTHER_BACKUP] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']

async function digest(rows: AsyncIterable<Buffer>) {
  const digester = new TableDigester()
  for await (const piece of rows) digester.push(piece)
  return digester.end()
}

async function copyAll(snapshot: Snapshot, load: SnapshotLoad): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of snapshot.tables) counts[table.name] = await load.load(table, snapshot.readTable(table))
  return counts
}

describe('a snapshot', () => {
  const from = databaseForTests()
  const to = databaseForTests({ migrated: false })

  it('has all rows of its time, and loaded into an empty database is the same but paused', async () => {
    const [instanceId, later] = [randomUUID(), randomUUID()]
    await createInstance(from.database, { id: instanceId, name: 'Maple “Lending”' })
    const snapshot = await openSnapshot(from.url)
    await createInstance(from.database, { id: later, name: 'Later' })
    const load = await beginLoad(to.url, snapshot.migrations)
    expect(snapshot.tables.every((table) => load.has(table))).toBe(true)
    expect(load.has({ name: 'of another release', columns: [] })).toBe(false)
    const counts = await copyAll(snapshot, load)
    expect([counts.instances, counts.schema_migrations]).toEqual([1, snapshot.migrations.length])
    await expect(checkEmpty(to.url, BACKUP)).resolves.toBe(false)
    await load.finish(BACKUP)
    await load.close()
    await snapshot.close()

    const { rows } = await to.database.query('select id, name from instances')
    expect(rows).toEqual([{ id: instanceId, name: 'Maple “Lending”' }])
    expect(await findPause(to.database)).toMatchObject({ reason: 'restored', backupId: BACKUP })
    expect((await to.database.query(OBJECTS)).rows).toEqual((await from.database.query(OBJECTS)).rows)
    expect([await checkEmpty(to.url, BACKUP), await findPause(from.database)]).toEqual([true, null])
    await expect(checkEmpty(to.url, OTHER_BACKUP)).rejects.toThrow('the database is not empty (')
    await expect(checkEmpty(to.url, null)).rejects.toThrow('restore into an empty one')
    await expect(beginLoad(to.url, snapshot.migrations)).rejects.toThrow('the database is not empty (')
  })

  it('is loaded in a session of that name, whose loss is an error of the load and ends nothing else', async () => {
    const snapshot = await openSnapshot(from.url)
    const empty = await databaseOfOneServer({ migrated: false })
    try {
      const load = await beginLoad(empty.url, snapshot.migrations)
      const { rowCount } = await empty.database.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'countinghouse restore' and datname = current_database()`,
      )
      expect(rowCount).toBe(1)
      await expect(load.finish(BACKUP)).rejects.toThrow()
      await load.close()
    } finally {
      await snapshot.close()
      await empty.drop()
    }
  })

  it('has a digest for each table that other rows change', async () => {
    const read = async () => {
      const snapshot = await openSnapshot(from.url)
      const table = snapshot.tables.find(({ name }) => name === 'instances')
      if (!table) throw new Error('no such table')
      const found = await digest(snapshot.readTable(table))
      await snapshot.close()
      return found
    }
    const first = await read()
    const id = randomUUID()
    await createInstance(from.database, { id, name: 'Birch' })
    const second = await read()
    expect([second.rows - first.rows, first.hash === second.hash]).toEqual([1, false])
    await from.database.query(`update instances set name = 'Bircb' where id = $1`, [id])
    const third = await read()
    expect([third.rows, third.hash === second.hash]).toEqual([second.rows, false])
    expect(await read()).toEqual(third)
  })

  it('is refused while a row-level security policy of others could hide rows', async () => {
    await from.database.query('create policy hides on companies using (false)')
    await expect(openSnapshot(from.url)).rejects.toThrow('companies: hides; drop them')
    await from.database.query('drop policy hides on companies')
    await (await openSnapshot(from.url)).close()
  })
})

describe('a load', () => {
  const from = databaseForTests()
  const to = databaseForTests({ migrated: false })

  it('that is closed before its end leaves nothing, and an empty database has no snapshot', async () => {
    const snapshot = await openSnapshot(from.url)
    const load = await beginLoad(to.url, snapshot.migrations)
    await copyAll(snapshot, load)
    await load.close()
    await snapshot.close()
    expect(await checkEmpty(to.url, BACKUP)).toBe(false)
    await expect(openSnapshot(to.url)).rejects.toThrow('the database is empty: there is nothing to back up')
  })

  it.each([
    'create table left (a int)',
    'create view left as select 1 as a',
    'create sequence left',
    'create materialized view left as select 1 as a',
  ])('is refused where %s was run before', async (statement) => {
    await to.database.query(statement.replace(' left', ' "left"'))
    await expect(checkEmpty(to.url, null)).rejects.toThrow('the database is not empty (left, …)')
    await to.database.query(`drop ${statement.replace(/^create (.*?) left.*$/, '$1')} "left"`)
    expect(await checkEmpty(to.url, null)).toBe(false)
  })
})

describe('the last backup', () => {
  const test = databaseForTests()

  it('is the newest that was recorded, and has an age in seconds', async () => {
    const { database } = test
    expect(await findBackupAge(database)).toBe(null)
    const newer = new Date(Date.now() - 60_000)
    await recordBackup(database, { takenAt: newer, fileBytes: 10 })
    await recordBackup(database, { takenAt: new Date(newer.getTime() - 3_600_000), fileBytes: 20 })
    const { rows } = await database.query('select taken_at as "takenAt", file_bytes::int as "fileBytes" from last_backup')
    expect(rows).toEqual([{ takenAt: newer, fileBytes: 10 }])
    const age = await findBackupAge(database)
    expect(age).toBeGreaterThanOrEqual(59)
    expect(age).toBeLessThan(3_600)
  })
})

describe('an unfinished restore', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'restore-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is known by the id of its backup, and keeps the folder from being used until it has ended', async () => {
    await refuseUnfinishedRestore(folder)
    expect(await findUnfinishedRestore(folder)).toBe(null)
    await markUnfinishedRestore(folder, 'backup-1')
    expect([await findUnfinishedRestore(folder), await readFile(join(folder, 'restore-unfinished'), 'utf8')]).toEqual([
      'backup-1',
      'backup-1\n',
    ])
    await expect(refuseUnfinishedRestore(folder)).rejects.toThrow(`a restore into ${folder} was begun and not finished`)
    await endUnfinishedRestore(folder)
    await endUnfinishedRestore(folder)
    expect(await findUnfinishedRestore(folder)).toBe(null)
  })

  it('is none in a folder that does not exist, and a file that cannot be read is an error', async () => {
    expect(await findUnfinishedRestore(join(folder, 'none'))).toBe(null)
    await writeFile(join(folder, 'file'), '')
    expect(await findUnfinishedRestore(join(folder, 'file'))).toBe(null)
    await expect(findUnfinishedRestore(`${folder}\0`)).rejects.toThrow()
  })
})

it('names are quoted, with quotes doubled', () => {
  expect([quoted('a'), quoted('a"b"c')]).toEqual(['"a"', '"a""b""c"'])
})
