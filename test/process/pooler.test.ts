import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { inTransaction, openDatabase } from '../../src/store/db/database.ts'
import { runCommand } from '../cli/run-command.ts'
import { openForTests } from '../harness/for-tests.ts'
import { lacksPooler, openPooledPostgres, poolerNote } from './pooler.ts'
import { findFreePort, runToEnd, startService } from './service.ts'

describe.skipIf(lacksPooler)(`behind PgBouncer${poolerNote}`, () => {
  const postgres = openForTests(openPooledPostgres)
  const environmentOf = (url: string) => ({
    DATABASE_URL: url,
    ROLE: 'api',
    ENVIRONMENT: 'production',
    SEED_PASSWORD: 'harbour-violet-teapot-91',
  })

  it('in session mode the service works, and its statement timeouts still apply', async () => {
    const pooler = await postgres.pool({ mode: 'session' })
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

  it('in transaction mode with an address of sessions the service works', async () => {
    const pooler = await postgres.pool({ mode: 'transaction', serverConnections: 2 })
    const environment = { ...environmentOf(pooler.url), DATABASE_DIRECT_URL: postgres.url }
    const service = await startService({ dataDir: postgres.dataDir, environment })
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
    await service.stop()
    await pooler.close()
  })

  it('in transaction mode doctor and verify find what they find elsewhere, in the chains of audit entries too', async () => {
    const pooler = await postgres.pool({ mode: 'transaction', serverConnections: 2 })
    const settings = { ...environmentOf(pooler.url), DATA_DIR: postgres.dataDir, ENVIRONMENT: 'sandbox' }
    const ask = async (more: Record<string, string>) => {
      const [doctor, verify] = [
        await runCommand(['doctor', '--json'], { ...settings, ...more }),
        await runCommand(['verify', '--json'], { ...settings, ...more }),
      ]
      const { findings } = JSON.parse(doctor.stdout) as { findings: { id: string }[] }
      const { isSound, audit } = JSON.parse(verify.stdout) as { isSound: boolean; audit: { entries: number } }
      return { codes: [doctor.code, verify.code], ids: findings.map(({ id }) => id), isSound, audit }
    }
    const behind = await ask({ DATABASE_DIRECT_URL: postgres.url })
    expect(behind).toEqual(await ask({ DATABASE_URL: postgres.url }))
    expect([behind.isSound, behind.audit.entries]).toEqual([true, expect.toSatisfy((count: number) => count > 0)])
    await pooler.close()
  })

  it('in transaction mode statements bring their timeouts, and leave nothing behind on the server', async () => {
    const pooler = await postgres.pool({ mode: 'transaction', serverConnections: 1 })
    const database = openDatabase(pooler.url, { directUrl: postgres.url })
    const timeouts = `select array[current_setting('statement_timeout'), current_setting('lock_timeout')] as found`
    const ofTransaction = await inTransaction(database, (db) => db.query(timeouts))
    expect([(await database.query(timeouts)).rows, ofTransaction.rows]).toEqual([[{ found: ['30s', '10s'] }], [{ found: ['30s', '10s'] }]])
    // A client that is not ours finds the one server connection as PostgreSQL opened it.
    const other = new pg.Client(pooler.url)
    await other.connect()
    const left =
      await other.query(`select current_setting('statement_timeout') as timeout, current_setting('countinghouse.instance', true) as scope,
      (select count(*)::int from pg_prepared_statements) as statements`)
    expect(left.rows).toEqual([{ timeout: '0', scope: expect.toBeOneOf([null, '']), statements: 0 }])
    await other.end()
    await database.end()
    await pooler.close()
  })

  it.each([
    ['transaction', 'set DATABASE_DIRECT_URL'],
    ['statement', 'set it to transaction mode, with DATABASE_DIRECT_URL beside it, or to session mode'],
  ] as const)('in %s mode without one it does not start, and says what it needs', async (mode, what) => {
    const pooler = await postgres.pool({ mode })
    const environment = { ...environmentOf(pooler.url), DATA_DIR: postgres.dataDir, PORT: String(await findFreePort()) }
    const { code, stderr } = await runToEnd(environment)
    expect([code, stderr]).toEqual([1, expect.stringContaining(what)])
    await pooler.close()
  })
})
