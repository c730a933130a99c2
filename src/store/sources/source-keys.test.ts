import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addCompany, addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { createConnection } from '../connections/connections.ts'
import { clearAlarms, listAlarms, raiseAlarm, waitForAlarm } from './source-alarms.ts'
import { claimProbe, exchangeCallCounts, listBreakerStates, pruneSourceBreakers, reportProbe } from './source-breakers.ts'
import {
  deleteKeys,
  findAnyKeys,
  findCurrentKeys,
  findKeys,
  findKeysOfApp,
  listCurrentKeys,
  listHiddenSources,
  listKeysAt,
  listKeyUse,
  noteKeyTest,
  pruneSourceKeys,
  type SourceKeys,
  writeHiddenSource,
  writeKeys,
} from './source-keys.ts'
import { forgetFailures } from './source-recovery.ts'

const test = databaseForTests()
let [instanceId, otherId] = ['', '']
beforeEach(async () => {
  instanceId = await addInstance(test.database)
  otherId = await addInstance(test.database)
  await test.database.query('delete from source_keys')
})

const keysOf = (more: Partial<SourceKeys> = {}): Omit<SourceKeys, 'testedAt'> => ({
  ...{ instanceId, id: randomUUID(), connectorKey: 'quickbooks', app: 'app-1', callback: 'own', sealed: Buffer.from('s'), generation: 1 },
  ...{ names: { clientId: { at: '2026-11-20T12:00:00Z', by: 'a@maple.example' } }, test: 'accepted', testReason: '', ...more },
})

describe('own keys of an instance', () => {
  it('are found by what they are for, in their instance only', async () => {
    const { database } = test
    const keys = keysOf()
    expect([await findCurrentKeys(database, instanceId, 'quickbooks'), await findAnyKeys(database, 'quickbooks')]).toEqual([null, null])
    await writeKeys(database, keys)
    const stored = { ...keys, testedAt: expect.any(Date) }
    expect([
      await findCurrentKeys(database, instanceId, 'quickbooks'),
      await findKeys(database, instanceId, keys.id),
      await findKeysOfApp(database, instanceId, 'quickbooks', ['app-0', 'app-1']),
      ...(await listKeysAt(database, instanceId, 'quickbooks')),
      ...(await listCurrentKeys(database, instanceId)),
      await findAnyKeys(database, 'quickbooks'),
    ]).toEqual(Array(6).fill(stored))
    expect([
      await findCurrentKeys(database, otherId, 'quickbooks'),
      await findCurrentKeys(database, instanceId, 'plaid'),
      await findKeys(database, otherId, keys.id),
      await findKeysOfApp(database, instanceId, 'quickbooks', ['app-2']),
      await findAnyKeys(database, 'plaid'),
    ]).toEqual(Array(5).fill(null))
  })

  it('of another app take the place of the first, which stay for what was made with them', async () => {
    const { database } = test
    const [first, second] = [keysOf(), keysOf({ app: 'app-2' })]
    await writeKeys(database, first)
    await writeKeys(database, second)
    expect((await findCurrentKeys(database, instanceId, 'quickbooks'))?.id).toBe(second.id)
    expect((await listKeysAt(database, instanceId, 'quickbooks')).map(({ id }) => id)).toEqual([second.id, first.id])
    await writeKeys(database, { ...first, generation: 2, sealed: Buffer.from('t'), test: 'untested', testReason: 'later' })
    expect(await findCurrentKeys(database, instanceId, 'quickbooks')).toMatchObject({ id: first.id, generation: 2, testReason: 'later' })
    expect((await listCurrentKeys(database, instanceId)).map(({ id }) => id)).toEqual([first.id])
  })

  it('that a source refused serve no other instance, and a test of earlier keys is not recorded', async () => {
    const { database } = test
    const keys = keysOf({ generation: 2 })
    await writeKeys(database, keys)
    await noteKeyTest(database, { ...keys, generation: 1 }, 'refused', 'old')
    expect(await findCurrentKeys(database, instanceId, 'quickbooks')).toMatchObject({ test: 'accepted', testReason: '' })
    await noteKeyTest(database, keys, 'refused', 'no such app')
    expect(await findCurrentKeys(database, instanceId, 'quickbooks')).toMatchObject({ test: 'refused', testReason: 'no such app' })
    expect(await findAnyKeys(database, 'quickbooks')).toBe(null)
  })

  it('are deleted with those of earlier apps, of one source', async () => {
    const { database } = test
    for (const more of [{}, { app: 'app-2' }, { connectorKey: 'plaid' }]) await writeKeys(database, keysOf(more))
    expect([await deleteKeys(database, otherId, 'quickbooks'), await deleteKeys(database, instanceId, 'quickbooks')]).toEqual([false, true])
    expect(await deleteKeys(database, instanceId, 'quickbooks')).toBe(false)
    expect((await listCurrentKeys(database, instanceId)).map(({ connectorKey }) => connectorKey)).toEqual(['plaid'])
  })

  async function connect(keysId: string | null, more: { status?: 10 | 26; entity?: string | null } = {}): Promise<string> {
    const { database } = test
    const id = randomUUID()
    const companyId = await addCompany(database, instanceId)
    await createConnection(database, {
      ...{
        instanceId,
        id,
        companyId,
        serviceId: randomUUID(),
        connectorKey: 'quickbooks',
        category: 'Accounting',
        email: 'a@maple.example',
      },
      ...{ status: 9, refreshHours: 24, applicationId: null },
    })
    await database.query('update connections set source_keys_id = $3, entity_id = $4, status = $5 where instance_id = $1 and id = $2', [
      ...[instanceId, id, keysId, more.entity === undefined ? 'e' : more.entity, more.status ?? 9],
    ])
    return id
  }

  it('of an earlier app go when nothing needs them: no connection, no revocation, no owner on the way', async () => {
    const { database } = test
    const [old, current] = [keysOf(), keysOf({ app: 'app-2' })]
    await writeKeys(database, old)
    await writeKeys(database, current)
    const connectionId = await connect(old.id)
    expect(await pruneSourceKeys(database)).toBe(0)
    await database.query('update connections set status = 26 where instance_id = $1', [instanceId])
    expect(await pruneSourceKeys(database)).toBe(0)
    await database.query(`update connections set updated_at = now() - interval '8 days' where instance_id = $1`, [instanceId])
    await database.query(`insert into jobs (instance_id, kind, key, payload) values ($1, 'revoke', $2, $3)`, [
      ...[instanceId, connectionId, JSON.stringify({ sourceKeysId: old.id })],
    ])
    expect(await pruneSourceKeys(database)).toBe(0)
    await database.query('delete from jobs where instance_id = $1', [instanceId])
    expect([await pruneSourceKeys(database), await pruneSourceKeys(database)]).toEqual([1, 0])
    expect((await listKeysAt(database, instanceId, 'quickbooks')).map(({ id }) => id)).toEqual([current.id])
  })

  it('are counted by the active connections that use them', async () => {
    const keys = keysOf()
    await writeKeys(test.database, keys)
    await connect(keys.id)
    await connect(keys.id)
    await connect(null)
    await connect(keys.id, { status: 26 })
    await connect(keys.id, { entity: null })
    const use = await listKeyUse(test.database, instanceId)
    expect(use.toSorted((a, b) => b.connections - a.connections)).toEqual([
      { connectorKey: 'quickbooks', keysId: keys.id, connections: 2 },
      { connectorKey: 'quickbooks', keysId: null, connections: 1 },
    ])
  })
})

