import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { insertSuspension } from '../operators/suspensions.ts'
import { completeJobs, extendLeases } from './held-jobs.ts'
import { endLeases, requeueExpiredJobs } from './leases.ts'
import { readSlots, removeWorker, reportWorker, showPresence } from './workers.ts'

const db = databaseForTests()
const [OWN, OTHER] = [randomUUID(), randomUUID()]
let instanceId = ''
beforeEach(async () => {
  for (const table of ['jobs', 'workers']) await db.database.query(`delete from ${table}`)
  instanceId = await addInstance(db.database)
})

interface Row {
  state?: 'ready' | 'running' | 'dead'
  kind?: string
  worker?: string
  attempts?: number
  /** Of the lease. */
  seconds?: number
}
async function add(key: string, { state = 'running', kind = 'work', worker = OWN, attempts = 1, seconds = -1 }: Row = {}): Promise<string> {
  const isRunning = state === 'running'
  const { rows } = await db.database.query<{ id: string }>(
    `insert into jobs (instance_id, kind, key, state, attempts, worker, lease_until, run_at)
     values ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7), '2026-11-20') returning id`,
    [instanceId, kind, key, state, attempts, isRunning ? worker : null, isRunning ? seconds : null],
  )
  return rows[0]?.id ?? ''
}
const jobs = async (columns = 'state') =>
  Object.fromEntries(
    (await db.database.query(`select key, kind, ${columns} from jobs order by key, kind`)).rows.map(({ key, kind, ...row }) => [
      `${key} ${kind}`,
      row,
    ]),
  )

describe('a lease that has expired', () => {
  it('frees its job, which is due at once; one that holds stays, and a job that was queued again goes on alone', async () => {
    await add('expired')
    await add('held', { seconds: 60 })
    await add('twice')
    await add('twice', { state: 'ready' })
    await add('other', { kind: 'a' })
    await add('other', { kind: 'b', state: 'ready' })
    await add('dead', { state: 'dead' })
    expect(await requeueExpiredJobs(db.database, 8)).toEqual({ freed: 2, died: [] })
    const free = { state: 'ready', worker: null, hasLease: false, attempts: 1 }
    expect(await jobs(`state, worker, lease_until is not null as "hasLease", attempts, run_at > '2026-11-21' as "isNew"`)).toEqual({
      'expired work': { ...free, isNew: true },
      'held work': { state: 'running', worker: OWN, hasLease: true, attempts: 1, isNew: false },
      'twice work': { ...free, isNew: false },
      'other a': { ...free, isNew: true },
      'other b': { ...free, isNew: false },
      'dead work': { ...free, state: 'dead', isNew: false },
    })
    expect(await requeueExpiredJobs(db.database, 8)).toEqual({ freed: 0, died: [] })
  })

  it.each([
    [7, 'ready'],
    [8, 'dead'],
    [9, 'dead'],
  ])('after %d of at most 8 attempts makes its job %s', async (attempts, state) => {
    const id = await add('deadly', { attempts })
    const isDead = state === 'dead'
    expect(await requeueExpiredJobs(db.database, 8)).toEqual({
      freed: isDead ? 0 : 1,
      died: isDead ? [{ id, instanceId, kind: 'work', attempts }] : [],
    })
    const error = isDead ? 'every worker that ran it died' : null
    expect(await jobs('state, error, worker, died_at is not null as "hasDied", lease_until as lease')).toEqual({
      'deadly work': { state, error, worker: null, hasDied: isDead, lease: null },
    })
  })

  it('of all jobs, deliveries and refreshes of credentials, ends at once when no other process is there', async () => {
    await add('held', { seconds: 3_600 })
    await add('waiting', { state: 'ready' })
    await db.database.query(
      `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, update_scheduled_at, refresh_hours, refresh_lease_until)
       select $1, gen_random_uuid(), c.id, gen_random_uuid(), 'bank', 'Banking', '', 9, now(), 24, lease from companies c, (values (now() + interval '1 hour'), (null)) l (lease) where c.instance_id = $1`,
      [instanceId],
    )
    await endLeases(db.database)
    expect(await jobs('state, lease_until::text as lease')).toEqual({
      'held work': { state: 'running', lease: '-infinity' },
      'waiting work': { state: 'ready', lease: null },
    })
    expect(await requeueExpiredJobs(db.database, 8)).toEqual({ freed: 1, died: [] })
  })

  it('stays ended when the last heartbeat of a killed worker is executed after that', async () => {
    const id = await add('held')
    await endLeases(db.database)
    expect(await extendLeases(db.database, OWN, [{ id, key: 'held', attempts: 1, furthest: 0 }], 60_000)).toEqual([])
    expect(await requeueExpiredJobs(db.database, 8)).toEqual({ freed: 1, died: [] })
  })
})

