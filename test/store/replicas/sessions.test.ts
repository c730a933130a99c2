import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { currentInstance, currentReader, withinInstance } from '../../../src/store/db/instance-scope.ts'
import { type Mark, writeMark } from '../../../src/store/db/replicas/marks.ts'
import { type PinnedReads, pinnedReads } from '../../../src/store/db/replicas/pinned-reads.ts'
import { LOG_START, type Position, toLsn } from '../../../src/store/db/replicas/positions.ts'
import { type LogPin, Replicas } from '../../../src/store/db/replicas/replicas.ts'
import { databaseOfOneServer } from '../../harness/database.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'
import { StandIn } from './stand-in.ts'

const MAX_MS = 60_000
const primary = openForTests(databaseOfOneServer, ({ drop }) => drop())
const standby = openForTests(StandIn.open)
const instanceId = randomUUID()
const clock = { ms: 0, time: 0 }
const clocks = { elapsedMs: () => clock.ms, now: () => new Date(clock.time) }
/** Who answered, in order; for the primary why. */
const events: string[] = []
let replicas: Replicas
let mark: Mark
/** The one replica. */
const server = () => {
  const [found] = replicas.servers
  if (!found) throw new Error('no replica')
  return found
}

beforeEach(async () => {
  Object.assign(clock, { ms: 1_000_000, time: Date.parse('2026-11-20T12:00:00Z') })
  events.length = 0
  let isProbed = false
  replicas = new Replicas(primary.database, {
    ...{ ...clocks, url: standby.url, maxStalenessMs: MAX_MS },
    // One round of the watch, which finds a server that is no standby; all others are of the test.
    probeIntervalMs: 1_000_000,
    onChange: (name, { phase }) => {
      isProbed ||= phase === 'refused' && name === standby.proxy.address
    },
    onAnswer: (name) => events.push(name === standby.proxy.address ? 'replica' : name),
    onFallback: (name, reason) =>
      events.push(name === null || name === standby.proxy.address ? `${name === null ? 'no' : 'that'} replica: ${reason}` : name),
  })
  await standby.say({ is_standby: false })
  await replicas.pin()
  await until('the watch has probed', () => (isProbed ? true : null))
  await standby.say({ is_standby: true })
  mark = await catchUp()
})
afterEach(async () => {
  await replicas.close()
  await standby.reset()
})

/** The replica has all that is committed now, and has been asked. */
async function catchUp(): Promise<Mark> {
  const written = await writeMark(primary.database, clocks)
  await standby.follow(primary.database)
  await server().probe([written], () => 0)
  expect(server().mark).toEqual(written)
  return written
}

const NAME = 'select current_database() as name'
const nameOf = async (database: { query(text: string): Promise<{ rows: { name: string }[] }> }) =>
  (await database.query(NAME)).rows[0]?.name

interface Reading {
  grantId?: string
  readUntil?: Position
  isFromPrimary?: boolean
}

/** One read of a session. */
async function read({ grantId = randomUUID(), readUntil = LOG_START, isFromPrimary }: Reading = {}) {
  const from = events.length
  return await withinInstance(instanceId, async () => {
    const reading = await replicas.begin({ grantId, readUntil, ...(isFromPrimary === undefined ? {} : { isFromPrimary }) })
    const name = await reading.run(() => nameOf(primary.database))
    const by = name === (await nameOf(standby.database)) ? 'replica' : 'primary'
    return { by, told: events.slice(from), end: await reading.end() }
  })
}

const BY_REPLICA = { by: 'replica', told: ['replica'] }
const byPrimary = (...why: string[]) => ({ by: 'primary', told: why })