it('a source is hidden and shown once, in its instance', async () => {
  const { database } = test
  expect([
    await writeHiddenSource(database, instanceId, 'plaid', false),
    await writeHiddenSource(database, instanceId, 'plaid', true),
    await writeHiddenSource(database, instanceId, 'plaid', true),
  ]).toEqual([false, true, false])
  expect([await listHiddenSources(database, instanceId), await listHiddenSources(database, otherId)]).toEqual([['plaid'], []])
  expect(await writeHiddenSource(database, instanceId, 'plaid', false)).toBe(true)
  expect(await listHiddenSources(database, instanceId)).toEqual([])
})

describe('an alarm', () => {
  const client = { connectorKey: 'mx', clientHash: Buffer.from('a') }
  const other = { connectorKey: 'mx', clientHash: Buffer.from('b') }

  it('is raised once for a set of keys, lets one caller probe, and is cleared for all', async () => {
    const { database } = test
    expect(await waitForAlarm(database, client, 60_000)).toBe(0)
    expect([await raiseAlarm(database, client, 'no', 60_000), await raiseAlarm(database, client, 'no', 0)]).toEqual([true, false])
    const wait = await waitForAlarm(database, client, 60_000)
    expect([wait > 50_000, wait <= 60_000, await waitForAlarm(database, other, 60_000)]).toEqual([true, true, 0])
    await database.query('update source_alarms set retry_at = statement_timestamp()')
    expect(await waitForAlarm(database, client, 60_000)).toBe(0)
    expect(await waitForAlarm(database, client, 60_000)).toBeGreaterThan(50_000)
    await raiseAlarm(database, other, 'no', 0)
    await raiseAlarm(database, { connectorKey: 'mx#instance', clientHash: Buffer.from('c') }, 'no', 0)
    expect(await listAlarms(database)).toEqual(['mx'])
    expect([await clearAlarms(database, 'mx'), await clearAlarms(database, 'mx'), await listAlarms(database)]).toEqual([true, false, []])
  })
})

