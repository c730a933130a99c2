import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { createApi } from '../../src/api/server.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { upgradeSchema } from '../../src/store/db/migrate.ts'
import { Replicas } from '../../src/store/db/replicas/replicas.ts'
import { apiDeps } from '../../test/harness/app/api-deps.ts'
import { SILENT, sourcesWithKits, syncDeps } from '../../test/harness/app/sync-deps.ts'
import { addCompany, addInstance } from '../../test/harness/app/tenants.ts'
import { addUser, tokenOf } from '../../test/harness/app/users.ts'
import { testKeys } from '../../test/harness/keys.ts'
import { until } from '../../test/process/deadline.ts'
import { lacksReplication, ReplicatedPostgres } from '../../test/replicas/cluster.ts'
import { atLeast, atMost, type Figure, untargeted } from '../figures.ts'
import type { Effort } from '../options.ts'
import { printProgress } from '../progress.ts'
import { median, spread } from '../statistics.ts'

const AT_ONCE = 8
const NO_LIMITS = { perSession: 0, perInstance: 0, perNetwork: 0 }
/** A look at each company of the instance. */
const LIST = `/admin/api/v1/normalized-data/companies?${new URLSearchParams({ FilterQuery: 'name ~ "plateau"', PageSize: '100' })}`

interface Round {
  reads: number
  /** Processor time of all processes of the primary, in ticks of the system. */
  ticksOfPrimary: number
}

/** A list of the portal from a replica, from the primary with replicas set, and without the setting. */
export async function benchReplicas(effort: Effort): Promise<Figure[]> {
  if (lacksReplication) return [untargeted('replicas: needs root and Debian’s postgresql', 'skipped')]
  const cluster = await ReplicatedPostgres.open()
  const database = openDatabase(cluster.primary.url, { max: 16 })
  try {
    await upgradeSchema(database)
    const replica = await cluster.addReplica()
    return await compare(cluster, database, replica.url, effort)
  } finally {
    await database.end()
    await cluster.close()
  }
}

async function compare(cluster: ReplicatedPostgres, database: Database, url: string, effort: Effort): Promise<Figure[]> {
  const replicas = new Replicas(database, { url, maxStalenessMs: 5_000, elapsedMs: () => performance.now(), now: () => new Date() })
  const keys = await testKeys()
  const sync = syncDeps({ database, keys, sources: sourcesWithKits([]), log: SILENT })
  const plain = createApi(apiDeps({ sync, keys, settings: { requestLimits: NO_LIMITS } }))
  const both = createApi(apiDeps({ sync: { ...sync, replicas }, keys, settings: { requestLimits: NO_LIMITS } }))
  try {
    const instanceId = await addInstance(database)
    printProgress(`replicas: ${effort.listedCompanies} companies`)
    for (let added = 0; added < effort.listedCompanies; added += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => addCompany(database, instanceId)))
    const { email } = await addUser(database, instanceId)
    const authorization = `Bearer ${await tokenOf(plain, email)}`
    const pid = await cluster.primary.readPid()
    const measure = (app: FastifyInstance, more: Record<string, string> = {}) => run(app, { authorization, ...more }, effort.seconds, pid)
    await until('the replica serves', async () => {
      await both.inject({ url: LIST, headers: { authorization } })
      return replicas.servers.every(({ state }) => state.phase === 'serving') ? true : null
    })
    const rounds: { without: Round; primary: Round; replica: Round }[] = []
    for (let round = 0; round < effort.rounds; round += 1) {
      printProgress(`replicas: round ${round + 1} of ${effort.rounds}`)
      const without = await measure(plain)
      const primary = await measure(both, { 'cache-control': 'no-cache' })
      rounds.push({ without, primary, replica: await measure(both) })
    }
    return toFigures(rounds)
  } finally {
    await plain.close()
    await both.close()
    await replicas.close()
  }
}

function toFigures(rounds: readonly { without: Round; primary: Round; replica: Round }[]): Figure[] {
  const speed = rounds.map(({ without, replica }) => replica.reads / without.reads)
  const primary = rounds.map(({ without, primary }) => primary.reads / without.reads)
  const load = rounds.map(({ without, replica }) => replica.ticksOfPrimary / replica.reads / (without.ticksOfPrimary / without.reads))
  return [
    atLeast(`a list from a replica, against the primary without replicas (${spread(speed)})`, median(speed), 0.7),
    atLeast(`the same from the primary with replicas set (${spread(primary)})`, median(primary), 0.8),
    atMost(`processor time of the primary for a list from a replica, against one of its own (${spread(load)})`, median(load), 0.3),
  ]
}

async function run(app: FastifyInstance, headers: Record<string, string>, seconds: number, pid: number): Promise<Round> {
  const ticksBefore = ticksOf(pid)
  const endsMs = performance.now() + seconds * 1_000
  let reads = 0
  const read = async (): Promise<void> => {
    while (performance.now() < endsMs) {
      const { statusCode } = await app.inject({ url: LIST, headers })
      if (statusCode !== 200) throw new Error(`a list was answered with ${statusCode}`)
      reads += 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, read))
  return { reads, ticksOfPrimary: ticksOf(pid) - ticksBefore }
}

/**
 * Processor time of a process and its children, of which none ends meanwhile.
 * Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
function ticksOf(pid: number): number {
  let ticks = 0
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const stat = readStat(name)
    const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (name === String(pid) || parent === String(pid)) ticks += Number(rest[9]) + Number(rest[10])
  }
  return ticks
}

/** Empty for a process that has ended. */
function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return ''
  }
}
