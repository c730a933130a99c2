import { expect, it } from 'vitest'
import { openSnapshot } from '../../../src/store/snapshot/open-snapshot.ts'
import { testDatabase } from '../../harness/database.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'

const test = databaseForTests()

it('a snapshot knows when it was taken, of which server, and the fingerprint of the keys', async () => {
  const { database } = test
  const facts = async () => {
    const { takenAt, serverVersion, keyFingerprint, close } = await openSnapshot(test.url)
    const sessions = await database.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'countinghouse backup'`,
    )
    await close()
    return { takenAt, serverVersion, keyFingerprint, sessions: sessions.rowCount }
  }
  const { rows } = await database.query<{ version: string; now: Date }>(
    `select current_setting('server_version') as version, clock_timestamp() as now`,
  )
  const first = await facts()
  expect(first).toEqual({ takenAt: expect.any(Date), serverVersion: rows[0]?.version, keyFingerprint: null, sessions: 1 })
  expect(first.takenAt.getTime()).toBeGreaterThanOrEqual(rows[0]?.now.getTime() ?? Number.POSITIVE_INFINITY)
  await database.query(`insert into key_fingerprint (fingerprint) values ('print')`)
  expect((await facts()).keyFingerprint).toEqual(Buffer.from('print'))
})

it('a snapshot keeps its tables from being changed until it is closed', async () => {
  const snapshot = await openSnapshot(test.url)
  const migrator = await test.database.connect()
  const migrate = () => migrator.query('alter table companies add column later text')
  try {
    await migrator.query(`select set_config('lock_timeout', '1ms', false)`)
    await expect(migrate()).rejects.toThrow('lock timeout')
    await snapshot.close()
    await migrator.query(`select set_config('lock_timeout', '10s', false)`)
    await migrate()
  } finally {
    migrator.release(true)
  }
})

it('a snapshot that a migration overtakes is refused', async () => {
  const migrator = await test.database.connect()
  try {
    await migrator.query('begin')
    await migrator.query('alter table companies add column overtaking text')
    let isSettled = false
    const opened = openSnapshot(test.url).finally(() => {
      isSettled = true
    })
    const refused = expect(opened).rejects.toThrow('the database was migrated just now; begin the backup again')
    const isWaiting = async () =>
      (
        await test.database.query(
          `select from pg_locks where relation = 'companies'::regclass and mode = 'AccessShareLock' and not granted`,
        )
      ).rowCount === 1
    while (!isSettled && !(await isWaiting()));
    await migrator.query('commit')
    await refused
  } finally {
    migrator.release()
  }
})

it('a database without tables, or with a policy of somebody else, gives none', async () => {
  const empty = await testDatabase({ migrated: false })
  try {
    await expect(openSnapshot(empty.url)).rejects.toThrow('the database is empty: there is nothing to back up')
  } finally {
    await empty.drop()
  }
  await test.database.query('create policy hiding on companies using (false)')
  await expect(openSnapshot(test.url)).rejects.toThrow(
    'row-level security policies of others could hide rows: companies: hiding; drop them',
  )
  await test.database.query('drop policy hiding on companies')
  await (await openSnapshot(test.url)).close()
})

it('a session that breaks is an error of what is read next, and of nothing else', async () => {
  const { database } = test
  const snapshot = await openSnapshot(test.url)
  const others = `from pg_stat_activity where datname = current_database() and application_name = 'countinghouse backup'`
  await database.query(`select pg_terminate_backend(pid) ${others}`)
  await until('it is gone', async () => ((await database.query(`select ${others}`)).rowCount === 0 ? true : null))
  const [table] = snapshot.tables
  if (!table) throw new Error('no table')
  await expect(snapshot.readTable(table).toArray()).rejects.toThrow()
  await snapshot.close()
})
