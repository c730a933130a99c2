import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { openRun } from '../../src/store/connections/sync-runs.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { requeueExpiredJobs } from '../../src/store/jobs/leases.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { NO_COUNTS } from '../../src/sync/runs/run-progress.ts'
import { runJob, takeJobs } from '../harness/app/jobs.ts'
import { countWaiting } from '../harness/while-open.ts'
import { until } from '../process/deadline.ts'
import { type ApiHarness, openApiHarness } from './harness.ts'

let api: ApiHarness
let place: string
beforeEach(async () => {
  api = await openApiHarness()
  place = `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${api.syncHarness.serviceId(api.books)}`
})
afterEach(async () => await api.close())

interface Asked {
  runId: string
  run: string
  runs: string
}

interface Run {
  id: string
  state: string
  reason: string
  startedOn: string | null
}

async function ask(action = 'refresh'): Promise<Asked> {
  const asked = await api.call('POST', `${place}/${action}`)
  expect([asked.statusCode, asked.headers.location]).toEqual([202, (asked.json() as unknown as Asked).runs])
  return asked.json() as unknown as Asked
}

async function read(address: string): Promise<Run & { status: number }> {
  const { statusCode: status, ...answer } = await api.call('GET', address.replace('/admin/api/v1', ''))
  return { ...(answer.json() as unknown as Run), status }
}

/** Runs the queued sync with the given number of attempts. */
async function work(attempts = 1) {
  const [job] = await takeJobs(api.syncHarness.deps.database, 'sync')
  if (!job) throw new Error('no sync is queued')
  return await runJob(syncHandlers(api.syncHarness.deps).sync, { ...job, attempts })
}

describe('a refresh names its run', () => {
  it.each(['refresh', 'accept-deletions'])('which waits, runs and is found at %s’s address and list', async (action) => {
    const asked = await ask(action)
    const before = await read(asked.run)
    await work()
    const after = await read(asked.run)
    const { data } = (await api.call('GET', asked.runs.replace('/admin/api/v1', ''))).json() as unknown as { data: Run[] }
    expect(asked.run).toBe(`/admin/api/v1${place}/runs/${asked.runId}`)
    expect([before.status, before.id, before.state, before.startedOn]).toEqual([200, asked.runId, 'waiting', null])
    expect([after.id, after.state, after.reason]).toEqual([asked.runId, 'unchanged', 'refresh'])
    expect(data.map(({ id }) => id)).toEqual([asked.runId])
  })

  it('shared by everyone who requests it before it starts, but not by later requests', async () => {
    const [first, second] = [await ask(), await ask()]
    await work()
    const third = await ask()
    await work()
    expect([second.runId, third.runId === first.runId, (await read(third.run)).state]).toEqual([first.runId, false, 'unchanged'])
  })

  it('that starts after the request, even if an earlier one waits for a pause of the source', async () => {
    const first = await ask()
    api.books.faults = [new SourceError('rateLimited', 'day limit', { retryAfterMs: 3_600_000 })]
    expect(await work()).toMatchObject({ done: false, isFailure: false })
    const { database } = api.syncHarness.deps
    const payload = { connectionId: api.connectionId, reason: 'refresh', runId: first.runId }
    await database.query(`insert into jobs (instance_id, kind, key, payload) values ($1, 'sync', $2, $3)`, [
      api.syncHarness.instanceId,
      `connection/${api.connectionId}`,
      JSON.stringify(payload),
    ])
    const second = await ask()
    await work()
    expect([(await read(first.run)).state, second.runId === first.runId, (await read(second.run)).state]).toEqual([
      'unchanged',
      false,
      'unchanged',
    ])
  })

  it('that is found when it begins while its address is read', async () => {
    const asked = await ask()
    const { database } = api.syncHarness.deps
    const { instanceId, companyId } = api.syncHarness
    const run = { instanceId, companyId, id: asked.runId, connectionId: api.connectionId, isAwaited: true }
    const { reading } = await inTransaction(database, async (worker) => {
      await worker.query('lock table jobs in access exclusive mode')
      const begun = read(asked.run)
      await until('a wait for the lock', async () => (await countWaiting(database)) > 0 || null)
      await takeJobs(worker, 'sync')
      await openRun(worker, { ...run, reason: 'refresh', counts: { ...NO_COUNTS } })
      return { reading: begun }
    })
    expect(await reading).toMatchObject({ status: 200, id: asked.runId, state: 'running' })
  })

  it('that begins though the worker dies that was to open it', async () => {
    const first = await ask()
    const { database } = api.syncHarness.deps
    await database.query(
      `update jobs set state = 'running', worker = gen_random_uuid(), lease_until = 'epoch', attempts = 1 where kind = 'sync'`,
    )
    const second = await ask()
    expect(await requeueExpiredJobs(database, 5)).toMatchObject({ died: [] })
    await work()
    expect([(await read(first.run)).state, (await read(second.run)).state]).toEqual(['unchanged', 'unchanged'])
  })

  it('that is gone if its connection is suspended before it starts', async () => {
    const asked = await ask()
    await api.call('POST', `${place}/suspend`)
    await work()
    expect((await read(asked.run)).status).toBe(404)
  })
})

it('a run is not found under another company, service or instance', async () => {
  const { runId } = await ask()
  await work()
  const bank = `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${api.syncHarness.serviceId(api.bank)}`
  const { token } = await api.openOtherInstance()
  const foreign = await api.call('GET', `${place}/runs/${runId}`, { role: null, headers: { authorization: `Bearer ${token}` } })
  expect([(await read(`${bank}/runs/${runId}`)).status, foreign.statusCode, (await read(`${place}/runs/${randomUUID()}`)).status]).toEqual([
    404, 404, 404,
  ])
})
