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
import { type KeptReads, startKeptReads, whenKept } from './kept-reads.ts'
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
  /** Of a cut: whether clients still reach the former leader. */
  cut?: 'reachable' | 'unreachable'
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
    {
      ...{ name: 'cut from the others, not from clients', cut: 'reachable' },
      ...{ make: (leader) => leader.cutFromOthers(), mend: (leader) => leader.healFromOthers() },
    },
    {
      ...{ name: 'cut from all', cut: 'unreachable' },
      ...{ make: (leader) => cluster.setLink(leader, 'down'), mend: (leader) => cluster.setLink(leader, 'up') },
    },
  ]
  const pick = (of: readonly Fault[], at: number): Fault[] => of.slice(at % of.length, (at % of.length) + 1)
  const killed = Array.from({ length: leaderKills }, (_, at) => pick(kills, at))
  return [...killed, ...Array.from({ length: leaderCuts }, (_, at) => pick(cuts, at))].flat()
}

/**
 * Makes the fault. After a cut, the cache answers a read at once; where a cut took as long as the leases lasted, it is made
 * anew.
 */
async function makeFault(fault: Fault, leader: ClusterNode, readers: readonly KeptReads[]): Promise<void> {
  if (!fault.cut) return await fault.make(leader)
  await until(`a kept read is answered once the leader is ${fault.name}`, async () => {
    await fault.make(leader)
    if (readers.some((reader) => reader.isKept())) return true
    await fault.mend(leader)
    await whenKept(readers, `before a cut is made anew (${fault.name})`, performance.now())
    return null
  })
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

  it(`lose nothing that was acknowledged, and keep pages while they are fresh: leader killed ${leaderKills} times, cut off ${leaderCuts} times`, {
    timeout: 120_000 + (leaderKills + leaderCuts) * 120_000,
  }, async () => {
    for (let round = 0; round < 6; round += 1) changeBooks(harness)
    for (let number = 0; number < 3; number += 1) await harness.connect(await harness.addCompany())
    const unchanged = harness.target(await harness.addCompany())
    await harness.connect(unchanged.companyId)
    const changing = harness.companyIds.filter((companyId) => companyId !== unchanged.companyId)
    const engine = startEngine({ ...harness.engineParts, readLeaseMs: READ_LEASE_MS, onError: () => undefined })
    const other = openDatabase(cluster.url(2))
    const writer = startWriter(database, harness)
    const publications = {
      keys: harness.companyIds.map((companyId) => toPublicationKey(harness.target(companyId))),
      ...{ unchangedKey: toPublicationKey(unchanged), shown: new Map<string, number>() },
    }
    const readers = [startKeptReads('by several hosts', other, publications), startKeptReads('by HAProxy', byProxy, publications)]
    // All is published before the first fault.
    await harness.whenDone()
    const backMs: number[] = []
    const keptAfterCuts: number[] = []
    const keptOf = (server: string) => readers.reduce((total, { keptByServer }) => total + (keptByServer.get(server) ?? 0), 0)
    for (const fault of listFaults(cluster)) {
      await cluster.whenSynchronous()
      const [former = ''] = await whenKept(readers, `before a fault (${fault.name})`, performance.now())
      changeBooks(harness)
      for (const companyId of changing) await requestRefresh(harness.sync, harness.target(companyId))
      await Promise.race([harness.contacts(1 + harness.random.below(12)), wait(2_000)])
      const leader = await cluster.leader()
      const startedMs = performance.now()
      await makeFault(fault, leader, readers)
      const keptBefore = keptOf(former)
      if (fault.cut === 'reachable')
        expect(await whenKept(readers, `while the leader is ${fault.name}`, performance.now())).toEqual([former])
      await cluster.leader(60_000, leader)
      const promotedMs = performance.now()
      if (fault.cut) keptAfterCuts.push(keptOf(former) - keptBefore)
      await until(`writes are acknowledged again (${fault.name})`, () => (writer.acknowledgedAtMs > promotedMs ? true : null), 60_000)
      backMs.push(writer.acknowledgedAtMs - startedMs)
      // Before the mend: a former leader that is cut off must not be asked any more.
      expect(await whenKept(readers, `at the new leader (${fault.name})`, promotedMs)).not.toContain(former)
      await endLeases(database)
      await fault.mend(leader)
    }
    await cluster.whenSynchronous()
    await whenKept(readers, 'after the last fault', performance.now())
    // It has to be what the source has in the end, too.
    await unlessAway(() => requestRefresh(harness.sync, unchanged))
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
    const faulty = readers.flatMap(({ stale, late, missed }) => [stale, late, missed])
    expect(faulty.flatMap((found) => found.slice(0, 5))).toEqual([])
    expect(await unlessAway(() => findFaults(harness))).toEqual([])
    expect(Math.max(...backMs)).toBeLessThan(BACK_WITHIN_MS)
    await other.end()
    const sum = (of: 'kept' | 'asked' | 'failed') => readers.reduce((total, reader) => total + reader[of], 0)
    reportFigure('leader killed, leader cut off', `${leaderKills}, ${leaderCuts}`)
    reportFigure('acknowledged writes and tokens, none lost', writer.companies.length + writer.tokens.length)
    reportFigure('events delivered, none lost', harness.receiver.arrivals.length)
    reportFigure('reads from the cache, from the database, refused; none stale', `${sum('kept')}, ${sum('asked')}, ${sum('failed')}`)
    reportFigure('reads from the cache after each cut, by leases of the former leader', keptAfterCuts.join(', '))
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
