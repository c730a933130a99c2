import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import type { Job } from '../../src/store/jobs/jobs.ts'
import { emptyReplica, queueDueReplications, REPLICATE_JOB, replicate } from '../../src/sync/replication/replicate.ts'
import { TABLES } from '../../src/sync/replication/tables.ts'
import { openApiHarness } from '../api/harness.ts'
import { takeJobs } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { deliverFile } from '../owner/delivered-files.ts'
import { addDatabase, openTargetDatabase } from './harness.ts'

const api = openForTests(openApiHarness)
const customer = openForTests(openTargetDatabase, (opened) => opened.drop())
const query = async (text: string, values: unknown[] = []) => (await api.syncHarness.deps.database.query(text, values)).rows
const UNREACHABLE = { port: 1 }
/** Published by the harness. */
const RECORDS = 13

let id: string
let lines: unknown[][]
let hidden: string[]
beforeEach(async () => {
  await query('delete from export_destinations')
  await query('delete from jobs')
  await customer.database.query('drop schema if exists countinghouse cascade')
  id = await addDatabase(api, customer)
  await query('delete from jobs')
  lines = []
  hidden = []
})

const deps = () => {
  const { log } = api.syncHarness.deps
  const note =
    (level: string) =>
    (...line: unknown[]) =>
      void lines.push([level, ...line])
  return {
    ...api.syncHarness.deps,
    log: Object.assign(Object.create(log), { warn: note('warn'), info: note('info') }),
    allowPrivate: true,
    hide: (secret: string) => void hidden.push(secret),
  }
}
const jobOf = (attempts = 1, destinationId = id): Job => ({
  ...{ id: randomUUID(), instanceId: api.syncHarness.instanceId, kind: REPLICATE_JOB, key: '', attempts, furthest: 0 },
  payload: { destinationId },
})
const makeUnreachable = () => query('update export_destinations set settings = settings || $1', [JSON.stringify(UNREACHABLE)])
const replication = async () =>
  (
    await query(
      `select error, failures, failing_since as since, current_at as "currentAt", token, pass,
         round(extract(epoch from next_at - clock_timestamp()) / 60)::int as "inMinutes" from export_replications where destination_id = $1`,
      [id],
    )
  )[0]

describe('a replication that is due', () => {
  const queued = async () => {
    await queueDueReplications(api.syncHarness.deps.database)
    return (await takeJobs(api.syncHarness.deps.database, REPLICATE_JOB)).map((job) => [job.instanceId, job.key, job.payload])
  }
  const pass = (seconds: number) => query(`update export_replications set next_at = next_at - make_interval(secs => $1)`, [seconds])

  it('is queued once a minute', async () => {
    const mine = [[api.syncHarness.instanceId, `replicate/${id}`, { destinationId: id }]]
    expect([await queued(), await queued()]).toEqual([mine, []])
    await pass(55)
    expect(await queued()).toEqual([])
    await pass(6)
    expect(await queued()).toEqual(mine)
  })

  it('is not queued twice while its job waits', async () => {
    await queueDueReplications(api.syncHarness.deps.database)
    await pass(61)
    expect(await queued()).toHaveLength(1)
  })
})

describe('a replication whose database cannot be reached', () => {
  beforeEach(makeUnreachable)

  it.each([
    [0, 1],
    [1, 2],
    [2, 4],
    [5, 32],
    [6, 60],
    [7, 60],
    [2_000, 60],
  ])('after %i failures is tried again after %i minutes', async (failures, inMinutes) => {
    await query('update export_replications set failures = $1', [failures])
    expect(await replicate(deps(), jobOf(), () => false)).toEqual({ done: true })
    const { error, ...row } = await replication()
    expect(row).toMatchObject({ failures: failures + 1, inMinutes, since: expect.any(Date), currentAt: null, token: null })
    expect(lines).toEqual([['warn', { destinationId: id, reason: error }, 'replication interrupted']])
    expect(hidden, 'a log line may not show it').toEqual(['pg-canary-4471'])
  })

  it('fails since its first failure, until it succeeds', async () => {
    await replicate(deps(), jobOf(), () => false)
    const first = (await replication()).since
    await replicate(deps(), jobOf(), () => false)
    expect(await replication()).toMatchObject({ failures: 2, since: first })
    await query('update export_destinations set settings = settings || $1', [JSON.stringify({ port: customer.port })])
    expect(await replicate(deps(), jobOf(), () => false)).toEqual({ done: true })
    expect(await replication()).toMatchObject({ failures: 0, since: null, error: null, currentAt: expect.any(Date) })
  })
})

