import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/store/db/database.ts'
import { LOG_START } from '../../src/store/db/replicas/positions.ts'
import { until } from '../process/deadline.ts'
import { lacksReplication, type PostgresServer, type ReplicatedPostgres, replicationNote } from './cluster.ts'
import { openCounters, ReadingProcess, SlowRead } from './replica-harness.ts'

describe.skipIf(lacksReplication)(`reads from replicas${replicationNote}`, () => {
  let cluster: ReplicatedPostgres
  let primary: Database
  let instanceId: string
  let replica: PostgresServer
  const processes: ReadingProcess[] = []
  let slow: SlowRead | null = null
  const session = '11111111-1111-4111-8111-111111111111'

  beforeAll(async () => {
    const opened = await openCounters()
    cluster = opened.cluster
    primary = opened.primary
    instanceId = opened.instanceId
    primary.on('error', () => undefined)
    replica = await cluster.addReplica()
  }, 120_000)
  afterEach(async () => {
    // A test that failed leaves no other without its replica.
    await slow?.release()
    slow = null
    await replica?.start()
    await applyAtOnce()
    await replica?.resumeReplay()
    for (const process of processes.splice(0)) await process.close()
  })
  afterAll(async () => {
    await primary?.end()
    await cluster?.close()
  }, 60_000)

  async function applyAtOnce(): Promise<void> {
    await replica?.admin('alter system reset recovery_min_apply_delay')
    await replica?.admin('select pg_reload_conf()')
  }

  function open(url = replica.url, options: ConstructorParameters<typeof ReadingProcess>[3] = {}): ReadingProcess {
    const process = new ReadingProcess(primary, instanceId, url, options)
    processes.push(process)
    return process
  }

  it('go to a replica that is fresh, in the scope of the instance', async () => {
    const process = open()
    await process.set(session, 'scope', 1)
    await process.awaitAnswerOf(replica.address)
    await until('the replica has it', async () => ((await process.get(session, 'scope')).by === replica.address ? true : null))
    expect(await process.get(session, 'scope')).toMatchObject({ value: 1, by: replica.address })
    const other = new ReadingProcess(primary, randomUUID(), replica.url)
    processes.push(other)
    await other.awaitAnswerOf(replica.address)
    expect(await other.get(randomUUID(), 'scope')).toMatchObject({ value: -1, by: replica.address })
  })

  it('see what the session changed in another process, although the replica does not have it yet', async () => {
    const [writer, reader] = [open(), open()]
    await writer.set(session, 'own', 1)
    await reader.awaitAnswerOf(replica.address)
    await replica.pauseReplay()
    await writer.set(session, 'own', 2)
    expect(await reader.get(session, 'own')).toMatchObject({ value: 2, by: 'primary' })
    // A stranger's reads go on at the replica, within the bound.
    expect(await reader.get(randomUUID(), 'own')).toMatchObject({ value: 1, by: replica.address })
    await replica.resumeReplay()
    await until('its reads return', async () => ((await reader.get(session, 'own')).by === replica.address ? true : null))
    expect(await reader.get(session, 'own')).toMatchObject({ value: 2 })
  })

  it('go to the primary once the replica is older than the bound, and return when it has caught up', async () => {
    const process = open(replica.url, { maxStalenessMs: 1_000 })
    await process.set(randomUUID(), 'bound', 1)
    await process.awaitAnswerOf(replica.address)
    await replica.pauseReplay()
    const changedAt = performance.now()
    await process.set(randomUUID(), 'bound', 2)
    const staleForMs = await until('the primary answers', async () => {
      const askedAt = performance.now()
      const { value, by } = await process.get(randomUUID(), 'bound')
      if (value === 1) expect(askedAt - changedAt).toBeLessThanOrEqual(1_000)
      return by === 'primary' && value === 2 ? askedAt - changedAt : null
    })
    expect(staleForMs).toBeGreaterThan(0)
    await until('it is named', async () => process.changes.find(({ state }) => state.phase === 'behind') ?? null)
    await replica.resumeReplay()
    await process.awaitAnswerOf(replica.address)
    await until('it is named as back', () => (process.changes.at(-1)?.state.phase === 'serving' ? true : null))
  })

  it('never go back in time from what the session has read, told by another process', async () => {
    const [one, two] = [open(), open()]
    await one.set(randomUUID(), 'series', 1)
    await Promise.all([one.awaitAnswerOf(replica.address), two.awaitAnswerOf(replica.address)])
    await replica.pauseReplay()
    await one.set(session, 'series', 2)
    const first = await one.get(session, 'series')
    expect(first).toMatchObject({ value: 2, by: 'primary' })
    const stranger = randomUUID()
    expect(await two.get(stranger, 'series')).toMatchObject({ value: 1, by: replica.address })
    expect(await two.get(stranger, 'series', first.readUntil)).toMatchObject({ value: 2, by: 'primary' })
    // From now on without being told: this process knows.
    expect(await two.get(stranger, 'series')).toMatchObject({ value: 2, by: 'primary' })
    await replica.resumeReplay()
  })

  it('fall back to the primary within the same request when the replica is killed, and return to it', async () => {
    let nowMs = 0
    const process = open(replica.url, { maxStalenessMs: 1_000, elapsedMs: () => nowMs })
    await process.set(session, 'slow', 7)
    await process.awaitAnswerOf(replica.address)
    const before = process.changes.length
    slow = await SlowRead.hold(replica)
    const { query } = slow
    const reads = [1, 2, 3].map(() => process.run(randomUUID(), query))
    await slow.awaitWaiting(3)
    await replica.admin(`alter system set recovery_min_apply_delay = '1h'`)
    await replica.kill()
    expect((await Promise.all(reads)).map(({ value }) => value)).toEqual([7, 7, 7])
    expect(await process.get(session, 'slow')).toMatchObject({ value: 7, by: 'primary' })
    // Named once with what went wrong, however many reads it breaks and however often it is asked in vain.
    const [lost] = process.changes.slice(before)
    expect(lost).toMatchObject({
      name: replica.address,
      state: { phase: 'lost', reason: expect.not.stringContaining('no longer answers') },
    })
    expect(process.replicas.servers[0]?.state).toEqual(lost?.state)
    // What it shows first is old: it is behind before it is back.
    nowMs += 5_000
    await replica.start()
    await until('it is behind', async () => {
      await process.get(session, 'slow')
      return process.replicas.servers[0]?.state.phase === 'behind' ? true : null
    })
    await applyAtOnce()
    await process.awaitAnswerOf(replica.address)
    expect(process.phasesSince(before)).toEqual(['lost', 'serving'])
  })

  it('see the session’s own changes after the primary crashed, which forgets who changed what', async () => {
    const [writer, reader] = [open(), open()]
    await reader.awaitAnswerOf(replica.address)
    await replica.pauseReplay()
    await writer.set(session, 'crash', 5)
    await cluster.primary.kill()
    await cluster.primary.start()
    const { value } = await until('the primary answers', async () => await reader.get(session, 'crash').catch(() => null))
    expect(value).toBe(5)
    await replica.resumeReplay()
    await reader.awaitAnswerOf(replica.address)
  })

  it('of the primary given as a replica are refused, and it is named', async () => {
    const process = open(cluster.primary.url)
    await process.get(session, 'any')
    await until('it is named', () => (process.changes.length > 0 ? true : null))
    expect((await process.get(session, 'any')).by).toBe('primary')
    expect(process.changes).toMatchObject([{ name: cluster.primary.address, state: { phase: 'refused' } }])
  })

  it('write nothing while nobody reads, keep no connection for it, and go on without a word', async () => {
    let nowMs = 0
    const process = open(replica.url, { maxStalenessMs: 1_000, elapsedMs: () => nowMs })
    await process.awaitAnswerOf(replica.address)
    nowMs += 20_000
    await until('it rests', () => (process.replicas.isWatching ? null : true))
    const marks = async () => (await primary.query('select slot, id from read_marks order by slot')).rows
    const before = await marks()
    const idle = open()
    for (let change = 0; change < 50; change += 1) await idle.set(randomUUID(), 'idle', change)
    expect(await marks()).toEqual(before)
    await until('the connection of probes is closed', async () => {
      const text = `select from pg_stat_activity where application_name = 'countinghouse replica watch'`
      return (await replica.admin(text)).length === 0 ? true : null
    })
    // The marks of the new watch are not there at once, which says nothing about the replica.
    await replica.pauseReplay()
    await process.get(session, 'idle')
    await until('it was probed', async () => {
      const text = `select from pg_stat_activity where application_name = 'countinghouse replica watch' and query like '%read_marks%'`
      return (await replica.admin(text)).length === 1 ? true : null
    })
    await replica.resumeReplay()
    await process.awaitAnswerOf(replica.address)
    expect(process.phasesSince(0)).toEqual(['serving'])
  })

  it('ignore what a session has read in another history, as before an older backup was restored', async () => {
    const process = open()
    await process.set(randomUUID(), 'restored', 1)
    for (const server of [replica, cluster.primary]) await server.backUp()
    await process.awaitAnswerOf(replica.address)
    // Each time to the beginning of the next 16 MB.
    for (const value of [2, 3]) {
      await process.set(randomUUID(), 'restored', value)
      await cluster.primary.admin('select pg_switch_wal()')
    }
    const lost = await process.get(session, 'restored')
    for (const server of [cluster.primary, replica]) await server.restore()
    const read = async () => await process.get(session, 'restored').catch(() => null)
    const { value, readUntil } = await until('the replica answers the session', async () => {
      const answer = await read()
      return answer?.by === replica.address ? answer : null
    })
    expect([value, readUntil < lost.readUntil]).toEqual([1, true])
    // Programs may still send what they were told before.
    const told = await process.get(session, 'restored', lost.readUntil)
    expect([told.value, told.readUntil < lost.readUntil]).toEqual([1, true])
  })

  it('ignore a note of changes that came with a dump of another server', async () => {
    const process = open()
    const text = 'insert into recent_changes values ($1, $2, $3, statement_timestamp())'
    const grantId = randomUUID()
    await primary.query(text, [instanceId, grantId, 'FFFFFFFF/0'])
    await until('the replica answers', async () => ((await process.get(grantId, 'dump')).by === replica.address ? true : null))
    await replica.pauseReplay()
    await process.set(grantId, 'dump', 4)
    expect(await process.get(grantId, 'dump')).toMatchObject({ value: 4, by: 'primary' })
  })

  it('of what is pinned need a mark of the same history of the primary', async () => {
    const process = open()
    await process.awaitAnswerOf(replica.address)
    const by = async (epoch: string | null) => {
      await process.replicas.readPinned('any', { epoch, end: LOG_START }, () => primary.query('select 1'))
      return process.answers.at(-1)
    }
    const { epoch } = await process.replicas.pin()
    expect([await by(epoch), await by(randomUUID()), await by(null)]).toEqual([replica.address, 'primary', 'primary'])
  })
})
