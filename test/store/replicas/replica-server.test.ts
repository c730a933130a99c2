import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withinInstance } from '../../../src/store/db/instance-scope.ts'
import { PipelinedQuery } from '../../../src/store/db/pipelined-query.ts'
import type { Mark } from '../../../src/store/db/replicas/marks.ts'
import { LOG_START, toPosition } from '../../../src/store/db/replicas/positions.ts'
import { ReplicaServer, type ReplicaState } from '../../../src/store/db/replicas/replica-server.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'
import { StandIn } from './stand-in.ts'

const MAX_MS = 1_000
const standby = openForTests(StandIn.open)
const changes: ReplicaState[] = []
let server: ReplicaServer
let nextSlot = 0

beforeEach(() => {
  changes.length = 0
  server = new ReplicaServer(standby.url, { maxStalenessMs: MAX_MS, onChange: (state) => changes.push(state) })
})
afterEach(async () => {
  await server.close()
  await standby.reset()
})

/** A mark of this age. */
function mark(askedAtMs = 0): Mark {
  nextSlot += 1
  return { id: randomUUID(), slot: nextSlot, position: LOG_START, epoch: randomUUID(), askedAtMs, askedAtTime: 0 }
}

/** Probes with marks, the newest first; the age of each is its `askedAtMs`. */
const probe = (...marks: Mark[]) => server.probe(marks, ({ askedAtMs }) => askedAtMs)

async function countSessions(name: string): Promise<number> {
  const text = 'select from pg_stat_activity where datname = current_database() and application_name = $1'
  return (await standby.database.query(text, [name])).rowCount ?? 0
}

describe('a replica', () => {
  it('is not used before it was asked', async () => {
    expect([server.name, server.state, server.mark, changes]).toEqual([
      standby.proxy.address,
      { phase: 'unknown', reason: '', lagMs: null },
      null,
      [],
    ])
  })

  it('serves with the newest mark that it shows', async () => {
    const [newest, middle, oldest] = [mark(10), mark(20), mark(30)]
    await standby.show(middle, oldest)
    await probe(newest, middle, oldest)
    const serving = { phase: 'serving', reason: '', lagMs: 20 }
    expect([server.state, server.mark, changes]).toEqual([serving, middle, [serving]])
    await standby.show(newest)
    await probe(newest, middle, oldest)
    expect([server.state, server.mark, changes]).toEqual([{ ...serving, lagMs: 10 }, newest, [serving]])
  })

  it('shows a mark only with its own id in its slot', async () => {
    const shown = mark()
    await standby.show({ ...shown, id: randomUUID() })
    await probe(shown)
    expect(server.state.phase).toBe('unknown')
    await standby.show({ ...shown, slot: shown.slot + 1_000 })
    await probe(shown)
    expect(server.state.phase).toBe('unknown')
  })

  it.each([
    [MAX_MS, { phase: 'serving', reason: '', lagMs: MAX_MS }],
    [MAX_MS + 1, { phase: 'behind', reason: 'it is 1.0 s behind', lagMs: MAX_MS + 1 }],
    [61_540, { phase: 'behind', reason: 'it is 61.5 s behind', lagMs: 61_540 }],
  ])('whose newest mark is %d ms old is within the bound, or behind', async (ageMs, expected) => {
    const shown = mark(ageMs)
    await standby.show(shown)
    await probe(mark(0), shown)
    expect([server.state, changes, server.mark]).toEqual([expected, [expected], expected.phase === 'serving' ? shown : null])
  })

  it('that shows no mark is behind once the oldest is older than the bound, and no worse before', async () => {
    const shown = mark(5)
    await standby.show(shown)
    await probe(shown)
    await probe()
    await probe(mark(1), mark(MAX_MS))
    expect([server.state.phase, server.state.lagMs, server.mark]).toEqual(['serving', 5, null])
    await probe(mark(1), mark(MAX_MS + 1))
    const behind = { phase: 'behind', reason: 'it shows nothing that was written lately', lagMs: null }
    expect([server.state, changes.at(-1), changes.length]).toEqual([behind, behind, 2])
  })

  it('that accepts writes is refused, whatever it shows', async () => {
    const shown = mark(7)
    await standby.show(shown)
    await standby.say({ is_standby: false })
    await probe(shown)
    const refused = { phase: 'refused', reason: 'it accepts writes: it is the primary, or was promoted', lagMs: 7 }
    expect([server.state, server.mark, changes]).toEqual([refused, null, [refused]])
  })

  it('without the tables of the deployment is refused', async () => {
    await standby.database.query('alter table read_marks rename to others')
    try {
      await probe(mark())
      const refused = { phase: 'refused', reason: 'it does not have the tables of this deployment', lagMs: null }
      expect([server.state, changes]).toEqual([refused, [refused]])
    } finally {
      await standby.database.query('alter table others rename to read_marks')
    }
  })

  it('that is gone is lost, with the first reason, until it has caught up', async () => {
    const shown = mark(3)
    await standby.show(shown)
    await probe(shown)
    standby.proxy.shut()
    standby.proxy.cut()
    await until('its connection is gone', async () => {
      await probe(shown)
      return server.state.phase === 'lost' ? true : null
    })
    const { reason } = server.state
    expect([reason === '', server.state.lagMs, server.mark]).toEqual([false, null, null])
    await probe(shown)
    server.markLost(new Error('another reason'))
    expect([server.state.reason, changes.length]).toEqual([reason, 2])
    await standby.proxy.reopen()
    await standby.database.query('truncate read_marks')
    await probe(mark(MAX_MS + 1))
    // It is behind, but it was not back in between.
    expect([server.state.phase, changes.map(({ phase }) => phase)]).toEqual(['behind', ['serving', 'lost']])
    await standby.show(shown)
    await probe(shown)
    expect(changes.map(({ phase }) => phase)).toEqual(['serving', 'lost', 'serving'])
  })

  it('that was refused is not named as behind before it serves', async () => {
    await standby.say({ is_standby: false })
    await probe(mark())
    await standby.say({ is_standby: true })
    await probe(mark(MAX_MS + 1))
    expect([server.state.phase, changes.map(({ phase }) => phase)]).toEqual(['behind', ['refused']])
  })

  it('is asked by one probe at a time', async () => {
    const shown = mark()
    await standby.show(shown)
    const before = await standby.countAsked()
    const first = probe(shown)
    await probe(mark(MAX_MS + 1))
    expect(changes).toEqual([])
    await first
    expect([changes.map(({ phase }) => phase), (await standby.countAsked()) - before]).toEqual([['serving'], 1])
    await probe(shown)
    expect((await standby.countAsked()) - before).toBe(2)
  })

  it('is asked on one connection, which a rest closes until the next probe', async () => {
    const before = standby.proxy.opened
    await probe()
    await probe()
    expect([standby.proxy.opened - before, await countSessions('countinghouse replica watch')]).toEqual([1, 1])
    server.rest()
    await until('it is closed', async () => ((await countSessions('countinghouse replica watch')) === 0 ? true : null))
    await probe()
    expect([standby.proxy.opened - before, server.state.phase]).toEqual([2, 'unknown'])
    standby.proxy.cut()
    await until('its end is noticed', async () => {
      await probe()
      return standby.proxy.opened - before === 3 ? true : null
    })
    await probe()
    expect(standby.proxy.opened - before).toBe(3)
  })

  it('that is closed is asked and named no more', async () => {
    await probe()
    await server.close()
    const { state } = server
    server.markLost(new Error('late'))
    expect([server.state, changes]).toEqual([state, []])
    await expect(server.pool.query('select 1')).rejects.toThrow('after calling end')
    server = new ReplicaServer(standby.url, { maxStalenessMs: MAX_MS, onChange: () => undefined })
  })
})

