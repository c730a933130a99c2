import { Registry } from 'prom-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { startSandbox } from '../../simulators/sandbox.ts'
import { createApi } from '../../src/api/server.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { bearerOf, testApi } from '../harness/test-api.ts'
import { findFreePort } from '../process/service.ts'

const BASE = '/admin/api/v1'
const SIMULATORS = `${BASE}/sandbox/simulators`

describe('the controls of the sandbox', () => {
  const folder = folderForTests()
  const sandbox = openForTests(async () =>
    startSandbox({
      folder: folder.path,
      firstPort: await findFreePort(),
      isExact: false,
      isTest: async () => true,
      onError: expect.fail,
    }),
  )
  const api = openForTests(testApi)
  const app = openForTests(() => createApi({ ...api.deps, metrics: new Registry(), sandbox: sandbox.controls }))
  let admin: { authorization: string }

  beforeAll(async () => {
    await settleKind('test')
    admin = await bearerOf(api, (await api.addUser()).email)
  })

  const post = (path: string, payload: unknown, headers = admin) =>
    app.inject({ method: 'POST', url: `${SIMULATORS}/${path}`, payload: payload as object, headers })

  const settleKind = (kind: string) => api.deps.database.query('update instances set kind = $1', [kind])

  it('do not exist for a live instance', async () => {
    await settleKind('live')
    const listed = await app.inject({ url: SIMULATORS, headers: admin })
    const answers = [
      await post('wave/faults', { name: 'serverError' }),
      await post('wave/clock', { seconds: 60 }),
      await app.inject({ method: 'DELETE', url: `${SIMULATORS}/wave/faults`, headers: admin }),
    ]
    await settleKind('test')
    expect([listed.json(), ...answers.map(({ statusCode }) => statusCode)]).toEqual([[], 404, 404, 404])
  })

  it('list the faults of each simulator', async () => {
    const listed = (await app.inject({ url: SIMULATORS, headers: admin })).json<{ key: string; faults: string[] }[]>()
    expect(listed.filter(({ faults }) => faults.length < 3)).toEqual([])
    expect(listed.length).toBe(sandbox.addresses.length)
  })

  it('make a simulator fail for its next callers', async () => {
    const armed = await post('quickbooks/faults', { name: 'invalidClient', times: 2 })
    expect(armed.json()).toMatchObject({ armed: [{ name: 'invalidClient', times: 2 }] })
    const url = `${sandbox.settings.quickbooks?.servedAt}/${api.instanceId}`
    const ask = async () =>
      (await fetch(`${url}/oauth2/v1/tokens/bearer`, { method: 'POST', headers: { authorization: 'Basic x' } })).status
    expect(await ask()).toBe(401)
    const cleared = await app.inject({ method: 'DELETE', url: `${SIMULATORS}/quickbooks/faults`, headers: admin })
    expect(cleared.json()).toMatchObject({ armed: [] })
  })

  it('release requests held by cleared faults, or by time that has passed', async () => {
    const pauses = async () => {
      const { rows } = await api.deps.database.query<{ key: string }>('select connector_key as key from source_pauses order by 1')
      return rows.map(({ key }) => key)
    }
    const ends = [
      () => app.inject({ method: 'DELETE', url: `${SIMULATORS}/xero/faults`, headers: admin }),
      () => post('xero/clock', { seconds: 60 }),
    ]
    for (const end of ends) {
      await api.deps.database.query(
        `insert into source_pauses (connector_key, scope, until) select key, '', clock_timestamp() + interval '5 hours'
         from unnest(array['xero', 'xero#' || $1, 'xero#' || $1 || '/keys', 'xero#other', 'sage#' || $1]) key on conflict do nothing`,
        [api.instanceId],
      )
      expect([(await end()).statusCode, await pauses()]).toEqual([200, [`sage#${api.instanceId}`, 'xero', 'xero#other']])
    }
  })

  it('move its clock, and remember the offset', async () => {
    await post('xero/clock', { seconds: 3600 })
    expect((await post('xero/clock', { seconds: 60 })).json()).toMatchObject({ clockMovedSeconds: 3720 })
  })

  it.each([
    ['an unknown fault', 'quickbooks/faults', { name: '__proto__' }, 400],
    ['an unknown simulator', 'nobody/faults', { name: 'throttle' }, 404],
    ['a clock that goes back', 'quickbooks/clock', { seconds: -5 }, 400],
  ])('refuse %s', async (_what, path, body, status) => {
    expect((await post(path, body)).statusCode).toBe(status)
  })

  it.each([
    ['no times', { times: 0 }, 400],
    ['a thousand times', { times: 1_000 }, 200],
    ['more times', { times: 1_001 }, 400],
    ['half a time', { times: 1.5 }, 400],
    ['something that is not asked for', { times: 1, other: 1 }, 400],
  ])('make a simulator fail %s: %3$s', async (_what, more, status) => {
    expect((await post('quickbooks/faults', { name: 'invalidClient', ...more })).statusCode).toBe(status)
  })

  it.each([
    [0, 400],
    [400 * 24 * 3_600 + 1, 400],
    [400 * 24 * 3_600, 200],
  ])('move a clock by %i seconds: %i', async (seconds, status) => {
    expect((await post('wave/clock', { seconds })).statusCode).toBe(status)
  })

  it('leave an entry with what was asked for, and none where there is no such simulator', async () => {
    const { database } = api.deps
    await app.inject({ method: 'DELETE', url: `${SIMULATORS}/quickbooks/faults`, headers: admin })
    const { rows: before } = await database.query('select from audit_entries')
    const armed = await post('quickbooks/faults', { name: 'invalidClient' })
    await post('quickbooks/clock', { seconds: 90 })
    await app.inject({ method: 'DELETE', url: `${SIMULATORS}/quickbooks/faults`, headers: admin })
    await post('nobody/faults', { name: 'invalidClient' })
    await post('nobody/clock', { seconds: 90 })
    const missing = await app.inject({ method: 'DELETE', url: `${SIMULATORS}/nobody/faults`, headers: admin })
    const { rows } = await database.query<{ entry: string }>('select entry from audit_entries order by position offset $1', [before.length])
    const about = { subject: 'simulator/quickbooks', actor: 'user' }
    expect(rows.map(({ entry }) => JSON.parse(entry))).toEqual([
      expect.objectContaining({ ...about, action: 'simulator.fault-armed', details: { name: 'invalidClient', times: 1 } }),
      expect.objectContaining({ ...about, action: 'simulator.clock-moved', details: { seconds: 90 } }),
      expect.objectContaining({ ...about, action: 'simulator.faults-cleared' }),
    ])
    expect(armed.json()).toEqual({
      ...{ key: 'quickbooks', url: expect.stringMatching(/^http:/), clockMovedSeconds: 0, armed: [{ name: 'invalidClient', times: 1 }] },
      faults: expect.arrayContaining(['invalidClient']),
    })
    expect([missing.statusCode, missing.json<{ Message: string }>().Message]).toEqual([404, 'No such simulator.'])
  })

  it('wake the workers, so that what waits goes on at once', async () => {
    const listener = await api.deps.database.connect()
    const heard: string[] = []
    listener.on('notification', ({ channel }) => heard.push(channel))
    await listener.query('listen jobs')
    await post('xero/clock', { seconds: 60 })
    await listener.query('select 1')
    await app.inject({ method: 'DELETE', url: `${SIMULATORS}/xero/faults`, headers: admin })
    await listener.query('select 1')
    listener.release(true)
    expect(heard).toEqual(['jobs', 'jobs'])
  })

  it('are for admins, and are shown to whoever may read', async () => {
    const [developer, viewer] = [
      await bearerOf(api, (await api.addUser({ role: 'developer' })).email),
      await bearerOf(api, (await api.addUser({ role: 'viewer' })).email),
    ]
    const refused = [
      await post('quickbooks/faults', { name: 'throttle' }, developer),
      await post('quickbooks/clock', { seconds: 1 }, developer),
      await app.inject({ method: 'DELETE', url: `${SIMULATORS}/quickbooks/faults`, headers: developer }),
    ]
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403])
    expect((await app.inject({ url: SIMULATORS, headers: viewer })).json()).toHaveLength(sandbox.addresses.length)
  })

  it('are for keys with the scope of operations: one that reads is shown them, another changes them', async () => {
    const keyWith = async (scope: string) => {
      const made = await app.inject({ method: 'POST', url: `${BASE}/api-keys`, payload: { name: 'CI', scopes: [scope] }, headers: admin })
      return { authorization: `Bearer ${made.json<{ key: string }>().key}` }
    }
    const statuses: number[][] = []
    for (const scope of ['operations:write', 'operations:read', 'data:read']) {
      const headers = await keyWith(scope)
      const answers = [
        await app.inject({ url: SIMULATORS, headers }),
        await post('wave/clock', { seconds: 1 }, headers),
        await post('quickbooks/faults', { name: 'invalidClient' }, headers),
        await app.inject({ method: 'DELETE', url: `${SIMULATORS}/quickbooks/faults`, headers }),
      ]
      statuses.push(answers.map(({ statusCode }) => statusCode))
    }
    expect(statuses).toEqual([
      [403, 200, 200, 200],
      [200, 403, 403, 403],
      [403, 403, 403, 403],
    ])
  })

  it('do not exist outside of the sandbox', async () => {
    expect((await api.app.inject({ url: SIMULATORS, headers: admin })).statusCode).toBe(404)
    expect((await api.app.inject({ url: `${BASE}/deployment`, headers: admin })).json()).toMatchObject({ environment: 'production' })
    expect((await app.inject({ url: `${BASE}/deployment`, headers: admin })).json()).toMatchObject({ environment: 'sandbox' })
  })
})
