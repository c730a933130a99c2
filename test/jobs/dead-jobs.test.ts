import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { type DeadJobSummary, enqueueJob } from '../../src/store/jobs/jobs.ts'
import { requeueExpiredJobs } from '../../src/store/jobs/leases.ts'
import { bearerOf, type TestApi, testApi } from '../harness/test-api.ts'
import { claim, workOn } from './queue.ts'

let api: TestApi
let headers: { authorization: string }
beforeEach(async () => {
  api = await testApi()
  headers = await bearerOf(api, (await api.addUser()).email)
})
afterEach(async () => await api.close())

const job = (key: string, instanceId = api.instanceId, kind = 'work') => ({ instanceId, kind, key, provider: 'xero', payload: { of: key } })

/** Adds jobs whose next failure is the last. */
async function exhausted(...keys: string[]): Promise<void> {
  for (const key of keys) await enqueueJob(api.deps.database, job(key))
  await api.deps.database.query('update jobs set attempts = $1', [MAX_ATTEMPTS - 1])
}

/** Processes due jobs with a failing handler until `count` jobs are dead. */
async function failUntilDead(count: number): Promise<DeadJobSummary[]> {
  const died: DeadJobSummary[] = []
  const all = Promise.withResolvers<void>()
  const worker = workOn(
    api.deps.database,
    { work: () => Promise.reject(new Error('the API key sk_live_abc is refused')) },
    {
      onDeadJob: (dead) => {
        died.push(dead)
        if (died.length === count) all.resolve()
      },
    },
  )
  await all.promise
  await worker.stop()
  return died
}

async function call(method: 'GET' | 'POST', path: string, payload?: object) {
  const answer = await api.app.inject({ method, url: `/admin/api/v1${path}`, headers, ...(payload ? { payload } : {}) })
  return { status: answer.statusCode, body: answer.json() }
}

async function stateOf(): Promise<unknown[]> {
  const { rows } = await api.deps.database.query('select key, state, attempts, payload from jobs order by key')
  return rows
}

describe('a job that has failed for the last time', () => {
  it('is reported, and listed for admins with its reason but without its payload or a secret', async () => {
    await exhausted('a')
    expect(await failUntilDead(1)).toMatchObject([{ kind: 'work', instanceId: api.instanceId, attempts: MAX_ATTEMPTS }])
    const { body } = await call('GET', '/jobs/dead')
    expect(body).toMatchObject({ count: 1, data: [{ kind: 'work', key: 'a', provider: 'xero', attempts: MAX_ATTEMPTS }] })
    expect(body.data[0].error).toContain('is refused')
    expect(JSON.stringify(body)).not.toMatch(/sk_live|payload/)
  })

  it('can be redriven, with all its attempts', async () => {
    await exhausted('a', 'b')
    await failUntilDead(2)
    const { body } = await call('GET', '/jobs/dead?FilterQuery=key=a')
    expect(await call('POST', `/jobs/dead/${body.data[0].id}/redrive`)).toEqual({ status: 202, body: { jobs: 1 } })
    expect(await stateOf()).toMatchObject([
      { key: 'a', state: 'ready', attempts: 0, payload: { of: 'a' } },
      { key: 'b', state: 'dead' },
    ])
    expect(await claim(api.deps.database, 5)).toMatchObject([{ key: 'a' }])
  })

  it('returns with all others of its kind', async () => {
    await exhausted('a', 'b', 'c')
    await failUntilDead(3)
    expect(await call('POST', '/jobs/dead/redrive', { kind: 'other' })).toMatchObject({ status: 404 })
    expect(await call('POST', '/jobs/dead/redrive', { kind: 'work' })).toEqual({ status: 202, body: { jobs: 3 } })
    expect(await claim(api.deps.database, 5)).toHaveLength(3)
  })

  it('yields to a waiting job of its kind and key', async () => {
    await exhausted('a')
    await failUntilDead(1)
    await enqueueJob(api.deps.database, { ...job('a'), payload: { of: 'newer' }, delayMs: 3_600_000 })
    await call('POST', '/jobs/dead/redrive', { kind: 'work' })
    expect(await stateOf()).toMatchObject([{ state: 'ready', payload: { of: 'newer' } }])
    expect(await claim(api.deps.database, 5)).toHaveLength(1)
  })

  it('of another instance looks nonexistent', async () => {
    const other = await api.addInstance()
    await enqueueJob(api.deps.database, job('foreign', other))
    await api.deps.database.query(`update jobs set state = 'dead', died_at = clock_timestamp()`)
    const { rows } = await api.deps.database.query<{ id: string }>('select id from jobs')
    expect((await call('GET', '/jobs/dead')).body).toMatchObject({ count: 0 })
    expect((await call('POST', '/jobs/dead/redrive', { kind: 'work' })).status).toBe(404)
    expect((await call('POST', `/jobs/dead/${rows[0]?.id}/redrive`)).status).toBe(404)
    expect((await call('POST', `/jobs/dead/${randomUUID()}/redrive`)).status).toBe(404)
    expect(await stateOf()).toMatchObject([{ state: 'dead' }])
  })
})

it('a job that kills every worker becomes a dead job, too', async () => {
  await enqueueJob(api.deps.database, job('deadly'))
  const died: DeadJobSummary[] = []
  for (let death = 1; death <= MAX_ATTEMPTS; death += 1) {
    expect(await claim(api.deps.database, 1), `claim ${death}`).toHaveLength(1)
    await api.deps.database.query(`update jobs set lease_until = clock_timestamp() - interval '1 second'`)
    died.push(...(await requeueExpiredJobs(api.deps.database, MAX_ATTEMPTS)).died)
  }
  expect(died).toMatchObject([{ kind: 'work', attempts: MAX_ATTEMPTS }])
  expect(await claim(api.deps.database, 1)).toEqual([])
})
