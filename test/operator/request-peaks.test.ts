import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RequestLimit } from '../../src/api/http/request-limits.ts'
import { RequestPeaks } from '../../src/api/operator/request-peaks.ts'
import { listNearBounds, listQuotas, setQuotas } from '../../src/store/operators/quotas.ts'
import { noteRequestPeaks } from '../../src/store/operators/request-peaks.ts'
import { bearerOf, type TestApi, testApi } from '../harness/test-api.ts'

const MINUTE_MS = 60_000

describe('the peaks of a limit', () => {
  const count = (limit: RequestLimit, key: string, times: number, atMs: number) => {
    for (let request = 0; request < times; request += 1) limit.count(key, atMs)
  }

  it('are the most of a minute, of those that are over and of the present one, and are given once', () => {
    const limit = new RequestLimit(1_000, { hasPeaks: true })
    count(limit, 'a', 5, 0)
    count(limit, 'a', 3, MINUTE_MS)
    count(limit, 'b', 2, MINUTE_MS)
    expect([...limit.takePeaks(MINUTE_MS + 1)]).toEqual([
      ['a', 5],
      ['b', 2],
    ])
    expect([...limit.takePeaks(2 * MINUTE_MS)]).toEqual([
      ['a', 3],
      ['b', 2],
    ])
    expect([...limit.takePeaks(3 * MINUTE_MS)]).toEqual([])
  })

  it('are counted without a limit, and beyond one', () => {
    const [free, tight] = [new RequestLimit(0, { hasPeaks: true }), new RequestLimit(2, { hasPeaks: true })]
    count(free, 'a', 4, 0)
    count(tight, 'a', 2, 0)
    expect(() => tight.count('a', 0)).toThrow('Too many requests')
    expect([free.takePeaks(1), tight.takePeaks(1)].map((peaks) => peaks.get('a'))).toEqual([4, 3])
  })
})

describe('the use of requests a minute', () => {
  let api: TestApi
  let headers: { authorization: string }
  beforeEach(async () => {
    api = await testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } })
    headers = await bearerOf(api, (await api.addUser({ role: 'admin' })).email)
  })
  afterEach(async () => await api.close())

  const useOf = async () => (await listQuotas(api.deps.database, api.instanceId)).find(({ name }) => name === 'requestsPerMinute')
  const countWrites = async () =>
    Number((await api.deps.database.query<{ xmin: string }>('select xmin::text from instance_uses')).rows[0]?.xmin ?? 0)

  it('is shown to operators, with a warning from 80 % on, before a request is refused', async () => {
    await setQuotas(api.deps.database, api.instanceId, { requestsPerMinute: 10 })
    api.moveClock(2_000)
    const ask = async () => (await api.app.inject({ url: '/admin/api/v1/webhooks/subscriptions', headers })).statusCode
    const codes = []
    for (let request = 0; request < 8; request += 1) codes.push(await ask())
    expect(new Set(codes)).toEqual(new Set([200]))
    // A process writes what is left when it stops.
    await api.app.close()
    expect(await useOf()).toEqual({ name: 'requestsPerMinute', used: 8, bound: 10, isDefault: false })
    expect((await listNearBounds(api.deps.database, api.instanceId)).map(({ name }) => name)).toEqual(['requestsPerMinute'])
  })

  it('is written where it is news: a higher peak, and the same again after five minutes', async () => {
    const { database } = api.deps
    let nowMs = 0
    let peak = 3
    const limits = { takePeaks: () => new Map(peak === 0 ? [] : [[api.instanceId, peak]]) }
    const peaks = new RequestPeaks(database, limits, () => new Date(nowMs))
    const flushed = async (next: number, afterMs: number) => {
      const before = await countWrites()
      peak = next
      nowMs += afterMs
      await peaks.flush()
      return [(await useOf())?.used, (await countWrites()) !== before]
    }
    expect(await flushed(3, 0)).toEqual([3, true])
    expect(await flushed(3, 10_000)).toEqual([3, false])
    expect(await flushed(2, 10_000)).toEqual([3, false])
    expect(await flushed(0, 10_000)).toEqual([3, false])
    expect(await flushed(5, 10_000)).toEqual([5, true])
    expect(await flushed(5, 5 * MINUTE_MS)).toEqual([5, true])
  })

  it('is the highest of all processes; a lower one takes its place after 10 minutes, and none is known after 15', async () => {
    const { database } = api.deps
    const note = async (peak: number) => await noteRequestPeaks(database, new Map([[api.instanceId, peak]]))
    const age = async (minutes: number) =>
      await database.query('update instance_uses set counted_at = counted_at - make_interval(mins => $1)', [minutes])
    await note(70)
    await note(20)
    expect((await useOf())?.used).toBe(70)
    await age(11)
    expect((await useOf())?.used).toBe(70)
    await note(20)
    expect((await useOf())?.used).toBe(20)
    await age(16)
    expect((await useOf())?.used).toBe(0)
  })

  it('is kept for the next time when it cannot be written', async () => {
    const { database } = api.deps
    await database.query('alter table instance_uses rename to away')
    let isFirst = true
    const limits = { takePeaks: () => (isFirst ? new Map([[api.instanceId, 9]]) : new Map<string, number>()) }
    const peaks = new RequestPeaks(database, limits, () => new Date(0))
    await expect(peaks.flush()).rejects.toThrow('instance_uses')
    isFirst = false
    await database.query('alter table away rename to instance_uses')
    await peaks.flush()
    expect((await useOf())?.used).toBe(9)
  })
})
