import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { upgradeSchema } from '../../src/store/db/migrate.ts'
import { endLeases } from '../../src/store/jobs/leases.ts'
import { READ_LEASE_MS } from '../../src/store/records/publication-changes.ts'
import { toPublicationKey } from '../../src/store/records/publication-key.ts'
import { requestRefresh } from '../../src/sync/connection/connection-actions.ts'
import { openLink } from '../../src/sync/links/link.ts'
import { findFaults } from '../crash/checker.ts'
import { startEngine } from '../crash/engine.ts'
import { type CrashHarness, changeBooks, openCrashHarness } from '../crash/harness.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { Cluster } from './cluster.ts'
import { startKeptReads } from './kept-reads.ts'
import type { ClusterNode } from './node.ts'
import { clusterNote, lacksCluster } from './requirements.ts'

const SEED = Number(process.env.SEED ?? 4711)
const BACK_WITHIN_MS = 30_000
const { leaderKills, leaderCuts } = effort

/** Writes companies and links one by one until stopped; records which were acknowledged, and when the last one was. */
function startWriter(database: Database, harness: CrashHarness) {
  const state = { companies: [] as string[], tokens: [] as string[], refused: 0, acknowledgedAtMs: 0, isStopping: false }
  const write = async (): Promise<void> => {
    const id = randomUUID()
    await addCompany(database, harness.instanceId, { id, name: `Company ${id}` })
    state.companies.push(id)
    state.acknowledgedAtMs = performance.now()
    if (state.companies.length % 5 === 0) state.tokens.push(await harness.link(id))
  }
  const work = (async () => {
    while (!state.isStopping) {
      await write().catch(async () => {
        state.refused += 1
        await wait(20)
      })
      await wait(5)
    }
  })()
  return Object.assign(state, {
    stop: async () => {
      state.isStopping = true
      await work
    },
  })
}

interface Fault {
  name: string
  make(leader: ClusterNode): Promise<void> | void
  /** Undone once the service is back. */
  mend(leader: ClusterNode): Promise<void> | void
}

function listFaults(cluster: Cluster): Fault[] {
  const kills: Fault[] = [
    { name: 'PostgreSQL killed', make: (leader) => leader.killPostgres(), mend: () => undefined },
    { name: 'PostgreSQL and Patroni killed', make: (leader) => leader.killDatabase(), mend: (leader) => leader.startPatroni() },
  ]
  const cuts: Fault[] = [
    { name: 'cut from the others, not from clients', make: (leader) => leader.cutFromOthers(), mend: (leader) => leader.healFromOthers() },
    { name: 'cut from all', make: (leader) => cluster.setLink(leader, 'down'), mend: (leader) => cluster.setLink(leader, 'up') },
  ]
  const pick = (of: readonly Fault[], at: number): Fault[] => of.slice(at % of.length, (at % of.length) + 1)
  const killed = Array.from({ length: leaderKills }, (_, at) => pick(kills, at))
  return [...killed, ...Array.from({ length: leaderCuts }, (_, at) => pick(cuts, at))].flat()
}

