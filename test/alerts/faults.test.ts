import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createQuickbooksSimulator } from '../../simulators/quickbooks/index.ts'
import { type RunningSimulator, serveSimulator } from '../../simulators/simulator.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { pauseDeployment, resumeDeployment } from '../../src/store/db/deployment-pause.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { recordBackup } from '../../src/store/snapshot/last-backup.ts'
import { SharedRateLimiter } from '../../src/sync/rate-limits/shared-rate-limiter.ts'
import { Client } from '../journey/client.ts'
import { connectQuickbooks, uploadStatement } from '../journey/http-walks.ts'
import { answer } from '../limits/two-limiters.ts'
import { openSmtp, type Smtp } from '../mail/smtp.ts'
import { lacksPromtool, promtoolNote } from '../metrics/promtool.ts'
import { until } from '../process/deadline.ts'
import { findFreePort, openTestFolder, type Service, startService } from '../process/service.ts'
import { firingAlerts, RULES, type Scrape, scrape } from './recording.ts'

const BAKERY = '4620816365200000101'

let folder: Awaited<ReturnType<typeof openTestFolder>>
let postgres: EmbeddedPostgres
let database: Database
let smtp: Smtp
let books: RunningSimulator<ReturnType<typeof createQuickbooksSimulator>>
let ports: { api: number; apiMetrics: number; worker: number }
let api: Service
let worker: Service | null
let client: Client
let serviceId: string
let companies: string[]
let before: Scrape
const fired = new Set<string>()

const isIn = (text: Scrape, fits: (name: string, value: number) => boolean) => [...text].some(([name, value]) => fits(name, value))

async function scrapeAll(): Promise<Scrape> {
  return new Map([
    ...(await scrape('api', `http://127.0.0.1:${ports.apiMetrics}`)),
    ...(await scrape('worker', `http://127.0.0.1:${ports.worker}`)),
  ])
}

async function endPauses(): Promise<void> {
  await database.query('update subscriptions set paused_until = null, failure_count = 0')
}

/** Scrapes until a sample shows the fault; returns the alerts that fire if it persists. */
async function alertsOnce(what: string, shows: (name: string, value: number) => boolean): Promise<string[]> {
  const during = await until(what, async () => await scrapeAll().then((text) => (isIn(text, shows) ? text : null)), 40_000)
  const alerts = await firingAlerts(before, during)
  for (const name of alerts) fired.add(name)
  return alerts
}

async function start(role: 'api' | 'worker', more: Record<string, string> = {}): Promise<Service> {
  const metrics = role === 'api' ? ports.apiMetrics : ports.worker
  const environment = {
    DATABASE_URL: postgres.url,
    ROLE: role,
    METRICS_LISTEN: String(metrics),
    SMTP_URL: smtp.url,
    MAIL_FROM: 'a@example.org',
  }
  return await startService({ dataDir: folder.path, port: ports.api, environment: { ...environment, ...more } })
}

async function connectBooks(name: string): Promise<string> {
  const companyId = await client.addCompany(name)
  await connectQuickbooks(api.baseUrl, await client.link(companyId, serviceId), { realmId: BAKERY })
  await client.connectionInStatus(companyId, [15, 18, 19])
  return companyId
}

/** A source with keys of the operator: the alarms of a test instance's own simulator are no alarms of the deployment. */
async function serveBooks(): Promise<typeof books> {
  const served = await serveSimulator(createQuickbooksSimulator)
  const hosts = Object.fromEntries(['authorize', 'token', 'revoke', 'api'].map((name) => [name, served.url]))
  const settings = { quickbooks: { app: { clientId: 'client', clientSecret: 'secret' }, hosts } }
  await writeFile(join(folder.path, 'sources.json'), JSON.stringify(settings), { mode: 0o600 })
  return served
}

beforeAll(async () => {
  if (lacksPromtool) return
  folder = await openTestFolder()
  postgres = await startEmbeddedPostgres({ dataDir: folder.path, settings: { fsync: 'off' } })
  smtp = await openSmtp()
  books = await serveBooks()
  ports = { api: await findFreePort(), apiMetrics: await findFreePort(), worker: await findFreePort() }
  api = await start('api', { MAX_CONNECTIONS: '60', CLAMD_ADDRESS: '127.0.0.1:9' })
  worker = await start('worker')
  database = openDatabase(postgres.url, { max: 2 })
  client = await Client.logIn(api)
  serviceId = (await client.service('QuickBooks Online')).id
  companies = [await connectBooks('First'), await connectBooks('Second'), await connectBooks('Third'), await connectBooks('Fourth')]
  await until('quiet', async () => ((await database.query(`select from jobs where kind = 'sync'`)).rowCount === 0 ? true : null), 60_000)
  before = await scrapeAll()
}, 180_000)
afterAll(async () => {
  await worker?.kill()
  await api?.kill()
  await database?.end()
  await smtp?.close()
  await books?.close()
  await postgres?.stop()
  await folder?.remove()
})

