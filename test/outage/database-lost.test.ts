import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { endLeases } from '../../src/store/jobs/leases.ts'
import { openForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { connectQuickbooks } from '../journey/http-walks.ts'
import { openReceiver } from '../journey/receiver.ts'
import { until } from '../process/deadline.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { OutageDeployment, residentMb } from './deployment.ts'

const BAKERY = '4620816365200000101'
/** The simulator's company with many accounts, so that a sync is under way when the database goes. */
const GIANT = { realmId: '9999', login: 'load' }
const COMPANIES = effort.isLong ? 6 : 2
const LOOK_EVERY_MS = effort.isLong ? 10_000 : 500
/** Lines of both processes in an outage besides those of requests: 40 when it begins, and 4 a minute. */
const MOST_LINES = 40 + (4 * effort.outageSeconds) / 60
const MOST_LOG_BYTES = 60_000 + (4_000 * effort.outageSeconds) / 60
/** A heap grows until it is collected; what leaks in an hour of failed statements grows beyond that. */
const MOST_GROWTH_MB = 50
const BACK_WITHIN_MS = 60_000
/** Sessions of both processes after the return: three quarters of what their pools may hold. Both open few at a time. */
const MOST_SESSIONS = 24
/** Pages of the large company, and those that are read before the database goes. */
const PAGES = 22
const PAGES_BEFORE = 11

/** One look at both processes while the database is away. */
interface Look {
  atMs: number
  mb: number
  /** Statuses of /livez and /readyz of both, and of a read of the API. */
  statuses: string
}

describe(`a database that is away for ${effort.outageSeconds} s`, { timeout: effort.outageSeconds * 1_000 + 400_000 }, () => {
  const deployment = openForTests(() => OutageDeployment.open())
  const receiver = openForTests(openReceiver)
  const client = openForTests(() => Client.logIn(deployment.api.service))
  let quickbooks: string
  const companies: string[] = []

  beforeAll(async () => {
    await client.subscribe('NormalizedData', receiver.url)
    quickbooks = (await client.service('QuickBooks Online')).id
    for (let number = 0; number < COMPANIES; number += 1) {
      companies.push(await connect(`Boulangerie ${number}`, { realmId: BAKERY }))
    }
    for (const companyId of companies) await client.connectionInStatus(companyId, [15, 19])
  }, 240_000)

  async function connect(name: string, at: { realmId: string; login?: string }): Promise<string> {
    const companyId = await client.addCompany(name)
    await connectQuickbooks(deployment.api.service.baseUrl, await client.link(companyId, quickbooks), at)
    return companyId
  }

  async function look(beganMs: number): Promise<Look> {
    const statuses: number[] = []
    let mb = 0
    for (const { health, service } of deployment.roles) {
      for (const path of ['/livez', '/readyz']) statuses.push((await fetch(`${health}${path}`)).status)
      mb += await residentMb(service.pid)
    }
    statuses.push((await client.ask('/normalized-data/companies')).status)
    return { atMs: performance.now() - beganMs, mb, statuses: statuses.join(' ') }
  }

  const printed = () => deployment.roles.map(({ service }) => service.output()).join('')
  const openJobs = async () => {
    const { rows } = await deployment.database.query<{ jobs: number }>(
      `select count(*)::int as jobs from jobs where state <> 'dead' and kind = 'sync'`,
    )
    return rows[0]?.jobs ?? 0
  }

  it('loses nothing, fills no log and no memory, and all goes on by itself without a storm', async () => {
    const callsOfRefresh = await callsOf(companies[0] ?? '')
    const acknowledged = await client.addCompany('acknowledged last')
    // A large sync and a refresh of each connection are under way.
    companies.push(await connect('Giant Holdings', GIANT))
    const largeRun = async () => (await client.runs(companies.at(-1) ?? '', quickbooks))[0]
    await until('a sync that is under way', async () => (((await largeRun())?.pages ?? 0) >= PAGES_BEFORE ? true : null))
    for (const companyId of companies.slice(0, COMPANIES)) expect((await client.refresh(companyId, quickbooks)).status).toBeLessThan(300)
    const logged = printed().length
    const calls = await deployment.count('countinghouse_source_calls_total')

    expect((await largeRun())?.state, 'of the large company').toBe('running')
    const beganMs = performance.now()
    await deployment.takeDatabaseAway()
    await until('both say so', async () => ((await look(beganMs)).statuses === '200 503 200 503 503' ? true : null))
    const looks: Look[] = []
    while (performance.now() - beganMs < effort.outageSeconds * 1_000) {
      looks.push(await look(beganMs))
      await wait(LOOK_EVERY_MS)
    }
    // Each request of this test is a line too, as it is at any time.
    const log = printed()
      .slice(logged)
      .replace(/^.*"msg":"request".*\n/gm, '')

    const backMs = performance.now()
    await deployment.bringDatabaseBack()
    let sessions = 0
    const isBack = async () => {
      const { rows } = await deployment.database.query<{ sessions: number }>(
        `select count(*)::int as sessions from pg_stat_activity where application_name like 'countinghouse%'`,
      )
      sessions = Math.max(sessions, rows[0]?.sessions ?? 0)
      return (await look(backMs)).statuses === '200 200 200 200 200' ? true : null
    }
    await until('both are ready', isBack, BACK_WITHIN_MS)
    const readyMs = performance.now() - backMs
    // After a minute without the database the leases of all jobs have ended by themselves.
    if (!effort.isLong) await endLeases(deployment.database)
    await until('all syncs are done', async () => ((await isBack()) && (await openJobs()) === 0 ? true : null), 300_000)
    const doneMs = performance.now() - backMs

    for (const companyId of companies) await client.connectionInStatus(companyId, [15, 19])
    expect((await client.companies()).map(({ id }) => id)).toEqual(expect.arrayContaining([...companies, acknowledged]))
    const { rows: dead } = await deployment.database.query(`select kind from jobs where state = 'dead'`)
    expect(dead).toEqual([])
    await everyEventArrives()
    const callsAgain = (await deployment.count('countinghouse_source_calls_total')) - calls
    // Each connection may repeat one call, and renew a token that has ended meanwhile; nothing begins again.
    const mostCalls = COMPANIES * callsOfRefresh + PAGES - PAGES_BEFORE + 2 * companies.length
    const attempts = await mostAttempts()
    const first = Math.max(...looks.slice(0, Math.ceil(looks.length / 10)).map(({ mb }) => mb))
    const last = looks.at(-1)?.mb ?? 0

    reportFigure('database away, s', effort.outageSeconds)
    reportFigure('lines and bytes logged meanwhile by both processes', `${log.split('\n').length - 1}, ${log.length}`)
    reportFigure('resident memory of both at its beginning and end, MB', `${first.toFixed(0)}, ${last.toFixed(0)}`)
    reportFigure('after the return: ready, and all syncs done, s', `${(readyMs / 1_000).toFixed(1)}, ${(doneMs / 1_000).toFixed(1)}`)
    reportFigure(
      'after the return: most sessions of the database, calls of sources (of at most), attempts of one delivery',
      `${sessions}, ${callsAgain} (${mostCalls}), ${attempts}`,
    )

    expect(new Set(looks.map(({ statuses }) => statuses))).toEqual(new Set(['200 503 200 503 503']))
    expect(log.split('\n').length, log.slice(0, 20_000)).toBeLessThan(MOST_LINES)
    expect(log.length).toBeLessThan(MOST_LOG_BYTES)
    expect(last - first).toBeLessThan(MOST_GROWTH_MB)
    expect(sessions).toBeLessThanOrEqual(MOST_SESSIONS)
    expect(callsAgain).toBeLessThanOrEqual(mostCalls)
    expect(attempts).toBeLessThanOrEqual(2)
  })

  /** Each event of the feed reaches its subscriber. */
  async function everyEventArrives(): Promise<void> {
    await until('all events have arrived', async () => {
      const { rows } = await deployment.database.query<{ id: string }>(
        `select id from events where kind = 'NormalizedData' and company_id = any($1)`,
        [companies],
      )
      const arrived = new Set(receiver.arrivals.map(({ headers }) => headers['webhook-id']))
      return rows.length >= companies.length && rows.every(({ id }) => arrived.has(`evt_${id}`)) ? true : null
    })
  }

  /** Calls of the source that one refresh makes. */
  async function callsOf(companyId: string): Promise<number> {
    const before = await deployment.count('countinghouse_source_calls_total')
    expect((await client.refresh(companyId, quickbooks)).status).toBeLessThan(300)
    await until('the refresh', async () => ((await openJobs()) === 0 ? true : null))
    return (await deployment.count('countinghouse_source_calls_total')) - before
  }

  async function mostAttempts(): Promise<number> {
    const { rows } = await deployment.database.query<{ attempts: number }>('select max(attempt_count) as attempts from deliveries')
    return rows[0]?.attempts ?? 0
  }
})