describe('a read of a session', () => {
  it('is answered by a replica that has caught up, and ends where the replica is', async () => {
    const { end, ...found } = await read()
    const { rows } = await standby.database.query<{ position: string }>('select position::text from standby.facts')
    expect([found, toLsn(end)]).toEqual([BY_REPLICA, rows[0]?.position])
    expect([replicas.maxStalenessMs, replicas.isWatching]).toEqual([MAX_MS, true])
  })

  it('is in the scope of its instance, and the primary is told to no one as long as the replica answers', async () => {
    await withinInstance(instanceId, async () => {
      const reading = await replicas.begin({ grantId: randomUUID(), readUntil: LOG_START })
      const scope = await reading.run(async () => [
        currentInstance(),
        currentReader() === null,
        (await primary.database.query(`select current_setting('countinghouse.instance') as scope`)).rows,
      ])
      expect(scope).toEqual([instanceId, false, [{ scope: instanceId }]])
      expect(currentReader()).toBeNull()
    })
  })

  it('is answered by the primary where it must be, which is no failure of a replica', async () => {
    expect(await read({ isFromPrimary: true })).toMatchObject(byPrimary())
    expect(await read({ isFromPrimary: false })).toMatchObject(BY_REPLICA)
  })

  it('sees what the session has changed, and that of others within the bound', async () => {
    const grantId = randomUUID()
    await replicas.noteChange({ grantId, instanceId })
    expect(await read({ grantId })).toMatchObject(byPrimary('no replica: none'))
    expect(await read()).toMatchObject(BY_REPLICA)
    await catchUp()
    expect(await read({ grantId })).toMatchObject(BY_REPLICA)
  })

  it('goes to the primary when a crash has taken what is known of changes', async () => {
    await primary.database.query('truncate recent_changes, recent_changes_epoch')
    expect(await read()).toMatchObject(byPrimary('no replica: none'))
    await catchUp()
    expect(await read()).toMatchObject(BY_REPLICA)
  })

  it('is no older than what the session was told, or has read in this process', async () => {
    const [grantId, other] = [randomUUID(), randomUUID()]
    await standby.follow(primary.database)
    const { end } = await read({ grantId, isFromPrimary: true })
    expect(end).toBeGreaterThan(await server().position())
    expect(await read({ grantId: other, readUntil: end })).toMatchObject(byPrimary('that replica: behind'))
    for (const each of [grantId, other]) expect(await read({ grantId: each })).toMatchObject(byPrimary('that replica: behind'))
    await catchUp()
    for (const each of [grantId, other]) expect(await read({ grantId: each, readUntil: end })).toMatchObject(BY_REPLICA)
  })

  it('ends at the end of the primary’s log where that answered, or the replica no longer says where it is', async () => {
    const before = await server().position()
    await writeMark(primary.database, clocks)
    const { end } = await read({ isFromPrimary: true })
    expect(end).toBeGreaterThan(before)
    const reading = await replicas.begin({ grantId: randomUUID(), readUntil: LOG_START })
    await reading.run(() => nameOf(primary.database))
    await standby.say({ position: null })
    expect(await reading.end()).toBeGreaterThanOrEqual(end)
    // Once the replica has failed in a read, so does the rest of it go to the primary.
    await standby.say({ position: '0/0' })
    const failing = await replicas.begin({ grantId: randomUUID(), readUntil: 1n })
    expect(await failing.run(() => nameOf(primary.database))).toBe(await nameOf(primary.database))
    expect(await failing.end()).toBeGreaterThanOrEqual(end)
  })

  it('is no newer than what the session has read, however far the primary has gone on', async () => {
    const grantId = randomUUID()
    expect(await read({ grantId })).toMatchObject(BY_REPLICA)
    await writeMark(primary.database, clocks)
    for (const _ of [1, 2]) expect(await read({ grantId })).toMatchObject(BY_REPLICA)
  })

  it('forgets what a session has read in a history that the primary no longer has', async () => {
    const grantId = randomUUID()
    const beyond = 0xffff_ffff_0000_0000n
    await standby.say({ position: 'FFFFFFFF/0' })
    expect((await read({ grantId })).end).toBe(beyond)
    await standby.follow(primary.database)
    // What was kept was the position beyond the end, which is replaced by the end.
    expect(await read({ grantId })).toMatchObject(byPrimary('that replica: behind'))
    await catchUp()
    expect(await read({ grantId })).toMatchObject(BY_REPLICA)
  })
})

it('nobody needs to hear of what replicas do', async () => {
  const alone = new Replicas(primary.database, { ...clocks, url: standby.url, maxStalenessMs: MAX_MS, probeIntervalMs: 1_000_000 })
  const [own] = alone.servers
  try {
    const ask = () => withinInstance(instanceId, () => alone.readPinned('any', null, () => nameOf(primary.database)))
    const [main, replica] = [await nameOf(primary.database), await nameOf(standby.database)]
    expect(await ask()).toBe(main)
    await until('it answers', async () => {
      await own?.probe([mark], () => 0)
      return (await ask()) === replica ? true : null
    })
    await standby.say({ is_standby: false })
    expect(await ask()).toBe(main)
  } finally {
    await alone.close()
  }
})