describe('a worker’s jobs', () => {
  const held = (id: string, key: string, attempts = 3) => ({ id, key, attempts, furthest: 7 })

  it('keep their leases with their progress, if it still owns them', async () => {
    const [own, lost, gone] = [await add('own'), await add('lost', { worker: OTHER }), await add('gone', { state: 'ready' })]
    await add('unnamed')
    expect(
      await extendLeases(db.database, OWN, [held(own, 'own'), held(lost, 'lost'), held(gone, 'gone'), held(randomUUID(), 'own')], 60_000),
    ).toEqual([own])
    expect(await jobs('attempts, furthest, round(extract(epoch from lease_until - clock_timestamp()))::int as seconds')).toEqual({
      'own work': { attempts: 3, furthest: 7, seconds: 60 },
      'lost work': { attempts: 1, furthest: 0, seconds: -1 },
      'gone work': { attempts: 1, furthest: 0, seconds: null },
      'unnamed work': { attempts: 1, furthest: 0, seconds: -1 },
    })
    expect(await extendLeases(db.database, OWN, [], 60_000)).toEqual([])
  })

  it('keep their leases, and the worker its place, without a wait for the disk', async () => {
    const id = await add('own')
    for (const beat of [(of: Db) => extendLeases(of, OWN, [held(id, 'own')], 60_000), (of: Db) => reportWorker(of, OWN, 8)]) {
      const commit = await inTransaction(db.database, async (of) => {
        await of.query('set local synchronous_commit = on')
        await beat(of)
        return (await of.query<{ commit: string }>(`select current_setting('synchronous_commit') as commit`)).rows[0]?.commit
      })
      expect(commit).toBe('off')
    }
  })

  it.each(['revoke', 'erase', 'eraseDelivered', 'removeDelivered', 'abortUpload', 'emptyReplica', 'sync', 'mail'])(
    'of the kind %s in an instance that is suspended',
    async (kind) => {
      const id = await add('k', { kind })
      await insertSuspension(db.database, instanceId, 'unpaid')
      const goesOn = kind !== 'sync' && kind !== 'mail'
      expect(await extendLeases(db.database, OWN, [held(id, 'k')], 60_000)).toEqual(goesOn ? [id] : [])
    },
  )

  it('leave the queue when they are done, if it still owns them', async () => {
    const [own, lost] = [await add('own'), await add('lost', { worker: OTHER })]
    await add('own', { state: 'ready', kind: 'later' })
    await add('unnamed')
    await completeJobs(db.database, OWN, [
      { id: own, key: 'own' },
      { id: lost, key: 'lost' },
      { id: randomUUID(), key: 'unnamed' },
    ])
    expect(Object.keys(await jobs())).toEqual(['lost work', 'own later', 'unnamed work'])
  })
})

describe('workers', () => {
  const rows = async () => (await db.database.query('select id, slots from workers order by slots')).rows

  it('count their slots together, as long as they give signs of life', async () => {
    expect(await reportWorker(db.database, OWN, 4)).toBe(4)
    expect(await reportWorker(db.database, OTHER, 6)).toBe(10)
    expect([await reportWorker(db.database, OWN, 5), await readSlots(db.database, OWN)]).toEqual([11, 11])
    await db.database.query(`update workers set seen_at = now() - interval '76 seconds' where id = $1`, [OTHER])
    expect([await readSlots(db.database, OTHER), await readSlots(db.database, OWN)]).toEqual([null, 5])
    expect([await reportWorker(db.database, OWN, 5), await rows()]).toEqual([5, [{ id: OWN, slots: 5 }]])
    await reportWorker(db.database, OTHER, 6)
    await removeWorker(db.database, OWN)
    expect([await rows(), await readSlots(db.database, OWN)]).toEqual([[{ id: OTHER, slots: 6 }], null])
  })

  it('live while their session does, without a heartbeat', async () => {
    await reportWorker(db.database, OTHER, 6)
    await db.database.query(`update workers set seen_at = now() - interval '1 hour'`)
    const session = await db.database.connect()
    await showPresence(session, OTHER)
    const { rows: settings } = await session.query<{ value: string }>(
      `select current_setting(name) as value from unnest(array['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count']) name`,
    )
    // A socket of the file system has none of these.
    expect([
      ['20', '10', '3'],
      ['0', '0', '0'],
    ]).toContainEqual(settings.map(({ value }) => value))
    expect([await readSlots(db.database, OTHER), await reportWorker(db.database, OWN, 4)]).toEqual([6, 10])
    session.release(true)
  })
})