describe('a replication', () => {
  it('that a stopping worker runs goes on in another, and has written nothing', async () => {
    expect(await replicate(deps(), jobOf(), () => true)).toEqual({
      ...{ done: false, inMs: 0, isFailure: false },
      reason: 'the worker stopped, or the replication begins again',
    })
    expect(await replication()).toMatchObject({ token: null, currentAt: null, failures: 0 })
    const { rows } = await customer.database.query('select token, pass from countinghouse.countinghouse_state')
    expect(rows).toEqual([{ token: null, pass: 0 }])
  })

  it('begins again where its database knows another state, and says so', async () => {
    await replicate(deps(), jobOf(), () => false)
    expect([await replication(), lines]).toMatchObject([{ pass: 1, currentAt: expect.any(Date) }, []])
    await customer.database.query('update countinghouse.countinghouse_state set token = gen_random_uuid()')
    expect(await replicate(deps(), jobOf(), () => false)).toMatchObject({ done: false, inMs: 0, isFailure: false })
    expect([await replication(), lines]).toMatchObject([
      { pass: 2, token: null, currentAt: null },
      [['info', { destinationId: id }, 'replication begins again']],
    ])
    expect(await replicate(deps(), jobOf(), () => false)).toEqual({ done: true })
    expect(await replication()).toMatchObject({ pass: 2, token: expect.any(String), currentAt: expect.any(Date) })
  })

  it('whose database another process has written to meanwhile leaves it as that process did', async () => {
    const theirs = randomUUID()
    const crashPoint = async (name: string) => {
      if (name !== 'before-replicated-commit') return
      await customer.database.query('update countinghouse.countinghouse_state set token = $1', [theirs])
    }
    expect(await replicate({ ...deps(), crashPoint }, jobOf(), () => false)).toMatchObject({ done: false, inMs: 0, isFailure: false })
    const { rows } = await customer.database.query('select token, pass from countinghouse.countinghouse_state')
    expect([rows, (await replication()).currentAt]).toEqual([[{ token: theirs, pass: 0 }], null])
  })

  it.each([
    [
      'its place is in another feed',
      `update export_replications set position = jsonb_set(position, '{feedId}', to_jsonb(gen_random_uuid()))`,
      '',
    ],
    [
      'its place is later than an empty database',
      'update export_replications set token = null, next_token = null',
      'drop schema countinghouse cascade',
    ],
  ])('begins again where %s, and removes what is not published', async (_what, here, there) => {
    await replicate(deps(), jobOf(), () => false)
    await query(here)
    if (there !== '') await customer.database.query(there)
    expect(await replicate(deps(), jobOf(), () => false)).toMatchObject({ done: false, inMs: 0, isFailure: false })
    expect([await replication(), lines]).toMatchObject([
      { pass: 2, token: null },
      [['info', { destinationId: id }, 'replication begins again']],
    ])
    await customer.database.query(
      `insert into countinghouse.banking_accounts (company_id, service_id, id, session_id, pass)
       values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1)`,
    )
    expect(await replicate(deps(), jobOf(), () => false)).toEqual({ done: true })
    const all = TABLES.map(({ name }) => `(select count(*) from countinghouse.${name})`).join(' + ')
    expect((await customer.database.query(`select (${all})::int as rows`)).rows).toEqual([{ rows: RECORDS }])
  })

  it('goes on from an earlier place where its database has what was before', async () => {
    await replicate(deps(), jobOf(), () => false)
    await query('update export_replications set token = null, next_token = null')
    expect(await replicate(deps(), jobOf(), () => false)).toEqual({ done: true })
    expect([await replication(), lines]).toMatchObject([{ pass: 1, token: expect.any(String) }, []])
  })

  it('leaves no connection open', async () => {
    const connections = async () =>
      (await customer.database.query('select from pg_stat_activity where datname = current_database()')).rowCount ?? 0
    const before = await connections()
    await replicate(deps(), jobOf(), () => true)
    await expect.poll(connections).toBe(before)
  })

  it.each(['that is gone', 'into a bucket'])('of a destination %s is done', async (which) => {
    let other = randomUUID()
    if (which === 'into a bucket') {
      const { instanceId, companyId } = api.syncHarness
      await deliverFile(
        api.syncHarness.deps.database,
        { instanceId, companyId, serviceId: randomUUID() },
        { name: 'Bucket', state: 'erased' },
      )
      const [row] = await query(`select id from export_destinations where kind = 's3'`)
      other = row.id
    }
    expect(await replicate(deps(), jobOf(1, other), () => false)).toEqual({ done: true })
    expect(await emptyReplica(deps(), jobOf(1, other))).toEqual({ done: true })
    expect([lines, hidden, await replication()]).toMatchObject([[], [], { failures: 0, currentAt: null }])
  })

  it('that has ended is done, and its destination stays', async () => {
    await query('delete from export_replications')
    expect(await replicate(deps(), jobOf(), () => false)).toEqual({ done: true })
    expect([hidden, (await query('select from export_destinations')).length]).toEqual([[], 1])
  })
})

