import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { createInstance } from '../../../src/store/access/instances.ts'
import { checkOutSession, listenTo } from '../../../src/store/db/database.ts'
import { countWorkers, isLiving, listPauses, presenceLockOf, readStorage } from '../../../src/store/db/deployment-health.ts'
import { findPause, pauseDeployment, resumeDeployment } from '../../../src/store/db/deployment-pause.ts'
import { findNewerSchema } from '../../../src/store/db/schema-release.ts'
import { readWorkState } from '../../../src/store/db/work-state.ts'
import { databaseOfOneServer } from '../../harness/database.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'

const test = openForTests(databaseOfOneServer, ({ drop }) => drop())
const query = (text: string, values: unknown[] = []) => test.database.query(text, values)

beforeEach(async () => {
  await query('truncate workers, source_pauses, jobs, mails, subscriptions, source_keys, users, deployment_pause cascade')
})

/** A worker whose last sign of life is so many seconds old. */
async function addWorker(seconds: number, slots: number): Promise<string> {
  const id = randomUUID()
  await query('insert into workers (id, slots, seen_at) values ($1, $2, statement_timestamp() - make_interval(secs => $3))', [
    id,
    slots,
    seconds,
  ])
  return id
}

describe('the health of a deployment', () => {
  it('has the bytes of its largest tables, partitions with theirs', async () => {
    await query(`create table big (text text); insert into big select repeat('x', 1000) from generate_series(1, 20000)`)
    await query('create table parts (n int) partition by list (n); create table parts_1 partition of parts for values in (1)')
    await query('insert into parts select 1 from generate_series(1, 200000)')
    const { databaseBytes, tables } = await readStorage(test.database, 3)
    const { rows } = await query(`select pg_total_relation_size('big')::float8 as big, pg_total_relation_size('parts_1')::float8 as parts,
      pg_database_size(current_database())::float8 as whole`)
    expect(tables.slice(0, 2)).toEqual([
      { name: 'big', bytes: rows[0]?.big },
      { name: 'parts', bytes: rows[0]?.parts },
    ])
    expect([tables.length, Math.abs(databaseBytes - rows[0]?.whole) < 1_000_000]).toEqual([3, true])
    await query('drop table big, parts')
  })

  it('has the longest pause of each source that is not over', async () => {
    const { rows } = await query(`select date_trunc('minute', now()) as now`)
    const at = (minutes: number) => new Date(rows[0]?.now.getTime() + minutes * 60_000)
    for (const [key, minutes] of [
      ['xero', 5],
      ['xero#1', 9],
      ['plaid#own#2', 3],
      ['sage', -1],
    ] as const)
      await query(`insert into source_pauses (connector_key, scope, until) values ($1, '', $2)`, [key, at(minutes)])
    expect(await listPauses(test.database)).toEqual([
      { connectorKey: 'plaid', until: at(3) },
      { connectorKey: 'xero', until: at(9) },
    ])
  })

  it('counts the workers that live: seen within 75 seconds, or with a session that holds their lock', async () => {
    expect(await countWorkers(test.database)).toEqual({ workers: 0, slots: 0 })
    await addWorker(0, 4)
    await addWorker(70, 2)
    const silent = await addWorker(76, 8)
    expect(await countWorkers(test.database)).toEqual({ workers: 2, slots: 6 })
    const { client, release } = await checkOutSession(test.database)
    try {
      await client.query(`select pg_advisory_lock(${presenceLockOf('$1::text')})`, [silent])
      expect(await countWorkers(test.database)).toEqual({ workers: 3, slots: 14 })
      const { rows } = await query(`select w.slots from workers w where not ${isLiving('w')}`)
      expect(rows).toEqual([])
      await client.query('select pg_advisory_unlock_all()')
      await client.query(`select pg_advisory_lock(${presenceLockOf('$1::text')} + 1)`, [silent])
      expect(await countWorkers(test.database)).toEqual({ workers: 2, slots: 6 })
    } finally {
      await client.query('select pg_advisory_unlock_all()')
      release()
    }
  })
})

