import { createAccess } from '../../src/api/access/access.ts'
import { createUser } from '../../src/api/access/account/user-accounts.ts'
import { PasswordHashing } from '../../src/api/access/passwords/password-hashing.ts'
import { openSession } from '../../src/api/access/sessions.ts'
import { defaultApiSettings } from '../../src/api/context/settings.ts'
import { createLog } from '../../src/process/log.ts'
import { NO_PROVIDERS } from '../../test/harness/app/api-deps.ts'
import { openBank } from '../bank/bank.ts'
import { BASE_URL, type Deployment, syncTenant } from '../deployment.ts'
import { atMost, type Figure, untargeted } from '../figures.ts'
import { printProgress } from '../progress.ts'
import { type BenchServer, startServer } from '../servers/start.ts'
import { toCompanyId } from './crowd.ts'
import { type Latency, timeInTurns, toLatency } from './measure.ts'
import { addMember } from './member.ts'
import { measurePeriodicWork } from './periodic.ts'
import { listQuestions, type Question } from './questions.ts'
import { openSizes, type Size } from './sizes.ts'

/** Sizes of the measurement. */
export interface ScaleEffort {
  /** Numbers of companies, ascending: a database each. */
  companies: readonly number[]
  /** Accounts and transactions of a company. */
  accounts: number
  transactions: number
  /** Requests of each question at each size, and the time for them at all sizes; whichever is reached first. */
  samples: number
  msPerQuestion: number
  /** Folder of the databases, kept between runs; null: a temporary one. */
  folder: string | null
  /** Parts of the names of the questions to ask, between `|`; null: all. An empty text: none, the databases are only filled. */
  matching: string | null
}

const MOST_GROWTH = 1.5
/** Below this a ratio of two latencies is that of the timer and of other processes. */
const FLOOR_MS = 2
const HASH_COST = { memoryKiB: 19 * 1_024, passes: 2, lanes: 1 }
/** Thousands of requests at each size may take hours. */
const MOST_TOKEN_MINUTES = 24 * 60
/** Companies that are linked and synced at each size; they stay in a database that is kept. */
const MOST_MEMBERS = 40
const SYNCS = 'links and syncs'
const PERIODIC = 'periodic work'

/** One database size with its own server. */
interface Asked extends Size {
  server: BenchServer
  token: string
  /** Questions that this size refuses, because too many rows would have to be looked at. */
  refused: Set<string>
}

/** Latencies of what must not grow with a deployment, asked of all sizes in turns; one instance has all companies of a size. */
export async function benchScale(effort: ScaleEffort): Promise<Figure[]> {
  const { sizes, close } = await openSizes(openBank(effort.accounts, effort.transactions), effort.companies, effort.folder)
  const asked: Asked[] = []
  try {
    for (const size of sizes) asked.push(await openServer(size))
    const figures = sizes.map(toSizeFigure)
    for (const question of listQuestions(toCompanyId).filter(({ name }) => isWanted(effort, name))) {
      const latencies = await timeInTurns(
        asked.map((size) => (nth) => ask(size, question, nth)),
        { samples: effort.samples, ms: effort.msPerQuestion },
      )
      figures.push(toFigure(question.name, latencies, asked))
    }
    if (isWanted(effort, SYNCS)) figures.push(...(await measureSyncs(asked, effort)))
    if (isWanted(effort, PERIODIC)) figures.push(...(await measurePeriodicWork(sizes)))
    return figures
  } finally {
    for (const { server } of asked) await server.close()
    await close()
  }
}

function isWanted({ matching }: ScaleEffort, name: string): boolean {
  return matching === null || (matching !== '' && matching.split('|').some((part) => name.includes(part)))
}

async function openServer(size: Size): Promise<Asked> {
  const { databaseUrl, dataDir } = size.deployment
  const token = await logIn(size.deployment, size.scope.instanceId)
  const server = await startServer('countinghouse', { databaseUrl, dataDir, pageCacheBytes: 0 })
  return { ...size, server, token, refused: new Set() }
}

