import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/store/db/database.ts'
import { examineReplica, readPrimaryFacts } from '../../src/store/db/replicas/replica-facts.ts'
import { until, within } from '../process/deadline.ts'
import { lacksReplication, type PostgresServer, type ReplicatedPostgres, replicationNote } from './cluster.ts'
import { CutNetwork } from './cut-network.ts'
import { openCounters, ReadingProcess, SlowRead } from './replica-harness.ts'

const BOUND_MS = 1_500

/** Kinds of timers of the connections of this machine to an address; `02`: keep-alive. See proc(5), `/proc/net/tcp`. */
async function timersTo(address: string): Promise<string[]> {
  const remote = `0100007F:${Number(address.split(':')[1]).toString(16).toUpperCase().padStart(4, '0')}`
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/))
  return lines.filter(([, , to, state]) => to === remote && state === '01').map((fields) => fields[5]?.split(':')[0] ?? '')
}

describe.skipIf(lacksReplication)(`replicas that fail${replicationNote}`, () => {
  let cluster: ReplicatedPostgres
  let primary: Database
  let instanceId: string
  let replica: PostgresServer
  const processes: ReadingProcess[] = []
  const networks: CutNetwork[] = []
  let slow: SlowRead | null = null

  beforeAll(async () => {
    const opened = await openCounters()
    cluster = opened.cluster
    primary = opened.primary
    instanceId = opened.instanceId
    replica = await cluster.addReplica(cluster.primary, ['hot_standby_feedback = off', 'max_standby_streaming_delay = 0'])
  }, 120_000)
  afterEach(async () => {
    await slow?.release()
    slow = null
    for (const process of processes.splice(0)) await process.close()
    for (const network of networks.splice(0)) await network.close()
  })
  afterAll(async () => {
    await primary?.end()
    await cluster?.close()
  }, 60_000)

  function open(url = replica.url, options: ConstructorParameters<typeof ReadingProcess>[3] = {}): ReadingProcess {
    const process = new ReadingProcess(primary, instanceId, url, options)
    processes.push(process)
    return process
  }

  /** Way to the replica that can be cut. */
  async function openNetwork(): Promise<{ network: CutNetwork; address: string }> {
    const network = new CutNetwork(replica.port)
    networks.push(network)
    return { network, address: await network.open() }
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
    const { network, address } = await openNetwork()
    const process = open(`postgres://countinghouse@${address}/countinghouse`)
    await process.set(randomUUID(), 'cut', 3)
    await process.awaitAnswerOf(address)
    network.cut()
    // Otherwise it would wait for as long as TCP does, a quarter of an hour.
    expect(await within('the primary answers', process.get(randomUUID(), 'cut'))).toMatchObject({ value: 3, by: 'primary' })
    await until('it is left alone', () => (process.replicas.servers[0]?.state.phase === 'lost' ? true : null))
    const before = process.reasons.length
    expect((await process.get(randomUUID(), 'cut')).by).toBe('primary')
    expect(process.reasons.slice(before)).toEqual(['none'])
    network.heal()
    await process.awaitAnswerOf(address)
  })

  it('one that opens no new connection is busy, and goes on with the reads that it has', async () => {
    const { network, address } = await openNetwork()
    const process = open(`postgres://countinghouse@${address}/countinghouse`)
    await process.set(randomUUID(), 'slow', 5)
    await process.awaitAnswerOf(address)
    slow = await SlowRead.hold(replica)
    const read = process.run(randomUUID(), slow.query)
    await slow.awaitWaiting()
    network.cutForNew()
    expect(await process.get(randomUUID(), 'slow')).toMatchObject({ value: 5, by: 'primary' })
    expect(process.reasons.at(-1)).toBe('busy')
    await slow.release()
    expect(await read).toMatchObject({ value: 5, by: address })
  })

  it('is watched as long as a read is under way there, and kept open by TCP', async () => {
    let nowMs = 0
    const { network, address } = await openNetwork()
    const process = open(`postgres://countinghouse@${address}/countinghouse`, { elapsedMs: () => nowMs })
    await process.set(randomUUID(), 'slow', 6)
    await process.awaitAnswerOf(address)
    await until('its connections are kept open', async () => ((await timersTo(address)).join() === '02,02' ? true : null))
    slow = await SlowRead.hold(replica)
    const read = process.run(randomUUID(), slow.query)
    await slow.awaitWaiting()
    nowMs += 100_000
    const newest = async () => (await primary.query<{ at: Date }>('select max(written_at) as at from read_marks')).rows[0]?.at.getTime()
    const before = [await newest(), process.reasons.length]
    await until('it is still watched', async () => ((await newest()) === before[0] ? null : true))
    // The read has not ended meanwhile, which would begin the watch again.
    expect(process.reasons.length).toBe(before[1])
    network.cut()
    expect(await read).toMatchObject({ value: 6, by: 'primary' })
  })

  it('that is silent keeps no process from ending', async () => {
    const { network, address } = await openNetwork()
    const process = open(`postgres://countinghouse@${address}/countinghouse`)
    await process.set(randomUUID(), 'slow', 7)
    await process.awaitAnswerOf(address)
    const before = process.changes.length
    slow = await SlowRead.hold(replica)
    const read = process.run(randomUUID(), slow.query)
    await slow.awaitWaiting()
    network.cut()
    await within('it closes', process.close())
    expect(await read).toMatchObject({ value: 7, by: 'primary' })
    expect(process.phasesSince(before)).toEqual([])
  })

  it('a statement that somebody cancels there fails for its caller, and is not asked again', async () => {
    const process = open()
    await process.set(randomUUID(), 'slow', 8)
    await process.awaitAnswerOf(replica.address)
    slow = await SlowRead.hold(replica)
    const before = process.reasons.length
    const read = process.run(randomUUID(), slow.query).catch((error: unknown) => error)
    await slow.awaitWaiting()
    await replica.admin(`select pg_cancel_backend(pid) from pg_locks where locktype = 'advisory' and not granted`)
    expect([await read, process.reasons.slice(before)]).toMatchObject([{ code: '57014' }, []])
  })

  it('doctor names one that answers no query', async () => {
    const { network, address } = await openNetwork()
    network.cutAt('pg_is_in_recovery')
    const facts = await examineReplica(`postgres://countinghouse@${address}/countinghouse`, {
      primary: await readPrimaryFacts(primary),
      timeoutMs: 1_000,
    })
    expect(facts).toMatchObject({ name: address, error: 'Query read timeout' })
  })

  it('a replica that was promoted, and one that follows it on another timeline, are left alone', async () => {
    const follower = await cluster.addReplica(replica)
    const url = `postgres://countinghouse@${replica.address},${follower.address}/countinghouse`
    const process = open(url, { maxStalenessMs: BOUND_MS })
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
      return process.replicas.servers.map(({ state }) => state.phase).join() === 'refused,behind' ? true : null
    })
    expect(await process.get(randomUUID(), 'promoted')).toMatchObject({ value: 2, by: 'primary' })
  })
})