describe('a read that waits at a replica', () => {
  it.each([
    ['is lost', async () => server.markLost(new Error('gone'))],
    ['is closed', async () => await server.close()],
  ])('fails at once when it %s', async (_how, end) => {
    const lock = await standby.database.connect()
    try {
      await lock.query('select pg_advisory_lock(5)')
      const connected = once(server.pool, 'acquire')
      const read = server.pool.query('select pg_advisory_xact_lock(5)')
      const refused = expect(read).rejects.toMatchObject({
        name: 'LostReplica',
        code: 'ETIMEDOUT',
        message: 'the replica no longer answers',
      })
      await connected
      await end()
      await refused
    } finally {
      lock.release(true)
    }
    server = new ReplicaServer(standby.url, { maxStalenessMs: MAX_MS, onChange: () => undefined })
  })
})

describe('the guard of a statement', () => {
  const ID = randomUUID()
  const POSITION = '1/A'
  const SETTINGS = `select current_setting('countinghouse.instance') as scope, current_setting('statement_timeout') as timeout`

  async function ask(shown: Mark, atLeast = toPosition(POSITION)): Promise<unknown> {
    try {
      return await server.pool.query(new PipelinedQuery([server.guard(shown, atLeast)], { text: SETTINGS }))
    } catch (error) {
      return error instanceof pg.DatabaseError ? error.code : error
    }
  }

  it('passes where a standby shows the mark and has replayed the log, and brings the scope and timeouts', async () => {
    const shown = mark()
    await standby.show(shown)
    await standby.say({ position: POSITION })
    expect(await ask(shown)).toMatchObject({ rows: [{ scope: '*', timeout: '30s' }] })
    expect(await withinInstance(ID, () => ask(shown))).toMatchObject({ rows: [{ scope: ID, timeout: '30s' }] })
    expect(await server.position()).toBe(toPosition(POSITION))
  })

  it.each<[string, () => Promise<Mark>]>([
    ['is no standby', async () => await changed({ is_standby: false })],
    ['has not replayed enough', async () => await changed({ position: '1/9' })],
    ['replays nothing', async () => await changed({ position: null })],
    ['does not show the mark', async () => mark()],
    ['shows another mark in its slot', async () => ({ ...(await changed({})), id: randomUUID() })],
    ['shows the mark in another slot', async () => ({ ...(await changed({})), slot: 4_000 })],
  ])('fails on a server that %s', async (_what, prepare) => {
    expect(await ask(await prepare())).toBe('22012')
  })

  async function changed(facts: Parameters<StandIn['say']>[0]): Promise<Mark> {
    const shown = mark()
    await standby.show(shown)
    await standby.say({ position: POSITION, ...facts })
    return shown
  }

  it('is kept by name where the server itself was found to answer, and not behind a pooler', async () => {
    const shown = mark()
    const nameOf = () => {
      const { name, isShared } = server.guard(shown, LOG_START)
      return [name, isShared]
    }
    expect(nameOf()).toEqual(['', true])
    await probe()
    expect(nameOf()).toEqual(['on-replica', false])
    await standby.say({ pid: 1 })
    await probe()
    expect([nameOf(), server.guard(shown, 0x1_0000_000an).values]).toEqual([
      ['', true],
      ['*', String(shown.slot), shown.id, '1/A'],
    ])
  })
})
