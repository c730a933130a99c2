import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { folderForTests, openForTests } from '../../../../test/harness/for-tests.ts'
import { until } from '../../../../test/process/deadline.ts'
import { startEmbeddedPostgres } from '../../embedded/postgres.ts'
import { inTransaction, openDatabase } from '../database.ts'
import { connectionOf } from './database-url.ts'

/** A server whose synchronous standby is away: commits wait, until an operator or a timeout ends the wait. */
describe('a commit that no standby confirmed', () => {
  const folder = folderForTests()
  const postgres = openForTests(
    () => startEmbeddedPostgres({ dataDir: folder.path }),
    (postgres) => postgres.stop(),
  )
  const database = openForTests(
    () => openDatabase(postgres.url),
    (database) => database.end(),
  )
  const admin = openForTests(
    () => openDatabase(postgres.adminUrl, { max: 1 }),
    (admin) => admin.end(),
  )

  beforeAll(async () => {
    await database.query('create table kept (id int)')
    await admin.query(`alter system set synchronous_standby_names = 'nobody'`)
    await admin.query('select pg_reload_conf()')
    const plain = new pg.Client(connectionOf(postgres.url))
    await plain.connect()
    // Another process of the server than the sessions decides whether commits wait, once it has read the settings again.
    await until('commits wait', async () => ((await waits(plain)) ? true : null))
    await plain.end()
  })

  /** Whether a commit waits for the standby that is away; its wait is ended. */
  async function waits(client: pg.Client): Promise<boolean> {
    let hasWaited = false
    let isOver = false
    const write = client.query('insert into kept values (0)').finally(() => {
      isOver = true
    })
    await until('the commit is over', async () => {
      hasWaited = (await endWaits()) || hasWaited
      return isOver ? true : null
    })
    await write
    return hasWaited
  }

  async function endWaits(): Promise<boolean> {
    const { rowCount } = await admin.query(`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`)
    return (rowCount ?? 0) > 0
  }

  it.each<[string, () => Promise<unknown>]>([
    ['a statement', () => database.query('insert into kept values (1)')],
    ['a transaction', () => inTransaction(database, (db) => db.query('insert into kept values (2)'))],
  ])('is no success of %s, and the pool goes on', async (_what, write) => {
    const written = write().then(
      () => 'acknowledged',
      (error: unknown) => error,
    )
    await until('a commit waits for a standby', async () => ((await endWaits()) ? true : null))
    expect(await written).toMatchObject({ name: 'UnconfirmedCommit', code: '08007' })
    expect((await database.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })
})
