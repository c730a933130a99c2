import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { RELEASE } from '../../src/model/release.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { until } from './deadline.ts'
import { findFreePort, runToEnd, type Service, startService } from './service.ts'

const WAITING = 'waiting for the database'

const folder = folderForTests()
let postgres: EmbeddedPostgres
let services: Service[] = []

beforeAll(async () => {
  postgres = await startPostgres()
})
afterEach(async () => {
  await Promise.all(services.map((service) => service.kill()))
  services = []
})
afterAll(async () => {
  await postgres?.stop()
})

function startPostgres(): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir: folder.path, settings: { fsync: 'off' } })
}

interface Process {
  service: Service
  /** `/readyz`: its status, and the reason if it is not 200. */
  ready(): Promise<[number, string]>
  metrics(): Promise<string>
}

async function startRole(role: 'api' | 'worker', options: { until?: string } = {}): Promise<Process> {
  const healthPort = await findFreePort()
  const port = await findFreePort()
  const environment = {
    DATABASE_URL: postgres.url,
    ROLE: role,
    ENVIRONMENT: 'production',
    SEED_PASSWORD: 'harbour-violet-teapot-91',
    METRICS_TOKEN: 'a-token-of-this-test',
    METRICS_LISTEN: String(healthPort),
  }
  const service = await startService({ dataDir: folder.path, port, environment, ...options })
  services.push(service)
  const address = `http://127.0.0.1:${healthPort}`
  return {
    service,
    ready: async () => {
      const answer = await fetch(`${address}/readyz`)
      const body = (await answer.json()) as { detail?: string }
      return [answer.status, body.detail ?? '']
    },
    metrics: async () => (await fetch(`${address}/metrics`, { headers: { authorization: 'Bearer a-token-of-this-test' } })).text(),
  }
}

const isReady = (one: Process) => until('ready', async () => ((await one.ready())[0] === 200 ? true : null))
const isNot = (one: Process) => until('not ready', async () => ((await one.ready())[0] === 503 ? true : null))

describe('without PostgreSQL', () => {
  it.each(['api', 'worker'] as const)('a process of role %s keeps running, and is ready again once PostgreSQL is back', async (role) => {
    const one = await startRole(role)
    await isReady(one)
    await postgres.stop()
    await isNot(one)
    expect(await one.ready()).toEqual([503, 'The service is not ready: the database does not answer.'])
    postgres = await startPostgres()
    await isReady(one)
    expect(await one.service.stop()).toEqual({ code: 0, signal: null })
  })

  it('a worker without an address keeps running too, and works again once PostgreSQL is back', async () => {
    const environment = { DATABASE_URL: postgres.url, ROLE: 'worker', ENVIRONMENT: 'production' }
    const worker = await startService({ dataDir: folder.path, environment })
    services.push(worker)
    await postgres.stop()
    await until('an error', () => (worker.output().includes('connect E') ? true : null))
    postgres = await startPostgres()
    const database = openDatabase(postgres.url, { max: 1 })
    await database.query('delete from workers')
    await until('a sign of the worker', async () => ((await database.query('select from workers')).rowCount ? true : null), 40_000)
    await database.end()
  })

  it.each(['api', 'worker'] as const)('a start with role %s waits, says so, and continues once PostgreSQL runs', async (role) => {
    await postgres.stop()
    const one = await startRole(role, { until: WAITING })
    postgres = await startPostgres()
    await until('the start', () => (one.service.output().includes('Countinghouse is ready.') ? true : null))
    await isReady(one)
  })

  it('a waiting start ends at SIGTERM with status 0 and without a stack trace', async () => {
    await postgres.stop()
    const one = await startRole('worker', { until: WAITING })
    expect(await one.service.stop()).toEqual({ code: 0, signal: null })
    expect(one.service.output()).not.toContain('stack')
    postgres = await startPostgres()
  })

  it('a start whose user is refused ends at once and says why', async () => {
    const environment = { DATABASE_URL: postgres.url.replace('countinghouse@', 'nobody@'), ROLE: 'worker', DATA_DIR: folder.path }
    const { code, stderr } = await runToEnd(environment)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^the database cannot be used: .*authentication failed/)])
  })
})