describe('a circuit breaker', () => {
  const at = (seconds: number) => new Date(Date.parse('2026-11-20T12:00:00Z') + seconds * 1_000)
  const part = { connectorKey: 'teller', endpoint: '/accounts' }
  const state = async () => (await listBreakerStates(test.database)).find(({ connectorKey }) => connectorKey === 'teller')?.state

  beforeEach(async () => {
    await test.database.query('delete from source_breakers')
    await exchangeCallCounts(test.database, [{ ...part, calls: 100, failures: 100, begunAgoMs: 1_000 }], [], at(0))
  })

  it('opens after failures, lets three probes through at a time, and closes after three good ones', async () => {
    const { database } = test
    expect([await state(), await claimProbe(database, { ...part, timeoutMs: 10_000 }, at(29))]).toEqual(['open', null])
    const probes = []
    for (let n = 0; n < 4; n += 1) probes.push(await claimProbe(database, { ...part, timeoutMs: 10_000 }, at(40)))
    expect([probes.filter((probe) => probe !== null), probes[3], await state()]).toEqual([[1, 1, 1], null, 'half-open'])
    // Their process died: after the time of the calls and five seconds there are probes again.
    expect(await claimProbe(database, { ...part, timeoutMs: 10_000 }, at(54))).toBe(null)
    expect(await claimProbe(database, { ...part, timeoutMs: 10_000 }, at(56))).toBe(1)
    const good = { ...part, opened: 1, isGood: true }
    for (const expected of ['half-open', 'half-open', 'closed']) {
      await reportProbe(database, good, at(57))
      expect(await state()).toBe(expected)
    }
    expect(await claimProbe(database, { ...part, timeoutMs: 10_000 }, at(100))).toBe(null)
  })

  it('opens again after one bad probe, and a report of an earlier opening changes nothing', async () => {
    const { database } = test
    await claimProbe(database, { ...part, timeoutMs: 10_000 }, at(40))
    await reportProbe(database, { ...part, opened: 0, isGood: false }, at(41))
    expect(await state()).toBe('half-open')
    await reportProbe(database, { ...part, opened: 1, isGood: false }, at(41))
    expect([await state(), await claimProbe(database, { ...part, timeoutMs: 1 }, at(70))]).toEqual(['open', null])
    expect(await claimProbe(database, { ...part, timeoutMs: 1 }, at(72))).toBe(2)
  })

  it('that was not called for a day is forgotten', async () => {
    const { database } = test
    await database.query(`update source_breakers set updated_at = now() - interval '23 hours'`)
    await pruneSourceBreakers(database)
    expect(await state()).toBe('open')
    await database.query(`update source_breakers set updated_at = now() - interval '25 hours'`)
    await pruneSourceBreakers(database)
    expect(await state()).toBe(undefined)
  })

  it('is closed after an outage, for the app and its other keys, and what waits is due', async () => {
    const { database } = test
    for (const name of ['teller', 'teller/2', 'teller2'])
      await raiseAlarm(database, { connectorKey: name, clientHash: Buffer.from(name) }, 'no', 60_000)
    const jobs = [
      ['teller', 'sync', 'ready'],
      ['teller', 'directory', 'ready'],
      ['mx', 'sync', 'ready'],
    ]
    for (const [provider, kind, jobState] of jobs)
      await database.query(
        `insert into jobs (instance_id, kind, key, provider, payload, state, run_at, attempts) values ($1, $2, $3, $4, '{}', $5, now() + interval '1 hour', 3)`,
        [instanceId, kind, randomUUID(), provider, jobState],
      )
    await forgetFailures(database, { client: 'teller', connectorKey: 'teller', instanceId: otherId })
    await forgetFailures(database, { client: 'teller', connectorKey: 'teller', instanceId })
    const { rows } = await database.query(
      'select provider, kind, attempts, run_at < now() as "isDue" from jobs where instance_id = $1 order by 1, 2',
      [instanceId],
    )
    expect(rows).toEqual([
      { provider: 'mx', kind: 'sync', attempts: 3, isDue: false },
      { provider: 'teller', kind: 'directory', attempts: 3, isDue: false },
      { provider: 'teller', kind: 'sync', attempts: 0, isDue: true },
    ])
    expect([await state(), await listAlarms(database)]).toEqual(['closed', ['teller2']])
  })
})
