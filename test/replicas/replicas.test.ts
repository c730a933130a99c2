import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/store/db/database.ts'
import { until } from '../process/deadline.ts'
import { lacksReplication, type PostgresServer, type ReplicatedPostgres, replicationNote } from './cluster.ts'
import { openCounters, ReadingProcess } from './replica-harness.ts'

describe.skipIf(lacksReplication)(`reads from replicas${replicationNote}`, () => {
  let cluster: ReplicatedPostgres
  let primary: Database
  let instanceId: string
  let replica: PostgresServer
  const processes: ReadingProcess[] = []
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
    await replica?.start()
    await replica?.resumeReplay()
    for (const process of processes.splice(0)) await process.close()
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
    expect(process.changes.at(-1)?.state.phase).toBe('serving')
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
    const process = open()
    await process.set(session, 'killed', 1)
    await process.awaitAnswerOf(replica.address)
    const slow = process.run(randomUUID(), { text: 'select 7 as value from pg_sleep(case when pg_is_in_recovery() then 25 else 0 end)' })
    await until('it runs there', async () => {
      const [row] = await replica.admin<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity where query like 'select 7 as value%' and state = 'active'`,
      )
      return (row?.count ?? 0) > 0 ? true : null
    })
    await replica.kill()
    expect(await slow).toMatchObject({ value: 7, by: 'primary' })
    expect(await process.get(session, 'killed')).toMatchObject({ value: 1, by: 'primary' })
    expect(process.changes.at(-1)).toMatchObject({ name: replica.address, state: { phase: 'lost' } })
    await replica.start()
    await process.awaitAnswerOf(replica.address)
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
    await until('it is named', async () => process.changes[0] ?? null)
    expect(process.changes).toMatchObject([{ name: cluster.primary.address, state: { phase: 'refused' } }])
    expect((await process.get(session, 'any')).by).toBe('primary')
  })

  it('write nothing while nobody reads, and end soon after the last read', async () => {
    let nowMs = 0
    const process = open(replica.url, { elapsedMs: () => nowMs })
    await process.awaitAnswerOf(replica.address)
    nowMs += 10_000
    await until('it rests', () => (process.replicas.isWatching ? null : true))
  })
})
