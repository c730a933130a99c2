import { beforeEach, expect, it } from 'vitest'
import { SharedLimitSync, type TrackedCall } from '../../src/sync/rate-limits/shared-limit-sync.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { ObservedDatabase } from './observed-database.ts'
import { VirtualClock } from './virtual-clock.ts'

const home = databaseForTests()
const EXCHANGE = 'exchange-call-counts'
const FREE = { waitMs: 0, reason: 'fails and is left alone for a while', isDown: true }
const asked = (waitMs: number) => ({ waitMs, reason: 'asked to wait', isDown: false })

let clock: VirtualClock
let observed: ObservedDatabase
let limits: SharedLimitSync

beforeEach(async () => {
  await home.database.query('truncate source_pauses')
  clock = new VirtualClock()
  observed = new ObservedDatabase(clock.watch(home.database))
  limits = new SharedLimitSync(observed.db, clock, () => undefined)
})

const CALL: TrackedCall = { connectorKey: 'books', client: 'books#own', scope: 'bakery', endpoint: 'api', timeoutMs: 30_000 }
const pass = (ms: number): Promise<void> => clock.runUntil(clock.sleep(ms))
const exchanges = () => observed.statements.filter(({ name }) => name === EXCHANGE)
const stored = async () => (await home.database.query('select connector_key as client, scope, until from source_pauses order by 1, 2')).rows
const pause = async (waitMs: number) => await limits.pause('books#own', 'bakery', waitMs)

it('a pause of this process holds here at once, and is stored for the others', async () => {
  const stop = observed.hold('source_pauses')
  const storing = pause(9_000)
  expect(limits.knownWait(CALL)).toEqual(asked(9_000))
  stop()
  await storing
  expect(await stored()).toEqual([{ client: 'books#own', scope: 'bakery', until: new Date(clock.databaseTime().getTime() + 9_000) }])
})

it('a pause of this process that is shorter than a known one changes nothing', async () => {
  await pause(9_000)
  await pause(1_000)
  expect(limits.knownWait(CALL)).toEqual(asked(9_000))
})

it('a pause of this process ends here when it was lifted, but not for books that were not asked about', async () => {
  await pause(60_000)
  await limits.pause('books#own', 'garage', 60_000)
  await home.database.query('delete from source_pauses')
  expect(limits.knownWait(CALL)).toEqual(asked(60_000))
  expect(await limits.check(CALL)).toEqual(FREE)
  expect(limits.knownWait({ ...CALL, scope: 'garage' })).toEqual(asked(60_000))
})

it('a pause of this process is kept by an exchange that began before it', async () => {
  const release = observed.hold(EXCHANGE)
  const checking = limits.check(CALL)
  await expect.poll(() => exchanges().length).toBe(1)
  await pause(9_000)
  release()
  expect(await checking).toEqual(asked(9_000))
})

it('a pause of this process is kept by an exchange that began while it was being stored', async () => {
  const stop = observed.hold('source_pauses')
  const release = observed.hold(EXCHANGE)
  const storing = pause(9_000)
  await expect.poll(stored).toHaveLength(1)
  await home.database.query('delete from source_pauses')
  const checking = limits.check(CALL)
  await expect.poll(() => exchanges().length).toBe(1)
  stop()
  await storing
  release()
  expect(await checking).toEqual(asked(9_000))
})

it('a pause of this process is kept by an exchange that saw a former one lifted while it was being stored', async () => {
  await pause(5_000)
  await home.database.query('delete from source_pauses')
  const release = observed.hold(EXCHANGE)
  const checking = limits.check(CALL)
  await expect.poll(() => exchanges().length).toBe(1)
  const stop = observed.hold('source_pauses')
  const storing = pause(9_000)
  release()
  expect(await checking).toEqual(asked(9_000))
  stop()
  await storing
})

it('a pause of this process is kept while a second report of it is under way, and can be lifted after that', async () => {
  const stop = observed.hold('source_pauses')
  const first = pause(9_000)
  stop()
  const again = observed.hold('source_pauses')
  const second = pause(9_000)
  await first
  await expect.poll(stored).toHaveLength(1)
  await home.database.query('delete from source_pauses')
  expect(await limits.check(CALL)).toEqual(asked(9_000))
  again()
  await second
  await home.database.query('delete from source_pauses')
  await pass(1_001)
  expect(await limits.check(CALL)).toEqual(FREE)
})

it('a pause of this process that could not be stored holds until it is seen that the others do not know it', async () => {
  observed.fail('source_pauses', new Error('the database is away'))
  await expect(pause(9_000)).rejects.toThrow('the database is away')
  expect(limits.knownWait(CALL)).toEqual(asked(9_000))
  expect(await limits.check(CALL)).toEqual(FREE)
})