describe('the pause of a deployment', () => {
  it('is one, keeps its first reason, and is announced as it begins and ends', async () => {
    const heard: string[] = []
    const { client, release } = await checkOutSession(test.database)
    const backupId = randomUUID()
    try {
      client.on('notification', ({ channel, payload }) => heard.push(`${channel}:${payload}`))
      await listenTo(client, 'jobs')
      const awaitHeard = async (count: number) => await until('it is announced', () => (heard.length === count ? true : null))
      expect([await findPause(test.database), await resumeDeployment(test.database)]).toEqual([null, null])
      await awaitHeard(1)
      await pauseDeployment(test.database, { reason: 'restored', backupId })
      await awaitHeard(2)
      const pause = { reason: 'restored', pausedAt: expect.any(Date), backupId }
      expect(await findPause(test.database)).toEqual(pause)
      await pauseDeployment(test.database, { reason: 'requested', backupId: null })
      expect(await findPause(test.database)).toEqual(pause)
      expect([await resumeDeployment(test.database), await findPause(test.database)]).toEqual([pause, null])
      await awaitHeard(4)
      expect(new Set(heard)).toEqual(new Set(['jobs:']))
      await pauseDeployment(test.database, { reason: 'requested', backupId: null })
      expect(await findPause(test.database)).toEqual({ reason: 'requested', pausedAt: expect.any(Date), backupId: null })
    } finally {
      client.removeAllListeners('notification')
      await client.query('unlisten *')
      release()
    }
  })
})

describe('a schema of a later release', () => {
  it('is named by the migration that needs the newest', async () => {
    const names = (await query('select name from schema_migrations order by name limit 3')).rows.map(({ name }) => name)
    expect(await findNewerSchema(test.database, '1.2.0')).toBeNull()
    for (const [at, oldest] of ['1.2.0', '1.3.0', '1.10.0'].entries())
      await query('update schema_migrations set oldest_release = $2 where name = $1', [names[at], oldest])
    expect(await findNewerSchema(test.database, '1.10.0')).toBeNull()
    for (const release of ['1.2.0', '1.9.9'])
      expect(await findNewerSchema(test.database, release)).toBe(
        `a later version has migrated this database (${names[2]}); it needs version 1.10.0 or later, and this is ${release}`,
      )
    await query('update schema_migrations set oldest_release = null')
  })
})

describe('the work that waits for a person', () => {
  const DEFAULTS = { instanceNames: ['Example', 'Sandbox'], email: 'admin@example.com' }
  const NONE = {
    workers: 0,
    lagSeconds: 0,
    deadJobs: 0,
    failedMails: 0,
    disabledSubscriptions: 0,
    hasSourceKeys: false,
    defaultNames: 0,
    defaultAdmins: 0,
  }

  it('is none in a new deployment', async () => {
    expect(await readWorkState(test.database, DEFAULTS)).toEqual(NONE)
  })

  it('is counted over all instances', async () => {
    const [instanceId, otherId] = [randomUUID(), randomUUID()]
    await createInstance(test.database, { id: instanceId, name: 'Example' })
    await createInstance(test.database, { id: otherId, name: 'Maple Lending' })
    await addWorker(0, 1)
    await addWorker(80, 1)
    for (const [state, seconds] of [
      ['ready', 90],
      ['ready', 30],
      ['ready', -30],
      ['dead', 500],
    ])
      await query(
        `insert into jobs (instance_id, kind, key, state, run_at) values ($1, 'sync', gen_random_uuid()::text, $2, now() - make_interval(secs => $3))`,
        [instanceId, state, seconds],
      )
    for (const [state, hours] of [
      ['refused', 23],
      ['failed', 1],
      ['failed', 25],
      ['sent', 1],
    ])
      await query(
        `insert into mails (instance_id, id, kind, recipient_hash, recipient_shown, state, settled_at) values ($1, gen_random_uuid(), 'k', '', '', $2, now() - make_interval(hours => $3))`,
        [otherId, state, hours],
      )
    for (const status of ['active', 'disabled'])
      await query(
        `insert into subscriptions (instance_id, id, event, callback_url, status) values ($1, gen_random_uuid(), 'e', 'https://a.example/' || $2, $2)`,
        [otherId, status],
      )
    for (const [email, disabledAt] of [
      ['admin@example.com', null],
      ['other@example.com', null],
    ])
      await query(
        `insert into users (instance_id, id, email, name, role, password_hash, disabled_at, created_at, updated_at) values ($1, gen_random_uuid(), $2, '', 'admin', '', $3, now(), now())`,
        [instanceId, email, disabledAt],
      )
    await query(
      `insert into source_keys (instance_id, id, connector_key, app, sealed, names, test, test_reason) values ($1, gen_random_uuid(), 'xero', '', '', '{}', 'accepted', '')`,
      [otherId],
    )
    const state = await readWorkState(test.database, DEFAULTS)
    expect({ ...state, lagSeconds: Math.floor(state.lagSeconds / 10) }).toEqual({
      ...{ workers: 1, lagSeconds: 9, deadJobs: 1, failedMails: 2, disabledSubscriptions: 1, hasSourceKeys: true, defaultNames: 1 },
      defaultAdmins: 1,
    })
    await query('update users set disabled_at = now()')
    expect((await readWorkState(test.database, DEFAULTS)).defaultAdmins).toBe(0)
  })
})
