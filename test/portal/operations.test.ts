import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { claimJobs, enqueueJob, markJobDead } from '../../src/store/jobs/jobs.ts'
import { insertEvent } from '../../src/store/webhooks/events.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf, testApi } from '../harness/test-api.ts'

const WORKER = randomUUID()

describe('additional portal requests', () => {
  const api = openForTests(testApi)
  const admin = openForTests(async () => bearerOf(api, (await api.addUser()).email))
  const get = (path: string, headers = admin) => api.app.inject({ url: `/admin/api/v1${path}`, headers })

  it('one event is the same as in the feed, and another instance’s is unknown', async () => {
    const facts = { companyId: randomUUID(), serviceId: randomUUID(), sessionId: randomUUID() }
    const data = { serviceName: 'Bank', categoryName: 'Banking', categoryId: randomUUID(), email: '' }
    const id = randomUUID()
    await insertEvent(api.deps.database, { instanceId: api.instanceId, id, kind: 'NormalizedData', ...facts, data, dedupeKey: id })
    const feed = (await get('/webhooks/events')).json<{ data: unknown[] }>()
    expect((await get(`/webhooks/events/${id}`)).json()).toEqual(feed.data[0])
    const stranger = await bearerOf(api, (await api.addUser({ instanceId: await api.addInstance() })).email)
    expect((await get(`/webhooks/events/${id}`, stranger)).statusCode).toBe(404)
  })

  it('queues count waiting, running and dead jobs, of this instance only', async () => {
    const { database } = api.deps
    const put = (key: string, instanceId = api.instanceId) => enqueueJob(database, { instanceId, kind: 'sync', key, payload: {} })
    await Promise.all([put('a'), put('b'), put('c'), put('d', await api.addInstance())])
    const claimed = await claimJobs(database, { worker: WORKER, kinds: ['sync'], limit: 9, leaseMs: 60_000, after: null, cap: 9 })
    await markJobDead(database, WORKER, claimed.find(({ instanceId }) => instanceId === api.instanceId) ?? { id: '', key: '' }, 'gone')
    await put('e')
    expect((await get('/jobs/queues')).json()).toMatchObject([{ kind: 'sync', waiting: 1, running: 2, dead: 1 }])
  })
})