async function logIn({ database, keys, sync }: Deployment, instanceId: string): Promise<string> {
  const settings = { ...defaultApiSettings(BASE_URL), accessTokenMinutes: MOST_TOKEN_MINUTES }
  const log = createLog({ level: 'silent' })
  const access = createAccess({ database, keys, sealer: sync.sealer, log, settings, providers: NO_PROVIDERS, now: sync.now })
  const email = `admin-${crypto.randomUUID()}@example.com`
  const account = { email, name: 'Admin', role: 'admin', password: 'violet-harbour-teapot-91' } as const
  const user = await createUser({ database, hashing: new PasswordHashing(HASH_COST), now: sync.now }, instanceId, account)
  return (await openSession(access, database, user, null, { proofWay: 'password', lifeMs: null })).accessToken
}

async function measureSyncs(asked: readonly Asked[], effort: ScaleEffort): Promise<Figure[]> {
  const names = ['link', 'opening a link', 'authorization', 'first sync', 'refresh'] as const
  const times = asked.map(() => names.map((): number[] => []))
  for (let nth = 0; nth < Math.min(effort.samples, MOST_MEMBERS); nth++) {
    for (const [place, { deployment, scope }] of asked.entries()) {
      const member = await addMember(deployment, scope.instanceId, `member-${crypto.randomUUID()}`)
      const marks = [performance.now()]
      for (const _ of ['first', 'again']) {
        await syncTenant(deployment, member)
        marks.push(performance.now())
      }
      const [startedMs = 0, firstMs = 0, againMs = 0] = marks
      const { issueMs, openMs, authorizeMs } = member.times
      const all = [issueMs, openMs, authorizeMs, firstMs - startedMs, againMs - firstMs]
      for (const [index, ms] of all.entries()) times[place]?.[index]?.push(ms)
    }
  }
  return names.map((name, index) =>
    toFigure(
      name,
      times.map((ofSize) => toLatency(ofSize[index] ?? [])),
      asked,
    ),
  )
}

async function ask({ server, token, companies, scope, refused }: Asked, { name, path }: Question, nth: number): Promise<void> {
  const address = `http://127.0.0.1:${server.port}/admin/api/v1${path(1 + ((nth * 104_729) % companies), scope.serviceId)}`
  const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
  const body = await response.text()
  if (response.status === 400 && body.includes('would have to look at')) refused.add(name)
  else if (response.status !== 200) throw new Error(`${address} answered ${response.status}: ${body.slice(0, 300)}`)
}

function toSizeFigure({ companies, filled: { records, gigabytes, seconds, load } }: Size): Figure {
  return untargeted(
    `${companies.toLocaleString('en-US')} companies: records; GB; s to fill; load of the machine then`,
    `${records.toLocaleString('en-US')}; ${gigabytes.toFixed(2)}; ${seconds.toFixed(0)}; ${load.toFixed(1)}`,
  )
}

function toFigure(name: string, latencies: readonly Latency[], asked: readonly Asked[]): Figure {
  const refused = asked.filter((size) => size.refused.has(name)).map(({ companies }) => companies.toLocaleString('en-US'))
  const shown = latencies.map(({ p50Ms, p99Ms }) => `${p50Ms.toFixed(1)}/${p99Ms.toFixed(1)}`).join(' → ')
  const growth = growthOf(latencies, ({ p99Ms }) => p99Ms)
  const figure = atMost(`${name}: p99 growth`, growth, MOST_GROWTH)
  const note = refused.length > 0 ? `; refused at ${refused.join(' and ')}` : ''
  const ofMedian = growthOf(latencies, ({ p50Ms }) => p50Ms).toFixed(2)
  const measured = `${figure.measured}; p50 growth ${ofMedian} (p50/p99: ${shown} ms, ${latencies[0]?.samples ?? 0} each${note})`
  printProgress(`  ${name}: ${measured}`)
  return { ...figure, measured }
}

/** How many times the last latency is the first. */
function growthOf(latencies: readonly Latency[], at: (latency: Latency) => number): number {
  const [first, last] = [latencies[0], latencies.at(-1)]
  return first && last ? Math.max(FLOOR_MS, at(last)) / Math.max(FLOOR_MS, at(first)) : Number.NaN
}