describe('a replication of several steps', () => {
  const target = async () => {
    const all = TABLES.map(({ name }) => `(select count(*) from countinghouse.${name})`).join(' + ')
    const { rows } = await customer.database.query(
      `select token, current_on as "currentOn", (${all})::int as rows from countinghouse.countinghouse_state`,
    )
    return rows[0]
  }
  const each = (work: (name: string) => Promise<unknown>) => async (name: string) => void (await work(name))

  it.each([
    [5, false],
    [5_000, true],
  ])('says once everything is there, and not before, with %i records a step', async (batchRecords, isKnown) => {
    const seen: [number, boolean][] = []
    const crashPoint = each(async (name) => {
      const { currentOn, rows } = await target()
      if (name === 'after-replicated-commit') seen.push([rows, currentOn !== null])
    })
    expect(await replicate({ ...deps(), crashPoint, batchRecords }, jobOf(), () => false)).toEqual({ done: true })
    expect(seen.at(-1)).toEqual([RECORDS, isKnown])
    expect(seen.filter(([rows, isCurrent]) => isCurrent && rows < RECORDS)).toEqual([])
    expect(await target()).toMatchObject({ rows: RECORDS, currentOn: expect.any(Date) })
  })

  it('writes nothing where nothing is new, and says when that was', async () => {
    await replicate(deps(), jobOf(), () => false)
    const before = [await target(), await replication()]
    const names: string[] = []
    const crashPoint = each(async (name) => names.push(name))
    expect(await replicate({ ...deps(), crashPoint }, jobOf(), () => false)).toEqual({ done: true })
    const [there, here] = [await target(), await replication()]
    expect([names, there.token, here.token]).toEqual([[], before[0].token, before[1].token])
    expect([there.currentOn > before[0].currentOn, here.currentAt > before[1].currentAt]).toEqual([true, true])
  })

  it('that was rewound between two of them writes no more', async () => {
    let rowsThen = 0
    const crashPoint = each(async (name) => {
      if (name !== 'after-replicated-commit') return
      rowsThen = (await target()).rows
      await query('update export_replications set pass = pass + 1, token = null, next_token = null, position = null, next_position = null')
    })
    const outcome = await replicate({ ...deps(), crashPoint, batchRecords: 5 }, jobOf(), () => false)
    expect(outcome).toMatchObject({ done: false, inMs: 0, isFailure: false })
    expect([(await target()).rows, rowsThen < RECORDS, await replication()]).toMatchObject([rowsThen, true, { token: null, pass: 2 }])
  })

  it.each(['before-replicated-commit', 'after-replicated-commit'])('that was killed %s goes on there', async (place) => {
    let steps = 0
    const crashPoint = each(async (name) => {
      if (name !== place) return
      steps += 1
      if (steps === 2) throw new Error('killed')
    })
    await expect(replicate({ ...deps(), crashPoint, batchRecords: 5 }, jobOf(), () => false)).rejects.toThrow('killed')
    const names: string[] = []
    const note = each(async (name) => names.push(name))
    expect(await replicate({ ...deps(), crashPoint: note, batchRecords: 5 }, jobOf(), () => false)).toEqual({ done: true })
    expect([await replication(), (await target()).rows, lines]).toMatchObject([{ pass: 1 }, RECORDS, []])
    expect(
      names.filter((name) => name === place),
      'no step is repeated that was committed',
    ).toHaveLength(place.startsWith('before') ? 2 : 1)
  })

  it('that fails by a fault of ours is not shown as a fault of the database', async () => {
    const crashPoint = each(() => Promise.reject(new Error('a fault')))
    await expect(replicate({ ...deps(), crashPoint }, jobOf(), () => false)).rejects.toThrow('a fault')
    expect([await replication(), lines]).toMatchObject([{ failures: 0, error: null }, []])
    expect(await replicate(deps(), jobOf(), () => false)).toEqual({ done: true })
    expect((await target()).rows).toBe(RECORDS)
  })
})

describe('the rows of an erased instance', () => {
  it('go, and the replication with them', async () => {
    await replicate(deps(), jobOf(), () => false)
    expect(await emptyReplica(deps(), jobOf())).toEqual({ done: true })
    expect([await replication(), (await query('select from export_destinations')).length]).toEqual([undefined, 1])
  })

  it('that cannot be reached are tried also where the replication has ended', async () => {
    await makeUnreachable()
    await query('delete from export_replications')
    expect(await emptyReplica(deps(), jobOf())).toMatchObject({ done: false, isFailure: true })
  })

  it('that cannot be reached are tried until the last attempt, and the replication stays', async () => {
    await makeUnreachable()
    const outcome = await emptyReplica(deps(), jobOf(MAX_ATTEMPTS - 1))
    const row = await replication()
    expect(outcome).toEqual({ done: false, isFailure: true, inMs: expect.any(Number), reason: row.error })
    expect(row).toMatchObject({ failures: 1, inMinutes: 60, error: expect.stringMatching(/\w/) })
    expect(await emptyReplica(deps(), jobOf(MAX_ATTEMPTS))).toEqual({ done: true })
    expect(await replication()).toMatchObject({ failures: 2 })
    const fields = { kind: 'emptyReplica', destinationId: id, reason: row.error }
    expect(lines).toEqual([
      ['warn', { ...fields, isLast: false }, 'rows at a destination were not deleted'],
      ['warn', { ...fields, isLast: true }, 'rows at a destination were not deleted'],
    ])
  })
})
