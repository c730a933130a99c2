import { beforeEach, describe, expect, it } from 'vitest'
import { ReadLease, type ReadLeaseOptions } from '../../src/api/read-cache/read-lease.ts'
import { changeWaitMs } from '../../src/store/records/publication-changes.ts'
import { simulateReads } from './lease-simulation.ts'

const LEASE_MS = 200

let nowMs: number
let timeOfDayMs: number
let changes: { id: string; key: string; isOpen: boolean }[]
let server: string
let asked: number
let options: ReadLeaseOptions
let lease: ReadLease

beforeEach(() => {
  nowMs = 1_000
  timeOfDayMs = 5_000_000
  changes = []
  server = 'first start'
  asked = 0
  options = {
    leaseMs: LEASE_MS,
    listChanges: async () => {
      asked += 1
      return { server, changes, askAgainWithinMs: 5_000 }
    },
    elapsedMs: () => nowMs,
    now: () => new Date(timeOfDayMs),
  }
  lease = new ReadLease(options)
})

function pass(ms: number): void {
  nowMs += ms
  timeOfDayMs += ms
}

/** Polls the announced changes if it is time to, and processes the result. */
async function renew(): Promise<void> {
  lease.find('a')
  await new Promise((resolve) => setImmediate(resolve))
}

/** Queries the version without any interruption. */
function learn(key: string, version: string): void {
  lease.remember(lease.ticket(), key, version)
}

describe('the lease', () => {
  it('makes a version valid that was queried while it lasted', async () => {
    await renew()
    expect(lease.find('a')).toBeUndefined()
    learn('a', '7')
    expect(lease.find('a')).toBe('7')
  })

  it('makes no version valid that was queried before it', async () => {
    learn('a', '7')
    await renew()
    expect(lease.find('a')).toBeUndefined()
  })

  it('is renewed twice in its time while there are reads, and not at all without', async () => {
    await renew()
    pass(LEASE_MS / 2 - 1)
    await renew()
    expect(asked).toBe(1)
    pass(1)
    await renew()
    expect(asked).toBe(2)
    pass(60_000)
    expect(asked).toBe(2)
  })

  it('expires on time, and known versions remain valid if it is renewed soon', async () => {
    await renew()
    learn('a', '7')
    pass(LEASE_MS)
    expect(lease.find('a')).toBeUndefined()
    await new Promise((resolve) => setImmediate(resolve))
    expect(lease.find('a')).toBe('7')
  })

  it.each([
    ['a millisecond less than a lease ahead', LEASE_MS - 1, '7'],
    ['a lease ahead', LEASE_MS, undefined],
    ['a lease behind', -LEASE_MS, '7'],
    ['a millisecond more than a lease behind', -LEASE_MS - 1, undefined],
  ])('compares the wall clock: %s', async (_clock, movedMs, expected) => {
    await renew()
    learn('a', '7')
    timeOfDayMs += movedMs
    expect(lease.find('a')).toBe(expected)
    expect(lease.ticket() === null).toBe(expected === undefined)
  })

  it('begins when its query is sent, on both clocks, and one query is under way at a time', async () => {
    for (const clock of ['elapsed', 'wall'] as const) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const before = asked
      const { listChanges } = options
      lease = new ReadLease({ ...options, listChanges: () => promise.then(listChanges) })
      lease.find('a')
      if (clock === 'elapsed') nowMs += LEASE_MS
      else timeOfDayMs += LEASE_MS
      expect([lease.find('a'), lease.find('a')]).toEqual([undefined, undefined])
      resolve()
      await new Promise((done) => setImmediate(done))
      expect([asked - before, lease.ticket()], clock).toEqual([1, null])
    }
  })

  it('is asked for again after a failed query, which no reader notices', async () => {
    let fails = true
    const { listChanges } = options
    lease = new ReadLease({ ...options, listChanges: () => (fails ? Promise.reject(new Error('the database is away')) : listChanges()) })
    await renew()
    expect(lease.ticket()).toBeNull()
    fails = false
    await renew()
    learn('a', '7')
    expect(lease.find('a')).toBe('7')
  })

  it('of no time asks nothing', async () => {
    lease = new ReadLease({ ...options, leaseMs: 0 })
    await renew()
    expect([lease.find('a'), lease.ticket(), asked]).toEqual([undefined, null, 0])
  })

  it('remembers a hundred thousand versions, and begins anew with another', async () => {
    await renew()
    for (let at = 1; at <= 100_000; at += 1) learn(String(at), '1')
    expect([lease.find('1'), lease.find('100000')]).toEqual(['1', '1'])
    learn('one more', '1')
    expect([lease.find('1'), lease.find('100000'), lease.find('one more')]).toEqual([undefined, undefined, '1'])
  })

  it('expires while the machine sleeps, even if its own clock stood still', async () => {
    await renew()
    learn('a', '7')
    timeOfDayMs += LEASE_MS
    expect(lease.find('a')).toBeUndefined()
  })

  it('forgets everything after a time in which it may have missed a change, and not before', async () => {
    await renew()
    learn('a', '7')
    pass(4_999)
    await renew()
    expect(lease.find('a')).toBe('7')
    pass(5_000)
    await renew()
    expect(lease.find('a')).toBeUndefined()
  })

  it('forgets everything when the database was restarted', async () => {
    await renew()
    learn('a', '7')
    const ticket = lease.ticket()
    server = 'second start'
    pass(LEASE_MS / 2)
    await renew()
    expect(lease.find('a')).toBeUndefined()
    lease.remember(ticket, 'a', '7')
    expect(lease.find('a'), 'queried before the restart').toBeUndefined()
    learn('a', '7')
    pass(LEASE_MS / 2)
    await renew()
    expect(lease.find('a'), 'the same start').toBe('7')
  })
})

