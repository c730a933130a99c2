import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listNearBounds, QuotaReached, saveQuotaDefaults } from '../../src/store/operators/quotas.ts'
import { beginUpload, endUpload } from '../../src/store/operators/uploads-in-flight.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf } from '../harness/test-api.ts'
import { operatorHarness } from './harness.ts'

interface Quota {
  name: string
  used: number | null
  bound: number | null
  isDefault: boolean
  isNear: boolean
}

const api = openForTests(operatorHarness)
let token: string
let ours: string
let headers: { authorization: string }
beforeAll(async () => {
  ;({ token } = await api.signIn())
})
beforeEach(async () => {
  ours = await api.addInstance()
  headers = await bearerOf(api, (await api.addUser({ instanceId: ours })).email)
})
const set = (bounds: object) => api.ask<Quota[]>('PUT', `/instances/${ours}/quotas`, token, bounds)
const addCompany = (app = api.app) =>
  app.inject({ method: 'POST', url: '/admin/api/v1/normalized-data/company', headers, payload: { name: 'New' } })
const quotaOf = async (name: string) =>
  (await api.ask<Quota[]>('GET', `/instances/${ours}/quotas`, token)).body.find((quota) => quota.name === name)

describe('a quota', () => {
  it('refuses what goes beyond it with 409 and its name, and changes nothing', async () => {
    await set({ companies: 2 })
    expect([(await addCompany()).statusCode, (await addCompany()).statusCode]).toEqual([201, 201])
    const refused = await addCompany()
    expect([refused.statusCode, refused.json<{ detail: string }>().detail]).toEqual([409, expect.stringContaining('quota companies')])
    expect(await quotaOf('companies')).toEqual({ name: 'companies', used: 2, bound: 2, isDefault: false, isNear: true })
  })

  it('is never passed, whoever adds at once', async () => {
    await set({ companies: 7 })
    const another = api.another()
    const apps = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? api.app : another))
    const answers = await Promise.all(apps.map((app) => addCompany(app)))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([...Array(7).fill(201), ...Array(43).fill(409)])
    expect((await quotaOf('companies'))?.used).toBe(7)
  })

  it('that is lowered below use keeps what is there, and refuses more until there is room', async () => {
    for (let count = 0; count < 3; count += 1) await addCompany()
    await set({ companies: 1 })
    expect(await quotaOf('companies')).toMatchObject({ used: 3, bound: 1 })
    expect((await addCompany()).statusCode).toBe(409)
    await set({ companies: null })
    expect((await addCompany()).statusCode).toBe(201)
  })

  it('of the deployment holds where operators have set none', async () => {
    await saveQuotaDefaults(api.deps.database, { subscriptions: 1 })
    const subscribe = (path: string) =>
      api.app.inject({
        method: 'POST',
        url: '/admin/api/v1/webhooks/subscriptions/NormalizedData',
        headers,
        payload: { callbackUrl: `https://receiver.example/${path}` },
      })
    expect([(await subscribe('a')).statusCode, (await subscribe('b')).statusCode]).toEqual([200, 409])
    expect(await quotaOf('subscriptions')).toMatchObject({ bound: 1, isDefault: true })
    await set({ subscriptions: 2 })
    expect((await subscribe('b')).statusCode).toBe(200)
    await saveQuotaDefaults(api.deps.database, {})
  })

  it('of requests takes the place of the general limit within a second', async () => {
    const read = () => api.app.inject({ url: '/admin/api/v1/normalized-data/companies', headers })
    await set({ requestsPerMinute: 3 })
    api.moveClock(61_000)
    const answers = [await read(), await read(), await read(), await read()]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 429])
    expect(answers.at(-1)?.json<{ detail: string }>().detail).toContain('requestsPerMinute')
    // Of all limits the one that is nearest, so that a program slows down before.
    expect(answers.map(({ headers: { 'ratelimit-limit': bound, 'ratelimit-remaining': left } }) => [bound, left])).toEqual(
      ['2', '1', '0', '0'].map((left) => ['3', left]),
    )
    await set({ requestsPerMinute: null })
    api.moveClock(1_000)
    expect((await read()).statusCode).toBe(200)
  })

  it('of uploads counts those of all processes, and frees itself when one was left behind', async () => {
    await set({ uploads: 1 })
    const { database } = api.deps
    const first = await beginUpload(database, ours, 60_000)
    await expect(beginUpload(database, ours, 60_000)).rejects.toThrow(QuotaReached)
    await endUpload(database, ours, first)
    await beginUpload(database, ours, -1)
    await beginUpload(database, ours, 60_000)
  })

  it('is told from 80 % on, to operators and to the administrators of the instance', async () => {
    await set({ companies: 5 })
    for (let count = 0; count < 4; count += 1) {
      expect((await quotaOf('companies'))?.isNear).toBe(false)
      await addCompany()
    }
    expect(await listNearBounds(api.deps.database, ours)).toMatchObject([{ name: 'companies', used: 4, bound: 5 }])
    const own = await api.app.inject({ url: '/admin/api/v1/usage/quotas', headers })
    expect(own.json<Quota[]>().find(({ name }) => name === 'companies')).toMatchObject({ used: 4, bound: 5, isNear: true })
  })

  it('is refused where it is wrong', async () => {
    const answers = [await set({ companies: -1 }), await set({ compnies: 1 }), await set({}), await set({ companies: 1.5 })]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect((await api.ask('PUT', `/instances/${randomUUID()}/quotas`, token, { companies: 1 })).status).toBe(404)
  })
})
