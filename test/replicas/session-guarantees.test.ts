import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/store/db/database.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { LOG_START, type Position } from '../../src/store/db/replicas/positions.ts'
import { until } from '../process/deadline.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { lacksReplication, type PostgresServer, type ReplicatedPostgres, replicationNote } from './cluster.ts'
import { openCounters, ReadingProcess } from './replica-harness.ts'

const BOUND_MS = 1_000
const PROCESSES = 3
const SESSIONS = 12
const KEYS = 4
/** Times that replay is stopped at least; every second time until the replica is left alone. */
const PAUSES = 3
/** Then the test says what has not happened; shorter than its own limit, which would not. */
const GIVE_UP_MS = 540_000

/** What is known of one counter: each value with the time at which its change was acknowledged. */
interface History {
  acknowledged: { value: number; atMs: number }[]
}

/** A session: what it wrote and read last of each counter. */
class Session {
  readonly id = randomUUID()
  readonly wrote = new Map<string, number>()
  readonly saw = new Map<string, number>()
  readUntil: Position = LOG_START
}

describe.skipIf(lacksReplication)(`sessions that write and read by several processes while replicas stop and go${replicationNote}`, () => {
  let cluster: ReplicatedPostgres
  let primary: Database
  let instanceId: string
  const replicas: PostgresServer[] = []
  const processes: ReadingProcess[] = []
  const histories = new Map<string, History>()

  beforeAll(async () => {
    const opened = await openCounters()
    cluster = opened.cluster
    primary = opened.primary
    instanceId = opened.instanceId
    replicas.push(await cluster.addReplica(), await cluster.addReplica())
    const url = `postgres://countinghouse@${replicas.map(({ address }) => address).join(',')}/countinghouse`
    for (let at = 0; at < PROCESSES; at += 1)
      processes.push(new ReadingProcess(primary, instanceId, url, { maxStalenessMs: BOUND_MS, probeIntervalMs: 150 }))
    for (let key = 0; key < KEYS; key += 1) {
      histories.set(`key-${key}`, { acknowledged: [] })
      await withinInstance(instanceId, () => primary.query('insert into counters values ($1, $2, 0)', [instanceId, `key-${key}`]))
    }
  }, 120_000)
  afterAll(async () => {
    for (const process of processes) await process.close()
    await primary?.end()
    await cluster?.close()
  }, 60_000)

  const oneOf = <T>(list: readonly T[]): T => {
    const found = list[randomInt(list.length)]
    if (found === undefined) throw new Error('nothing to choose from')
    return found
  }

  async function write(session: Session, key: string): Promise<void> {
    const { rows } = await withinInstance(instanceId, () =>
      primary.query<{ value: string }>('update counters set value = value + 1 where name = $1 returning value', [key]),
    )
    const value = Number(rows[0]?.value)
    await oneOf(processes).replicas.noteChange({ grantId: session.id, instanceId })
    session.wrote.set(key, value)
    histories.get(key)?.acknowledged.push({ value, atMs: performance.now() })
  }

  /** Throws when a promise is broken. */
  async function read(session: Session, key: string): Promise<void> {
    const startedMs = performance.now()
    const { value, readUntil } = await oneOf(processes).get(session.id, key, session.readUntil)
    const old = (histories.get(key)?.acknowledged ?? []).filter(({ atMs }) => atMs <= startedMs - BOUND_MS)
    expect(value, 'older than the bound').toBeGreaterThanOrEqual(Math.max(0, ...old.map((each) => each.value)))
    expect(value, 'without an own change').toBeGreaterThanOrEqual(session.wrote.get(key) ?? 0)
    expect(value, 'back in time').toBeGreaterThanOrEqual(session.saw.get(key) ?? 0)
    session.saw.set(key, value)
    session.readUntil = readUntil
  }

  const isLeftAlone = ({ address }: PostgresServer): boolean =>
    processes.every(({ replicas: { servers } }) => servers.find(({ name }) => name === address)?.state.phase !== 'serving')

  /** Stops the replay of a replica, for a moment or until no process reads from it any more. */
  async function pause(replica: PostgresServer, isLong: boolean): Promise<void> {
    await replica.pauseReplay()
    if (isLong) await until('the replica is left alone', () => (isLeftAlone(replica) ? true : null))
    else await wait(randomInt(20, 2 * BOUND_MS))
    await replica.resumeReplay()
    await wait(randomInt(20, BOUND_MS))
  }

  it('get no answer older than the bound, see their own changes, and never go back in time', async () => {
    let [reads, pauses] = [0, 0]
    let isOver = false
    const giveUpAtMs = performance.now() + GIVE_UP_MS
    const ofReplicas = (): number => processes.flatMap(({ answers }) => answers).filter((name) => name !== 'primary').length
    // Otherwise nothing was tried. However fast the machine is, the sessions go on until all of it has happened.
    const isEnough = (): boolean => reads >= effort.replicaReads && pauses >= PAUSES && ofReplicas() >= effort.replicaReads / 10
    const disturbing = async (): Promise<void> => {
      for (; !isOver; pauses += 1) await pause(oneOf(replicas), pauses % 2 === 1)
    }
    const working = Array.from({ length: SESSIONS }, async () => {
      const session = new Session()
      while (!isOver) {
        const key = oneOf([...histories.keys()])
        if (randomInt(6) === 0) await write(session, key)
        await read(session, key)
        reads += 1
        isOver ||= isEnough() || performance.now() > giveUpAtMs
        // Most sessions do other things in between.
        await wait(randomInt(0, 40))
      }
    })
    await Promise.all([disturbing(), ...working]).finally(() => {
      isOver = true
    })
    const figures = { reads, 'answered by replicas': ofReplicas(), 'times that replay was stopped': pauses }
    for (const [name, figure] of Object.entries(figures)) reportFigure(name, figure)
    expect(isEnough(), `not everything was tried: ${JSON.stringify(figures)}`).toBe(true)
  }, 600_000)
})