describe.skipIf(lacksCluster)(`three nodes under Patroni${clusterNote}`, () => {
  const cluster = openForTests(() => Cluster.open())
  const database = openForTests(
    () => openDatabase(cluster.url(1)),
    (database) => database.end(),
  )
  const byProxy = openForTests(
    async () => openDatabase(await cluster.startProxy()),
    (byProxy) => byProxy.end(),
  )
  let harness: CrashHarness

  beforeAll(async () => {
    await upgradeSchema(database)
    harness = await openCrashHarness(database, cluster.url(1), SEED)
  }, 300_000)
  afterAll(async () => {
    // First: what a failed test left at work ends with errors then, and nobody waits for it.
    await harness?.close()
  }, 120_000)

  it('are one database by any order of their addresses, and none of them while it is a standby', async () => {
    const leader = await cluster.leader()
    const addressOf = async (url: string) => {
      const one = openDatabase(url, { max: 1 })
      const found = await one.query<{ address: string }>('select host(inet_server_addr()) as address').catch((error: unknown) => error)
      await one.end()
      return found instanceof Error ? found.name : (found as { rows: unknown[] }).rows[0]
    }
    for (const first of [1, 2, 3]) expect(await addressOf(cluster.url(first))).toEqual({ address: leader.address })
    for (const node of cluster.nodes.filter((one) => one !== leader)) expect(await addressOf(cluster.urlOf(node))).toBe('NoPrimary')
  })

  it(`lose nothing that was acknowledged while the leader is killed ${leaderKills} times and cut off ${leaderCuts} times`, {
    timeout: 120_000 + (leaderKills + leaderCuts) * 120_000,
  }, async () => {
    for (let round = 0; round < 6; round += 1) changeBooks(harness)
    for (let number = 0; number < 3; number += 1) await harness.connect(await harness.addCompany())
    const engine = startEngine({ ...harness.engineParts, readLeaseMs: READ_LEASE_MS, onError: () => undefined })
    const other = openDatabase(cluster.url(2))
    const writer = startWriter(database, harness)
    const shown = new Map<string, number>()
    const keys = () => harness.companyIds.map((companyId) => toPublicationKey(harness.target(companyId)))
    const readers = [startKeptReads('by several hosts', other, keys, shown), startKeptReads('by HAProxy', byProxy, keys, shown)]
    // All is published and kept once before the first fault.
    await harness.whenDone()
    await until('readers keep what they read', () => (readers.every(({ kept }) => kept > 0) ? true : null))
    const backMs: number[] = []
    for (const fault of listFaults(cluster)) {
      await cluster.whenSynchronous()
      changeBooks(harness)
      for (const companyId of harness.companyIds) await requestRefresh(harness.sync, harness.target(companyId))
      await Promise.race([harness.contacts(1 + harness.random.below(12)), wait(2_000)])
      const leader = await cluster.leader()
      const startedMs = performance.now()
      await fault.make(leader)
      await cluster.leader(60_000, leader)
      const promotedMs = performance.now()
      await until(`writes are acknowledged again (${fault.name})`, () => (writer.acknowledgedAtMs > promotedMs ? true : null), 60_000)
      backMs.push(writer.acknowledgedAtMs - startedMs)
      await endLeases(database)
      await fault.mend(leader)
    }
    await cluster.whenSynchronous()
    await Promise.all([writer.stop(), ...readers.map((reader) => reader.stop())])
    await engine.stop()
    await harness.finish()
    const ofInstance = 'select id from companies where instance_id = $1'
    const { rows } = await unlessAway(() => database.query<{ id: string }>(ofInstance, [harness.instanceId]))
    const found = new Set(rows.map(({ id }) => id))
    const opened: unknown[] = []
    for (const token of writer.tokens) opened.push(await unlessAway(() => openLink(harness.sync, token)))
    expect(writer.companies.filter((id) => !found.has(id))).toEqual([])
    expect(opened.filter((link) => link === null)).toEqual([])
    expect(readers.flatMap(({ stale }) => stale)).toEqual([])
    expect(await unlessAway(() => findFaults(harness))).toEqual([])
    expect(Math.max(...backMs)).toBeLessThan(BACK_WITHIN_MS)
    await other.end()
    const sum = (of: 'kept' | 'asked' | 'failed') => readers.reduce((total, reader) => total + reader[of], 0)
    reportFigure('leader killed, leader cut off', `${leaderKills}, ${leaderCuts}`)
    reportFigure('acknowledged writes and tokens, none lost', writer.companies.length + writer.tokens.length)
    reportFigure('events delivered, none lost', harness.receiver.arrivals.length)
    reportFigure('reads from the cache, from the database, refused; none stale', `${sum('kept')}, ${sum('asked')}, ${sum('failed')}`)
    reportFigure('slowest and median way back to acknowledged writes, s', describeTimes(backMs))
  })
})

/** Asks again where the database is away, as it may be when Patroni changes the leader once more. */
async function unlessAway<T>(ask: () => Promise<T>): Promise<T> {
  const { answer } = await until('the database answers', () =>
    ask().then(
      (answer) => ({ answer }),
      () => null,
    ),
  )
  return answer
}

function describeTimes(ms: readonly number[]): string {
  const sorted = ms.toSorted((a, b) => a - b)
  return [sorted.at(-1) ?? 0, sorted[Math.floor(sorted.length / 2)] ?? 0].map((one) => (one / 1_000).toFixed(1)).join(', ')
}
