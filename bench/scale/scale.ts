import { randomUUID } from 'node:crypto'
import { loadavg } from 'node:os'
import { createAccess } from '../../src/api/access/access.ts'
import { PasswordHashing } from '../../src/api/access/password-hashing.ts'
import { openSession } from '../../src/api/access/sessions.ts'
import { createUser } from '../../src/api/access/user-accounts.ts'
import { defaultApiSettings } from '../../src/api/context/settings.ts'
import { createLog } from '../../src/process/log.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { insertSubscription } from '../../src/store/webhooks/subscriptions.ts'
import { NO_PROVIDERS } from '../../test/harness/app/api-deps.ts'
import { openBank } from '../bank/bank.ts'
import { BASE_URL, type Deployment, databaseBytes, openDeployment, syncTenant, type Tenant } from '../deployment.ts'
import { atMost, type Figure, untargeted } from '../figures.ts'
import { printProgress } from '../progress.ts'
import { type BenchServer, startServer } from '../servers/start.ts'
import { addCrowd, CROWD_TABLES, type CrowdScope, toCompanyId } from './crowd.ts'
import { type Latency, timeQuestion, toLatency } from './measure.ts'
import { addMember } from './member.ts'
import { listQuestions, type Question } from './questions.ts'

/** Sizes of the measurement. */
export interface ScaleEffort {
  /** Numbers of companies, ascending: measured at each. */
  companies: readonly number[]
  /** Accounts and transactions of a company. */
  accounts: number
  transactions: number
  samples: number
  /** Time for one question at one size. */
  msPerQuestion: number
}

const MOST_GROWTH = 1.5
/** Below this a ratio of two latencies is that of the timer and of other processes. */
const FLOOR_MS = 2
const HASH_COST = { memoryKiB: 19 * 1_024, passes: 2, lanes: 1 }
/** Companies that are linked and synced at each size. */
const MOST_MEMBERS = 40

/** Latencies of what must not grow with a deployment, at each size; one instance has all the companies. */
export async function benchScale(effort: ScaleEffort): Promise<Figure[]> {
  const bank = openBank(effort.accounts, effort.transactions)
  const deployment = await openDeployment(bank)
  const running: BenchServer[] = []
  try {
    const scope = await openLender(deployment)
    const token = await logIn(deployment, scope.instanceId)
    const server = await startServer('countinghouse', {
      databaseUrl: deployment.databaseUrl,
      dataDir: deployment.dataDir,
      pageCacheBytes: 0,
    })
    running.push(server)
    const results = new Map<string, Latency[]>()
    const figures: Figure[] = []
    let filled = 0
    for (const size of effort.companies) {
      figures.push(...(await grow(deployment, scope, filled, size)))
      filled = size
      await measureAll(deployment, scope, { server, token, size, effort }, results)
      for (const [name, latencies] of results)
        printProgress(`  ${name}: ${latencies.map(({ p50Ms, p99Ms }) => `${p50Ms.toFixed(1)}/${p99Ms.toFixed(1)}`).join('  ')}`)
    }
    return [...figures, ...[...results].map(([name, latencies]) => toFigure(name, latencies))]
  } finally {
    for (const server of running) await server.close()
    await deployment.close()
  }
}

/** The lender, with a subscription and one synced company, the template of the crowd. */
async function openLender(deployment: Deployment): Promise<CrowdScope> {
  const { database, serviceId } = deployment
  const instanceId = randomUUID()
  await createInstance(database, { id: instanceId, name: 'Large lender' })
  for (const name of ['companies', 'connections', 'storedBytes'])
    await database.query('insert into instance_quotas (instance_id, name, bound) values ($1, $2, $3)', [instanceId, name, 1e12])
  const subscriptionId = randomUUID()
  await insertSubscription(database, instanceId, subscriptionId, { event: 'NormalizedData', callbackUrl: 'https://receiver.example/hook' })
  const template = await addMember(deployment, instanceId, 'template')
  await syncTenant(deployment, template)
  return { instanceId, serviceId, connectorKey: 'bench-bank', companyId: template.companyId, subscriptionId }
}

async function logIn({ database, keys, sync }: Deployment, instanceId: string): Promise<string> {
  const settings = defaultApiSettings(BASE_URL)
  const log = createLog({ level: 'silent' })
  const access = createAccess({ database, keys, sealer: sync.sealer, log, settings, providers: NO_PROVIDERS, now: sync.now })
  const account = { email: 'admin@example.com', name: 'Admin', role: 'admin', password: 'violet-harbour-teapot-91' } as const
  const user = await createUser({ database, hashing: new PasswordHashing(HASH_COST), now: sync.now }, instanceId, account)
  return (await openSession(access, database, user, null)).accessToken
}