describe('an unusable database', () => {
  it('is reported by /readyz of both roles while it is read-only, and a start waits', async () => {
    const admin = openDatabase(postgres.adminUrl, { max: 1 })
    const both = [await startRole('api'), await startRole('worker')]
    await Promise.all(both.map(isReady))
    await admin.query('set default_transaction_read_only = off')
    await admin.query('alter system set default_transaction_read_only = on')
    await admin.query('select pg_reload_conf()')
    await Promise.all(both.map(isNot))
    expect(await Promise.all(both.map((one) => one.ready()))).toEqual([
      [503, 'The service is not ready: the database is read-only.'],
      [503, 'The service is not ready: the database is read-only.'],
    ])
    const late = await startRole('worker', { until: WAITING })
    await admin.query('alter system reset default_transaction_read_only')
    await admin.query('select pg_reload_conf()')
    await until('the start', () => (late.service.output().includes('Countinghouse is ready.') ? true : null))
    await admin.end()
  })

  it('ends every process once a later version has removed what it needs, and none starts on it', async () => {
    const both = [await startRole('api'), await startRole('worker')]
    await Promise.all(both.map(isReady))
    const database = openDatabase(postgres.url, { max: 1 })
    await database.query(`insert into schema_migrations (name, checksum, oldest_release) values ('999-later.sql', '', '999.0.0')`)
    expect(await Promise.all(both.map(({ service }) => service.end()))).toEqual([
      { code: 1, signal: null },
      { code: 1, signal: null },
    ])
    const reason = `a later version has migrated this database (999-later.sql); it needs version 999.0.0 or later, and this is ${RELEASE}`
    for (const { service } of both) expect(service.output()).toContain(reason)
    const { code, stderr } = await runToEnd({ DATABASE_URL: postgres.url, ROLE: 'worker', DATA_DIR: folder.path })
    expect([code, stderr]).toEqual([1, `${reason}\n`])
    await database.query(`delete from schema_migrations where name = '999-later.sql'`)
    await database.end()
  })

  it('with additions of a later version works', async () => {
    const one = await startRole('worker')
    await isReady(one)
    const database = openDatabase(postgres.url, { max: 1 })
    await database.query(`insert into schema_migrations (name, checksum) values ('999-later.sql', '')`)
    const other = await startRole('worker')
    await Promise.all([one, other].map(isReady))
    await database.query(`delete from schema_migrations where name = '999-later.sql'`)
    await database.end()
  })
})

describe('metrics of a process', () => {
  it.each(['api', 'worker'] as const)('of role %s show its work', async (role) => {
    const metrics = await (await startRole(role)).metrics()
    for (const line of [
      'countinghouse_sync_runs_total{category="Banking",result="failed"} 0',
      'countinghouse_sync_duration_seconds_count{category="Accounting"} 0',
      'countinghouse_webhook_deliveries_total{result="delivered"} 0',
      'countinghouse_webhook_delay_seconds_count 0',
      'countinghouse_webhook_deliveries_waiting{state="due"} 0',
      'countinghouse_mails_total{result="sent"} 0',
      'countinghouse_mails_waiting 0',
      'countinghouse_database_pool_max_connections 16',
      '# TYPE countinghouse_connections gauge',
    ])
      expect(metrics).toContain(line)
  })
})

describe('metrics of a worker', () => {
  it('require the token, and wake no job', async () => {
    const one = await startRole('worker')
    const metrics = await one.metrics()
    expect(metrics).toContain(`countinghouse_info{version="${RELEASE}",role="worker"} 1`)
    expect(metrics).toContain('nodejs_eventloop_utilization')
    expect(metrics).not.toContain('nodejs_eventloop_lag_p99_seconds')
  })
})
