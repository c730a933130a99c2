import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/store/db/database.ts'
import { until } from '../process/deadline.ts'
import { lacksReplication, type PostgresServer, type ReplicatedPostgres, replicationNote } from './cluster.ts'
import { CutNetwork } from './cut-network.ts'
import { openCounters, ReadingProcess } from './replica-harness.ts'

const BOUND_MS = 1_500

describe.skipIf(lacksReplication)(`replicas that fail${replicationNote}`, () => {
  let cluster: ReplicatedPostgres
  let primary: Database
  let instanceId: string
  let replica: PostgresServer
  const processes: ReadingProcess[] = []

  beforeAll(async () => {
    const opened = await openCounters()
    cluster = opened.cluster
    primary = opened.primary
    instanceId = opened.instanceId
    replica = await cluster.addReplica(cluster.primary, ['hot_standby_feedback = off', 'max_standby_streaming_delay = 0'])
  }, 120_000)
  afterEach(async () => {
    for (const process of processes.splice(0)) await process.close()
  })
  afterAll(async () => {
    await primary?.end()
    await cluster?.close()
  }, 60_000)

  function open(url = replica.url): ReadingProcess {
    const process = new ReadingProcess(primary, instanceId, url, { maxStalenessMs: BOUND_MS })
    processes.push(process)
    return process
  }

  it('a read that recovery ends is answered by the primary within the same request', async () => {
    const process = open()
    await process.set(randomUUID(), 'conflict', 0)
    await process.awaitAnswerOf(replica.address)
    const slow = process.run(randomUUID(), {
      text: 'select value from counters, pg_sleep(case when pg_is_in_recovery() then 25 else 0 end) where name = $1',
      values: ['conflict'],
    })
    await until('it runs there', async () => {
      const text = `select count(*)::int as count from pg_stat_activity where query like 'select value from counters, pg%' and state = 'active'`
      const [row] = await replica.admin<{ count: number }>(text)
      return (row?.count ?? 0) > 0 ? true : null
    })
    await process.set(randomUUID(), 'conflict', 9)
    await cluster.primary.admin('vacuum counters')
    expect(await slow).toMatchObject({ value: 9, by: 'primary' })
    expect(process.reasons).toContain('conflict')
    // It is well otherwise, and goes on.
    await process.awaitAnswerOf(replica.address)
  })

  it('a cable that is pulled delays a read by seconds at most, and the next ones not at all', async () => {
    const network = new CutNetwork(replica.port)
    const address = await network.open()
    const process = open(`postgres://countinghouse@${address}/countinghouse`)
    await process.set(randomUUID(), 'cut', 3)
    await process.awaitAnswerOf(address)
    network.cut()
    const startedMs = performance.now()
    expect(await process.get(randomUUID(), 'cut')).toMatchObject({ value: 3, by: 'primary' })
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    const before = process.reasons.length
    expect((await process.get(randomUUID(), 'cut')).by).toBe('primary')
    expect(process.reasons.slice(before)).toEqual(['none'])
    network.heal()
    await process.awaitAnswerOf(address)
    await process.close()
    processes.splice(0)
    await network.close()
  })

  it('a replica that was promoted, and one that follows it on another timeline, are left alone', async () => {
    const follower = await cluster.addReplica(replica)
    const process = open(`postgres://countinghouse@${replica.address},${follower.address}/countinghouse`)
    await process.set(randomUUID(), 'promoted', 1)
    await until('both serve', async () => {
      await process.get(randomUUID(), 'promoted')
      return process.replicas.servers.every(({ state }) => state.phase === 'serving') ? true : null
    })
    await replica.admin('select pg_promote()')
    await until('the follower follows', async () => {
      const [row] = await follower.admin<{ timeline: number }>('select received_tli as timeline from pg_stat_wal_receiver')
      return row?.timeline === 2 ? true : null
    })
    // Its own history goes on, so that its log is longer than that of the primary.
    await replica.admin('create table elsewhere as select generate_series(1, 100000) as n')
    await process.set(randomUUID(), 'promoted', 2)
    const changedAt = performance.now()
    await until('they are left alone', async () => {
      const askedAt = performance.now()
      const { value } = await process.get(randomUUID(), 'promoted')
      if (value !== 2) expect(askedAt - changedAt).toBeLessThanOrEqual(BOUND_MS)
      return process.replicas.servers.every(({ mark }) => mark === null) ? true : null
    })
    const [one, two] = process.replicas.servers
    expect([one?.state.phase, two?.state.phase]).toEqual(['refused', 'behind'])
    expect(await process.get(randomUUID(), 'promoted')).toMatchObject({ value: 2, by: 'primary' })
  })
})
