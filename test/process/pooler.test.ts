import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/store/db/database.ts'
import { lacksPooler, openPooledPostgres, type PooledPostgres, poolerNote } from './pooler.ts'
import { findFreePort, runToEnd, startService } from './service.ts'

describe.skipIf(lacksPooler)(`behind PgBouncer${poolerNote}`, () => {
  let postgres: PooledPostgres
  beforeAll(async () => {
    postgres = await openPooledPostgres()
  })
  afterAll(async () => await postgres?.close())

  const environmentOf = (url: string) => ({
    DATABASE_URL: url,
    ROLE: 'api',
    ENVIRONMENT: 'production',
    SEED_PASSWORD: 'harbour-violet-teapot-91',
  })

  it('in session mode the service works, and its statement timeouts still apply', async () => {
    const pooler = await postgres.pool('session')
    const service = await startService({ dataDir: postgres.dataDir, environment: environmentOf(pooler.url) })
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
    const database = openDatabase(pooler.url, { max: 1 })
    const { rows } = await database.query(
      `select name, setting from pg_settings where name like any ('{statement_timeout,lock_timeout,idle_in%}') order by name`,
    )
    expect(rows.map(({ name, setting }) => [name, setting])).toEqual([
      ['idle_in_transaction_session_timeout', '30000'],
      ['lock_timeout', '10000'],
      ['statement_timeout', '30000'],
    ])
    await database.end()
    await service.stop()
    await pooler.close()
  })

  it.each(['transaction', 'statement'] as const)('in %s mode it does not start, and says which address it needs', async (mode) => {
    const pooler = await postgres.pool(mode)
    const environment = { ...environmentOf(pooler.url), DATA_DIR: postgres.dataDir, PORT: String(await findFreePort()) }
    const { code, stderr } = await runToEnd(environment)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('give DATABASE_URL the address of PostgreSQL itself, or of a pool in session mode'),
    ])
    await pooler.close()
  })
})
