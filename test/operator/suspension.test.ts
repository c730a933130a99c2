import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PROBLEMS, toProblem } from '../../src/connect/http/problem.ts'
import { extendLeases } from '../../src/store/jobs/held-jobs.ts'
import { claimJobs, enqueueJob } from '../../src/store/jobs/jobs.ts'
import { listDueInstances } from '../../src/store/webhooks/deliveries.ts'
import { InstanceSuspended } from '../../src/sync/links/errors.ts'
import { issueLink, openLink } from '../../src/sync/links/link.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { logInAt } from '../harness/app/users.ts'
import { openForTests } from '../harness/for-tests.ts'
import { operatorHarness } from './harness.ts'

const api = openForTests(operatorHarness)
let token: string
/** The instance that is suspended, and another. */
let ours: string
let others: string
beforeAll(async () => {
  ;({ token } = await api.signIn())
  others = api.instanceId
})
beforeEach(async () => {
  ours = await api.addInstance()
})
const suspend = (reason = 'Contract has ended') => api.ask('POST', `/instances/${ours}/suspend`, token, { reason })
const resume = () => api.ask('POST', `/instances/${ours}/resume`, token)
const COMPANIES = '/admin/api/v1/normalized-data/companies'

describe('the users of a suspended instance', () => {
  it('get 403 in every process within a second, at once for a write, and continue with the same tokens after it is resumed', async () => {
    const { email } = await api.addUser({ instanceId: ours })
    const logged = (await logInAt(api.app, email)).json<{ access_token: string; refreshToken: string }>()
    const headers = { authorization: `Bearer ${logged.access_token}` }
    const another = api.another()
    const read = (app = api.app) => app.inject({ url: COMPANIES, headers })
    const change = () => another.inject({ method: 'POST', url: COMPANIES.replace(/ies$/, 'y'), headers, payload: { name: 'New' } })
    const refresh = () =>
      api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/refresh', payload: { refreshToken: logged.refreshToken } })
    expect([(await read()).statusCode, (await read(another)).statusCode]).toEqual([200, 200])
    expect((await suspend()).body).toMatchObject({ suspension: { reason: 'Contract has ended' } })
    expect((await change()).statusCode).toBe(403)
    api.moveClock(1_000)
    const refused = await read()
    expect([refused.statusCode, refused.json<{ detail: string }>().detail]).toEqual([403, expect.stringContaining('suspended')])
    expect([(await read(another)).statusCode, (await logInAt(api.app, email)).statusCode]).toEqual([403, 403])
    const afterwards = await refresh()
    expect(afterwards.statusCode).toBe(403)
    await resume()
    api.moveClock(1_000)
    expect([(await read()).statusCode, (await change()).statusCode, (await logInAt(api.app, email)).statusCode]).toEqual([200, 201, 200])
    expect((await refresh()).statusCode).toBe(200)
  })

  it('of another are not affected', async () => {
    const { email } = await api.addUser({ instanceId: others })
    await suspend()
    expect((await logInAt(api.app, email)).statusCode).toBe(200)
  })

  it('learn nothing about it with a wrong password', async () => {
    const { email } = await api.addUser({ instanceId: ours })
    await suspend()
    expect((await logInAt(api.app, email, 'wrong')).statusCode).toBe(401)
  })
})

describe('the work of a suspended instance', () => {
  const KINDS = ['sync', 'mail', 'revoke', 'erase', 'eraseDelivered', 'removeDelivered', 'abortUpload']
  const claim = async (worker: string) =>
    (await claimJobs(api.deps.database, { worker, kinds: KINDS, limit: 50, leaseMs: 60_000, after: null, cap: 50 })).filter(
      ({ instanceId }) => instanceId === ours,
    )

  it('waits, except for what owners were promised, and starts when it is resumed', async () => {
    for (const kind of KINDS) await enqueueJob(api.deps.database, { instanceId: ours, kind, key: randomUUID(), payload: {} })
    await suspend()
    expect((await claim(randomUUID())).map(({ kind }) => kind).sort()).toEqual([
      'abortUpload',
      'erase',
      'eraseDelivered',
      'removeDelivered',
      'revoke',
    ])
    await resume()
    expect((await claim(randomUUID())).map(({ kind }) => kind).sort()).toEqual(['mail', 'sync'])
  })

  it('running a job loses its lease at the next heartbeat', async () => {
    const worker = randomUUID()
    for (const kind of ['sync', 'revoke']) await enqueueJob(api.deps.database, { instanceId: ours, kind, key: randomUUID(), payload: {} })
    const running = await claim(worker)
    expect(running).toHaveLength(2)
    await suspend()
    const kept = await extendLeases(api.deps.database, worker, running, 60_000)
    expect(running.filter(({ id }) => kept.includes(id)).map(({ kind }) => kind)).toEqual(['revoke'])
  })

  it('sends no events until then', async () => {
    const { database } = api.deps
    await database.query(
      `with s as (insert into subscriptions (instance_id, id, event, callback_url)
         values ($1, gen_random_uuid(), 'RawData', 'https://x.example') returning id),
       e as (insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body)
         values ($1, gen_random_uuid(), 'RawData', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'x', '{}') returning id)
       insert into deliveries (instance_id, event_id, subscription_id) select $1, e.id, s.id from s, e`,
      [ours],
    )
    expect(await listDueInstances(database)).toContain(ours)
    await suspend()
    expect(await listDueInstances(database)).not.toContain(ours)
    await resume()
    expect(await listDueInstances(database)).toContain(ours)
  })
})

describe('links of a suspended instance', () => {
  it('cannot be opened until it is resumed', async () => {
    const companyId = await addCompany(api.deps.database, ours)
    const { rows } = await api.deps.database.query<{ id: string }>('select gen_random_uuid() as id')
    const link = issueLink(api.deps.sync, { instanceId: ours, companyId, serviceId: rows[0]?.id ?? '', issuedBy: 'dev@example.com' })
    const linkToken = new URL(await link).searchParams.get('token') ?? ''
    await suspend()
    await expect(openLink(api.deps.sync, linkToken)).rejects.toThrow(InstanceSuspended)
    const { kind } = toProblem(new InstanceSuspended())
    expect(PROBLEMS[kind]).toBe(403)
    await resume()
    await openLink(api.deps.sync, linkToken)
  })
})

describe('a suspension', () => {
  it('is started once and ended once, and needs a reason', async () => {
    expect([(await suspend(' ')).status, (await suspend()).status, (await suspend()).status]).toEqual([400, 200, 409])
    const listed = await api.ask<{ data: { id: string }[] }>('GET', '/instances?FilterQuery=isSuspended=true&PageSize=500', token)
    expect(listed.body.data.map(({ id }) => id)).toContain(ours)
    expect([(await resume()).status, (await resume()).status]).toEqual([200, 409])
    expect((await api.ask('POST', `/instances/${randomUUID()}/suspend`, token, { reason: 'x' })).status).toBe(404)
  })
})