async function grow(deployment: Deployment, scope: CrowdScope, from: number, to: number): Promise<Figure[]> {
  const startedMs = performance.now()
  const database = openDatabase(deployment.databaseUrl, { max: 1 })
  try {
    await database.query(`set statement_timeout = 0; set synchronous_commit = off`)
    await addCrowd(database, scope, from + 1, to, (done) => {
      if (done % 10_000 === 0) printProgress(`scale: ${done} of ${to} companies, ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`)
    })
    // Records are read by their heap rows, so that only the others need a visibility map.
    for (const { table } of CROWD_TABLES)
      await database.query(table === 'record_versions' ? `analyze ${table}` : `vacuum (analyze) ${table}`)
    const { rows } = await database.query<{ count: string }>(
      'select sum(reltuples)::bigint::text as count from pg_class where relname = $1',
      ['record_versions'],
    )
    const gigabytes = (await databaseBytes(database)) / 1e9
    const seconds = (performance.now() - startedMs) / 1_000
    return [
      untargeted(
        `${to.toLocaleString('en-US')} companies: records; GB; s to fill; load of the machine`,
        `${Number(rows[0]?.count).toLocaleString('en-US')}; ${gigabytes.toFixed(1)}; ${seconds.toFixed(0)}; ${(loadavg()[0] ?? 0).toFixed(1)}`,
      ),
    ]
  } finally {
    await database.end()
  }
}

interface Measuring {
  server: BenchServer
  token: string
  size: number
  effort: ScaleEffort
}

async function measureAll(deployment: Deployment, scope: CrowdScope, at: Measuring, results: Map<string, Latency[]>): Promise<void> {
  const most = { samples: at.effort.samples, ms: at.effort.msPerQuestion }
  const add = (name: string, latency: Latency): void => {
    results.set(name, [...(results.get(name) ?? []), latency])
  }
  const companyId = (number: number): string => toCompanyId(1 + ((number * 7_919) % at.size))
  for (const question of listQuestions({ serviceId: scope.serviceId, companyId }))
    add(question.name, await timeQuestion((nth) => ask(at, question, nth), most))
  await measureSyncs(deployment, scope, at, add)
}

async function measureSyncs(
  deployment: Deployment,
  scope: CrowdScope,
  { size, effort }: Measuring,
  add: (name: string, latency: Latency) => void,
): Promise<void> {
  const members: Awaited<ReturnType<typeof addMember>>[] = []
  const firstMs: number[] = []
  const refreshMs: number[] = []
  const timed = async (into: number[], member: Tenant): Promise<void> => {
    const startedMs = performance.now()
    await syncTenant(deployment, member)
    into.push(performance.now() - startedMs)
  }
  for (let nth = 0; nth < Math.min(effort.samples, MOST_MEMBERS); nth++) {
    const member = await addMember(deployment, scope.instanceId, `member-${size}-${nth}`)
    await timed(firstMs, member)
    members.push(member)
  }
  for (const member of members) await timed(refreshMs, member)
  add('link', toLatency(members.map(({ times }) => times.issueMs)))
  add('opening a link', toLatency(members.map(({ times }) => times.openMs)))
  add('authorization', toLatency(members.map(({ times }) => times.authorizeMs)))
  add('first sync', toLatency(firstMs))
  add('refresh', toLatency(refreshMs))
}

async function ask({ server, token, size }: Measuring, { path }: Question, nth: number): Promise<void> {
  const address = `http://127.0.0.1:${server.port}/admin/api/v1${path(1 + ((nth * 104_729) % size))}`
  const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${address} answered ${response.status}: ${body.slice(0, 300)}`)
}

function toFigure(name: string, latencies: readonly Latency[]): Figure {
  const shown = latencies.map(({ p99Ms }) => p99Ms.toFixed(1)).join(' → ')
  const growth = growthOf(latencies)
  const figure = atMost(`${name}: p99 growth`, growth, MOST_GROWTH)
  return { ...figure, measured: `${figure.measured} (${shown} ms)` }
}

/** How many times the last latency is the first. */
function growthOf(latencies: readonly Latency[]): number {
  const [first, last] = [latencies[0], latencies.at(-1)]
  return first && last ? Math.max(FLOOR_MS, last.p99Ms) / Math.max(FLOOR_MS, first.p99Ms) : Number.NaN
}