describe('the age of a mark', () => {
  it.each([
    ['as old as the bound', { ms: MAX_MS, time: MAX_MS }, true],
    ['older by the clock of the process', { ms: MAX_MS + 1, time: MAX_MS }, false],
    ['older by the time of day, as after a sleep', { ms: MAX_MS, time: MAX_MS + 1 }, false],
    ['from the bound ahead, as after the time was set back', { ms: 0, time: -MAX_MS }, true],
    ['from further ahead', { ms: 0, time: -MAX_MS - 1 }, false],
  ])('%s', async (_what, passed, isUsed) => {
    const reading = { readUntil: LOG_START, grantId: randomUUID() }
    Object.assign(clock, { ms: mark.askedAtMs + passed.ms, time: mark.askedAtTime + passed.time })
    expect(await read(reading)).toMatchObject(isUsed ? BY_REPLICA : byPrimary('no replica: none'))
  })

  it('that passes the bound during a read has the rest of it answered by the primary', async () => {
    const reading = await replicas.begin({ grantId: randomUUID(), readUntil: LOG_START })
    const first = await reading.run(() => nameOf(primary.database))
    clock.ms += MAX_MS + 1
    const second = await reading.run(() => nameOf(primary.database))
    clock.ms -= MAX_MS + 1
    const third = await reading.run(() => nameOf(primary.database))
    const [replica, main] = [await nameOf(standby.database), await nameOf(primary.database)]
    expect([[first, second, third], events]).toEqual([
      [replica, main, main],
      ['replica', 'that replica: behind'],
    ])
  })
})

describe('a read of pinned data', () => {
  const by = async (pin: LogPin | null) => {
    const from = events.length
    await replicas.readPinned('any', pin, () => nameOf(primary.database))
    return events.slice(from)
  }

  it('is answered by a replica with a mark from after the pin', async () => {
    const pin = await replicas.pin()
    expect(pin.epoch).toBe(mark.epoch)
    expect(await by({ epoch: mark.epoch, end: mark.position })).toEqual(['replica'])
    expect(await by({ epoch: mark.epoch, end: mark.position + 1n })).toEqual(['no replica: none'])
    expect(await by(pin)).toEqual(['no replica: none'])
    await catchUp()
    expect(await by(pin)).toEqual(['replica'])
  })

  it('needs the same history of the primary, and without a pin none', async () => {
    for (const epoch of [randomUUID(), null]) expect(await by({ epoch, end: LOG_START })).toEqual(['no replica: none'])
    expect(await by(null)).toEqual(['replica'])
    clock.ms += MAX_MS + 1
    expect(await by(null)).toEqual(['no replica: none'])
  })

  it('is one of several, all as of the same pin, in the scope of the instance', async () => {
    const reads = pinnedReads(replicas, instanceId)
    const ask = async (all: PinnedReads) => {
      const from = events.length
      const scope = await all(async () => {
        await nameOf(primary.database)
        return currentInstance()
      })
      return [scope, ...events.slice(from)]
    }
    expect(await ask(reads)).toEqual([instanceId, 'no replica: none'])
    // Whatever is committed later: only what came before the first read is needed.
    await catchUp()
    await writeMark(primary.database, clocks)
    expect([await ask(reads), await ask(pinnedReads(replicas, instanceId))]).toEqual([
      [instanceId, 'replica'],
      [instanceId, 'no replica: none'],
    ])
    expect(await ask(pinnedReads(undefined, instanceId))).toEqual([instanceId])
  })

  it('is pinned again as long as the primary has no history', async () => {
    await primary.database.query('truncate recent_changes_epoch')
    const reads = pinnedReads(replicas, instanceId)
    await reads(() => nameOf(primary.database))
    await catchUp()
    await reads(() => nameOf(primary.database))
    await catchUp()
    await reads(() => nameOf(primary.database))
    expect(events).toEqual(['no replica: none', 'no replica: none', 'replica'])
  })
})
