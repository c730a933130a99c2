import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { findExport } from '../../src/store/exports/exports.ts'
import { NotEncodable } from '../../src/sync/exports/encode-target.ts'
import { requestExport, TooManyRequested } from '../../src/sync/exports/request-export.ts'
import { afterInterruption } from '../../src/sync/exports/run-export.ts'
import { takeJobs } from '../harness/app/jobs.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'

const harness = openForTests(() => openSyncHarness([]))
const query = async (text: string, values: unknown[]) => (await harness.deps.database.query(text, values)).rows

let instanceId: string
beforeEach(async () => {
  instanceId = await addInstance(harness.deps.database)
  await query('delete from jobs', [])
})
const wanted = (id = randomUUID()) => ({
  ...({ instanceId, id, companyId: null, category: 'Banking', entity: 'Accounts', format: 'csv', requestedBy: 'dev@example.com' } as const),
})
const request = async (given = wanted()) => {
  let isNew = false
  const made = await requestExport(harness.deps, given, async () => {
    isNew = true
  })
  return { made, isNew }
}

describe('an export that is requested', () => {
  it('waits, with a job, and a repeated request is that export', async () => {
    const given = wanted()
    const { made, isNew } = await request(given)
    expect([made, isNew]).toMatchObject([{ ...given, state: 'waiting', rows: 0, error: null }, true])
    expect(await request(given)).toEqual({ made, isNew: false })
    const jobs = await takeJobs(harness.deps.database, 'export')
    expect(jobs.map(({ instanceId: of, key, payload }) => [of, key, payload])).toEqual([
      [instanceId, `export/${given.id}`, { exportId: given.id }],
    ])
  })

  it('is one of five that are being written, of this instance', async () => {
    const first = wanted()
    await request(first)
    for (let count = 1; count < 5; count += 1) await request()
    await expect(request()).rejects.toThrow('5 exports are being written. Wait for one of them.')
    expect((await request(first)).isNew).toBe(false)
    await query(`update exports set state = 'completed', ended_at = now() where instance_id = $1 and id = $2`, [instanceId, first.id])
    expect((await request()).isNew).toBe(true)
    instanceId = await addInstance(harness.deps.database)
    expect((await request()).isNew).toBe(true)
  })

  it('is one of a hundred that are kept', async () => {
    const fill = (count: number) =>
      query(
        `insert into exports (instance_id, id, category, entity, format, requested_by, state, ended_at)
         select $1, gen_random_uuid(), 'Banking', 'Accounts', 'csv', 'x', 'completed', now() from generate_series(1, $2::int)`,
        [instanceId, count],
      )
    await fill(99)
    expect((await request()).isNew).toBe(true)
    await expect(request()).rejects.toThrow(TooManyRequested)
    await expect(request()).rejects.toThrow('100 exports are kept. Delete one of them.')
  })

  it('is not made where what belongs to it fails', async () => {
    const given = wanted()
    const fail = () => Promise.reject(new Error('no entry'))
    await expect(requestExport(harness.deps, given, fail)).rejects.toThrow('no entry')
    expect([await findExport(harness.deps.database, given), await takeJobs(harness.deps.database, 'export')]).toEqual([null, []])
  })
})

describe('an export that is interrupted', () => {
  const logged: string[] = []
  async function interrupt(error: Error, attempts: number) {
    logged.length = 0
    const { made } = await request()
    const note = (level: string) => (_fields: object, message: string) => void logged.push(`${level}: ${message}`)
    const log = { info: note('info'), warn: note('warn'), error: note('error') }
    const job = { id: randomUUID(), instanceId, kind: 'export', key: '', payload: { exportId: made.id }, attempts, furthest: 0 }
    const outcome = await afterInterruption({ ...harness.deps, log }, job, error)
    const { state, error: reason } = (await findExport(harness.deps.database, made)) ?? {}
    return { outcome, state, reason }
  }

  it.each([1, 4])('at attempt %i is tried again', async (attempts) => {
    const { outcome, ...left } = await interrupt(new Error('a fault of ours'), attempts)
    expect(outcome).toMatchObject({ done: false, isFailure: true, reason: 'the export was interrupted' })
    expect([left, logged]).toEqual([{ state: 'waiting', reason: null }, ['warn: export interrupted']])
  })

  it('at the fifth attempt has failed', async () => {
    expect(await interrupt(new Error('a fault of ours'), 5)).toEqual({
      ...{ outcome: { done: true }, state: 'failed', reason: 'The file could not be written.' },
    })
    expect(logged).toEqual(['error: export failed'])
  })

  it('by an amount that does not fit has failed at once, and it is no fault of ours', async () => {
    expect(await interrupt(new NotEncodable(), 1)).toEqual({
      ...{ outcome: { done: true }, state: 'failed' },
      reason: 'An amount has more digits than Parquet can hold exactly. Request the export as NDJSON or CSV.',
    })
    expect(logged).toEqual([])
  })
})
