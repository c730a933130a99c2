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

  it('are for admins', async () => {
    const developer = await bearerOf(api, (await api.addUser({ role: 'developer' })).email)
    expect((await post('quickbooks/faults', { name: 'throttle' }, developer)).statusCode).toBe(403)
  })

  it('do not exist outside of the sandbox', async () => {
    expect((await api.app.inject({ url: SIMULATORS, headers: admin })).statusCode).toBe(404)
    expect((await api.app.inject({ url: `${BASE}/deployment`, headers: admin })).json()).toMatchObject({ environment: 'production' })
    expect((await app.inject({ url: `${BASE}/deployment`, headers: admin })).json()).toMatchObject({ environment: 'sandbox' })
  })
})
