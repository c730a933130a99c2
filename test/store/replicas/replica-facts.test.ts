import { afterEach, beforeEach, expect, it } from 'vitest'
import { examineReplica, type PrimaryFacts, readPrimaryFacts } from '../../../src/store/db/replicas/replica-facts.ts'
import { databaseOfOneServer } from '../../harness/database.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'
import { StandIn } from './stand-in.ts'

const primary = openForTests(
  () => databaseOfOneServer({ isDirect: true }),
  ({ drop }) => drop(),
)
const standby = openForTests(StandIn.open)
let facts: PrimaryFacts

beforeEach(async () => {
  facts = await readPrimaryFacts(primary.database)
  await standby.follow(primary.database)
})
afterEach(() => standby.reset())

const examine = (timeoutMs = 0) => examineReplica(standby.url, { primary: facts, timeoutMs })

const SOUND = {
  ...{ error: null, isStandby: true, isCaughtUp: true, isEncrypted: false, isPooled: false, hasFeedback: true },
}

it('the primary says which cluster it is, since when, and where its log ends', async () => {
  const { rows } = await primary.database.query<{ cluster: string; startedAt: string }>(
    `select system_identifier::text as cluster, extract(epoch from pg_postmaster_start_time())::text as "startedAt" from pg_control_system()`,
  )
  expect(facts).toEqual({ ...rows[0], position: expect.any(BigInt) })
  await primary.database.query('create table later (); set synchronous_commit = on; insert into later default values')
  expect((await readPrimaryFacts(primary.database)).position).toBeGreaterThan(facts.position)
})

it('a replica that has what the primary had says what it is, and its connection is closed', async () => {
  const { cluster, startedAt } = facts
  expect(await examine()).toEqual({ ...SOUND, name: standby.proxy.address, cluster, startedAt })
  await until('the connection is closed', () => (standby.proxy.open === 0 ? true : null))
})

it.each<[string, Parameters<StandIn['say']>[0], object]>([
  ['is no standby', { is_standby: false }, { isStandby: false, isCaughtUp: false }],
  ['is of another cluster', { cluster: 'another' }, { cluster: 'another', isCaughtUp: false }],
  ['has not replayed all', { position: '0/1' }, { isCaughtUp: false }],
  ['has replayed nothing', { position: null }, { isCaughtUp: false }],
  ['is behind a pooler', { pid: 1 }, { isPooled: true }],
  ['gives no feedback', { feedback: 'off' }, { hasFeedback: false }],
  ['is encrypted', { is_encrypted: true }, { isEncrypted: true }],
])('a server that %s is found out', async (_what, said, expected) => {
  await standby.say(said)
  const { cluster, startedAt } = facts
  expect(await examine()).toEqual({ ...SOUND, name: standby.proxy.address, cluster, startedAt, ...expected })
})

it('a replica is given time to catch up', async () => {
  await standby.say({ position: '0/1' })
  const examined = examine(20_000)
  await until('it was asked', async () => {
    const text = `select from pg_stat_activity where application_name = 'countinghouse doctor' and query like '%replay%' and datname = current_database()`
    return (await standby.database.query(text)).rowCount === 1 ? true : null
  })
  await standby.follow(primary.database)
  expect(await examined).toMatchObject({ isCaughtUp: true })
})

it('a server that cannot be reached is named, with the reason', async () => {
  standby.proxy.shut()
  expect(await examine()).toEqual({
    ...{ name: standby.proxy.address, error: expect.stringContaining('ECONNREFUSED'), cluster: '', startedAt: '' },
    ...{ isStandby: false, isCaughtUp: false, isEncrypted: false, isPooled: false, hasFeedback: false },
  })
})
