import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, it } from 'vitest'
import { UsageCounter } from '../../src/api/http/usage.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import { pruneUsage, readUsage } from '../../src/store/access/usage.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openApiHarness } from './harness.ts'

describe('usage of an instance', () => {
  const api = openForTests(openApiHarness)
  let base: string
  beforeAll(async () => {
    base = await api.app.listen({ port: 0, host: '127.0.0.1' })
  })

  const database = () => api.syncHarness.deps.database

  it('is returned by the API, with the quotas for admins', async () => {
    const usage = await api.call('GET', '/usage?Days=7', { role: 'viewer' })
    expect(usage.json()).toMatchObject({ connections: expect.arrayContaining([{ statusCode: 15, statusName: 'Structured', count: 1 }]) })
    expect((await api.call('GET', '/usage/quotas')).json()).toMatchObject([{ name: 'companies', bound: null }, ...Array(7).fill({})])
    // The funnel has a test of its own.
    expect(api.listUnseen((path) => /^\/usage(?!\/funnel)/.test(path))).toEqual([])
  })

  it('counts each request once, whether or not the router answered it, and never another instance’s', async () => {
    const { companyId, instanceId } = api.syncHarness
    const headers = { authorization: `Bearer ${api.tokens.viewer}` }
    const url = `${base}/admin/api/v1/normalized-data/${companyId}/accountancy/accounts/${toServiceId('books')}`
    const etags: string[] = []
    for (let turn = 0; turn < 5; turn += 1) etags.push((await fetch(url, { headers })).headers.get('etag') ?? '')
    for (let turn = 0; turn < 3; turn += 1) await fetch(url, { headers: { ...headers, 'if-none-match': etags[0] ?? '' } })
    await fetch(`${url}?OrderBy=nothing`, { headers })
    await fetch(url)
    const neighbour = await api.openOtherInstance()
    await fetch(url, { headers: { authorization: `Bearer ${neighbour.token}` } })
    await api.app.close()
    const { api: counts } = await readUsage(database(), instanceId, 2)
    const own = counts.filter(({ operation }) => operation === 'listAccountingAccounts')
    expect(own.map(({ status, count }) => [status, count])).toEqual([
      [200, 5],
      [304, 3],
      [400, 1],
    ])
  })

  it('is kept while the database is unavailable, and written once', async () => {
    const instanceId = api.syncHarness.instanceId
    let isAway = true
    const flaky = new Proxy(database(), {
      get: (target, name) =>
        name === 'query' && isAway ? () => Promise.reject(new Error('away')) : Reflect.get(target, name, target).bind?.(target),
    })
    const usage = new UsageCounter(flaky)
    const count = usage.counterOf(instanceId, 'someRead')
    for (let turn = 0; turn < 4; turn += 1) count(200)
    await expect(usage.flush()).rejects.toThrow('away')
    isAway = false
    count(200)
    await usage.flush()
    await usage.flush()
    const { api: counts } = await readUsage(database(), instanceId, 2)
    expect(counts.filter(({ operation }) => operation === 'someRead').map(({ count: total }) => total)).toEqual([5])
  })

  it('keeps nothing of past intervals, however many addresses were read in them', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const away = new Proxy(database(), { get: () => async () => ({ rows: [] }) })
    const usage = new UsageCounter(away)
    const counters: ((status: number) => void)[] = []
    collect()
    const before = process.memoryUsage().heapUsed
    for (let turn = 0; turn < 200; turn += 1) {
      const count = usage.counterOf('one', `read ${turn}`)
      count(200)
      counters.push(count)
      for (let other = 0; other < 1_000; other += 1) usage.count(`instance ${other}`, 'someRead', 200)
      await usage.flush()
    }
    collect()
    const keptMiB = (process.memoryUsage().heapUsed - before) / 1_048_576
    expect(counters).toHaveLength(200)
    expect(keptMiB).toBeLessThan(5)
  })

  it('uses one row per day, operation and status, however many requests there are, and is deleted after 92 days', async () => {
    const instanceId = crypto.randomUUID()
    await createInstance(database(), { id: instanceId, name: 'Old' })
    const usage = new UsageCounter(database())
    const gone = crypto.randomUUID()
    for (let turn = 0; turn < 1_000; turn += 1) {
      usage.count(instanceId, 'someRead', 200)
      usage.count(gone, 'someRead', 200)
    }
    await usage.flush()
    const rows = async () => (await database().query('select 1 from api_usage where instance_id = any($1)', [[instanceId, gone]])).rowCount
    const written = await rows()
    await database().query('update api_usage set day = day - 92 where instance_id = $1', [instanceId])
    await pruneUsage(database())
    const kept = await rows()
    await database().query('update api_usage set day = day - 1 where instance_id = $1', [instanceId])
    await pruneUsage(database())
    expect([written, kept, await rows()]).toEqual([1, 1, 0])
  })
})