describe.skipIf(lacksPromtool)(`alerts of a deployment${promtoolNote}`, () => {
  it('are silent in a healthy deployment', async () => {
    await Promise.all(Array.from({ length: 20 }, () => client.companies()))
    await client.refresh(companies[0] ?? '', serviceId)
    expect(await firingAlerts(before, await scrapeAll())).toEqual([])
  })

  it('report grants of owners that a source has ended', async () => {
    books.simulator.fault('unauthorized', 3)
    books.simulator.fault('revoked', 3)
    for (const companyId of companies.slice(0, 3)) {
      await client.refresh(companyId, serviceId)
      await client.connectionInStatus(companyId, [8, 20, 26, 27])
    }
    const isFailed = (name: string, value: number) => name.includes('sync_runs_total') && name.includes('failed') && value >= 3
    expect(await alertsOnce('failed syncs', isFailed)).toContain('CountinghouseSyncsFail')
  })

  it('report keys that a source refuses', async () => {
    books.simulator.fault('unauthorized')
    books.simulator.fault('invalidClient')
    await client.refresh(companies[3] ?? '', serviceId)
    const isRefused = (name: string) => name.startsWith('countinghouse_source_refuses_keys{connector="quickbooks"')
    expect(await alertsOnce('an alarm', isRefused)).toContain('CountinghouseSourceRefusesKeys')
  })

  it('report a source that keeps failing', async () => {
    const limiter = new SharedRateLimiter(database, { onError: () => undefined })
    const call = { connectorKey: 'sage', limits: [], entity: null, place: { host: 'api' }, timeoutMs: 1_000 }
    for (let index = 0; index < 20; index++) await limiter.run(call, async () => answer(503)).catch(() => null)
    await limiter.close()
    const isOpen = (name: string, value: number) => name.startsWith('countinghouse_source_breaker') && value === 2
    expect(await alertsOnce('an open breaker', isOpen)).toContain('CountinghouseSourceAway')
  })

  it('report refused mails', async () => {
    smtp.refusals.push(...Array.from({ length: 5 }, () => ({ code: 550, text: 'nobody here' })))
    await client.ask('/auth/forgotten-password', { method: 'POST', body: { email: 'developer@example.com' } })
    const isRefused = (name: string, value: number) => name.includes('mails_total{result="refused"') && value > 0
    expect(await alertsOnce('a refused mail', isRefused)).toContain('CountinghouseMailsFail')
  })

  it('report failing receivers, and secrets that cannot be decrypted', async () => {
    await client.subscribe('RawData', 'http://127.0.0.1:9/nobody')
    const { rows } = await database.query<{ id: string }>('select id from subscriptions')
    const ids = rows.map(({ id }) => id)
    for (let index = 0; index < 30; index++) await client.ask(`/webhooks/subscriptions/${ids[0]}/test`, { method: 'POST' })
    // The alert wants ten attempts by minute 15 of the 30 over which these are spread.
    const isRetried = (name: string, value: number) => name.includes('deliveries_total{result="retried"') && value >= 24
    // After five failures a receiver is only probed, so its pause is ended here.
    const unpause = setInterval(() => void endPauses(), 200)
    onTestFinished(() => clearInterval(unpause))
    expect(await alertsOnce('failed deliveries', isRetried)).toContain('CountinghouseDeliveriesFail')
    await database.query(`update subscription_secrets set sealed = overlay(sealed placing '\\x00' from 30)`)
    await client.ask(`/webhooks/subscriptions/${ids[0]}/test`, { method: 'POST' })
    const isDamaged = (name: string, value: number) => name.includes('unseal_failures_total{table="subscription_secrets"') && value > 0
    expect(await alertsOnce('a damaged secret', isDamaged)).toContain('CountinghouseUnsealFails')
  })

  it('report a malware scanner that does not answer, which no start waits for', async () => {
    const link = await client.link(companies[0] ?? '', (await client.service('Bank files')).id)
    expect((await uploadStatement(api.baseUrl, link)).status).toBe(503)
    const isAway = (name: string, value: number) => name.includes('malware_scans_total{result="unavailable"') && value > 0
    expect(await alertsOnce('a scan without an answer', isAway)).toContain('CountinghouseScannerAway')
  })

  it('report refused connections', async () => {
    const sockets = Array.from({ length: 80 }, () => connect(ports.api, '127.0.0.1').on('error', () => undefined))
    const alerts = await alertsOnce(
      'refused connections',
      (name, value) => name.startsWith('countinghouse_http_connections_refused') && value > 0,
    )
    for (const socket of sockets) socket.destroy()
    await Promise.all(sockets.map(async (socket) => socket.closed || (await once(socket, 'close'))))
    expect(alerts).toContain('CountinghouseConnectionsRefused')
  })

  it('report a stopped worker, and the jobs that wait for it', async () => {
    await worker?.stop()
    // A delivery to a receiver that is only probed is not late.
    await endPauses()
    await database.query(`insert into jobs (instance_id, kind, key, payload, run_at, state)
      select id, 'sync', 'connection/' || id, '{}', now() - interval '10 minutes', 'ready' from instances limit 1`)
    await database.query(
      `update deliveries set status = 'pending', due_at = now() - interval '10 minutes', lease = null, leased_until = null`,
    )
    await database.query(
      `insert into jobs (instance_id, kind, key, payload, state, died_at) select id, 'coverage', 'dead', '{}', 'dead', now() from instances limit 1`,
    )
    const isLate = (name: string, value: number) => name.startsWith('countinghouse_webhook_delivery_lag') && value > 300
    const alerts = await alertsOnce('a late delivery', (name, value) => isLate(name, value))
    expect(alerts).toEqual(
      expect.arrayContaining([
        'CountinghouseNoWorker',
        'CountinghouseJobsLate',
        'CountinghouseJobsDead',
        'CountinghouseDeliveriesLate',
        'CountinghouseDown',
      ]),
    )
  })

  it('report a paused deployment', async () => {
    await pauseDeployment(database, { reason: 'requested', backupId: null })
    expect(await alertsOnce('a pause', (name, value) => name.startsWith('countinghouse_paused') && value === 1)).toContain(
      'CountinghousePaused',
    )
    await resumeDeployment(database)
  })

  it('report that the backup of last night is missing', async () => {
    await recordBackup(database, { takenAt: new Date(Date.now() - 37 * 3_600_000), fileBytes: 1 })
    const isOld = (name: string, value: number) => name.startsWith('countinghouse_last_backup_age') && value > 36 * 3_600
    expect(await alertsOnce('an old backup', isOld)).toContain('CountinghouseBackupOld')
    await recordBackup(database, { takenAt: new Date(), fileBytes: 1 })
  })

  it('report reads that wait for a lock, and the consequences', async () => {
    const holder = await database.connect()
    await holder.query('begin')
    await holder.query('lock table companies in access exclusive mode')
    const waiting = Array.from({ length: 40 }, () => client.ask('/normalized-data/companies'))
    const isWaiting = (name: string, value: number) => name.startsWith('countinghouse_database_pool_waiting') && value > 0
    expect(await alertsOnce('requests that wait', isWaiting)).toContain('CountinghousePoolExhausted')
    const statuses = (await Promise.all(waiting)).map(({ status }) => status)
    await holder.query('rollback')
    holder.release()
    expect(new Set(statuses)).toEqual(new Set([503]))
    const alerts = await alertsOnce('errors', (name, value) => name.includes('status_class="5xx"') && value > 0)
    expect(alerts).toEqual(expect.arrayContaining(['CountinghouseServerErrors', 'CountinghouseSlowReads']))
  })

  it('report a read-only database, and an unavailable one', async () => {
    const admin = openDatabase(postgres.adminUrl, { max: 1 })
    await admin.query('alter system set default_transaction_read_only = on')
    await admin.query('select pg_reload_conf()')
    const isNotReady = (name: string, value: number) => name.startsWith('countinghouse_ready') && name.includes('"api"') && value === 0
    const isUp = async () => ((await scrapeAll()).get('countinghouse_database_up{job="countinghouse",instance="api"}') === 1 ? true : null)
    await until('the database is back', isUp)
    expect(await alertsOnce('not ready', isNotReady)).toContain('CountinghouseNotReady')
    await admin.end()
    await postgres.stop()
    expect(await alertsOnce('away', (name, value) => name.startsWith('countinghouse_database_up') && value === 0)).toContain(
      'CountinghouseDatabaseAway',
    )
  })

  it('have all fired in this file', async () => {
    const rules = await readFile(RULES, 'utf8')
    expect([...fired].toSorted()).toEqual([...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name).toSorted())
  })
})