describe('a publication', () => {
  it('is queried at each read while a change is announced, and others are not', async () => {
    await renew()
    learn('a', '7')
    learn('b', '1')
    changes = [{ id: 'x', key: 'a', isOpen: true }]
    pass(LEASE_MS / 2)
    await renew()
    learn('a', '7')
    expect(lease.find('a')).toBeUndefined()
    expect(lease.find('b')).toBe('1')
  })

  it('must be queried once after a change was made, and is then valid again', async () => {
    await renew()
    learn('a', '7')
    changes = [{ id: 'x', key: 'a', isOpen: false }]
    pass(LEASE_MS / 2)
    await renew()
    expect(lease.find('a')).toBeUndefined()
    learn('a', '8')
    pass(LEASE_MS / 2)
    await renew()
    expect(lease.find('a')).toBe('8')
  })

  it('is known again after its change was made, while that of another is announced', async () => {
    changes = [
      { id: 'x', key: 'a', isOpen: true },
      { id: 'y', key: 'b', isOpen: true },
    ]
    await renew()
    learn('c', '1')
    changes = [
      { id: 'x', key: 'a', isOpen: false },
      { id: 'y', key: 'b', isOpen: true },
    ]
    pass(LEASE_MS / 2)
    await renew()
    for (const key of ['a', 'b']) learn(key, '7')
    expect(['a', 'b', 'c'].map((key) => lease.find(key))).toEqual(['7', undefined, '1'])
  })

  it('is learned while another has a change announced for longer than a renewal', async () => {
    changes = [{ id: 'x', key: 'a', isOpen: true }]
    await renew()
    const ticket = lease.ticket()
    pass(LEASE_MS / 2)
    await renew()
    lease.remember(ticket, 'b', '1')
    expect(lease.find('b')).toBe('1')
  })

  it('is not valid from a query before a restart of the database at which a change was made, too', async () => {
    await renew()
    const ticket = lease.ticket()
    server = 'second start'
    changes = [{ id: 'x', key: 'a', isOpen: false }]
    pass(LEASE_MS / 2)
    await renew()
    lease.remember(ticket, 'b', '7')
    expect(lease.find('b')).toBeUndefined()
  })

  it('must be queried when an announcement is gone, whatever its outcome', async () => {
    await renew()
    changes = [{ id: 'x', key: 'a', isOpen: true }]
    pass(LEASE_MS / 2)
    await renew()
    learn('a', '7')
    changes = []
    pass(LEASE_MS / 2)
    await renew()
    expect(lease.find('a')).toBeUndefined()
  })

  it('is not valid from a response that was in flight when a change became known', async () => {
    await renew()
    const ticket = lease.ticket()
    changes = [{ id: 'x', key: 'a', isOpen: false }]
    pass(LEASE_MS / 2)
    await renew()
    lease.remember(ticket, 'a', '7')
    expect(lease.find('a')).toBeUndefined()
  })
})

describe('10,000 random runs of readers, changes, delays and stops', () => {
  it('never show a reader less than what was published before the read', async () => {
    let believed = 0
    for (let seed = 1; seed <= 10_000; seed++) {
      const play = await simulateReads({ seed, leaseMs: LEASE_MS, waitMs: changeWaitMs(LEASE_MS) })
      expect(play.stale, `seed ${seed}`).toEqual([])
      believed += play.believed
    }
    // Guards against runs that prove nothing: many reads were answered without a query.
    expect(believed).toBeGreaterThan(20_000)
  })

  it('do so when a change does not wait for the leases', async () => {
    let stale = 0
    for (let seed = 1; seed <= 300; seed++) stale += (await simulateReads({ seed, leaseMs: LEASE_MS, waitMs: 0 })).stale.length
    expect(stale).toBeGreaterThan(0)
  })
})
