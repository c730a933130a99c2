import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { tokenOf } from '../harness/app/users.ts'
import { type TestApi, testApi } from '../harness/test-api.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'
import { settingsFor } from './harness.ts'
import { FormBrowser, openRealProvider, type RealProvider } from './real-provider.ts'

/** The product and `oidc-provider` over real connections, by the machine's clock. */
let api: TestApi
let provider: RealProvider
let origin = ''
let movedMs = 0
const closers: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  api = await testApi()
  closers.push(() => api.close())
  const egress = createEgress({ allowPrivate: true })
  closers.push(() => egress.close())
  const port = await findFreePort()
  origin = `http://127.0.0.1:${port}`
  const settings = { ...api.deps.settings, publicUrl: origin, issuer: origin }
  const now = () => new Date(Date.now() + movedMs)
  const app = createApi({ ...api.deps, now, settings, metrics: new Registry(), providers: { egress, allowPrivate: true } })
  closers.push(() => app.close())
  await app.listen({ host: '127.0.0.1', port })
  provider = await openRealProvider(
    { robin: { email: 'robin@maple.example', email_verified: true, name: 'Robin Roy', groups: ['builders'] } },
    {
      redirectUri: `${origin}/sign-in/callback`,
      postLogoutRedirectUri: `${origin}/portal/`,
      backChannelLogoutUri: `${origin}/sign-in/${api.instanceId}/logout`,
    },
  )
  closers.push(() => provider.close())
  const { email } = await api.addUser({ role: 'admin', email: 'admin@maple.example' })
  const headers = { authorization: `Bearer ${await tokenOf(app, email)}` }
  const put = (url: string, payload: object) => app.inject({ method: 'PUT', url: `/admin/api/v1${url}`, headers, payload })
  const scopes = ['openid', 'email', 'profile', 'offline_access']
  const saved = await put('/identity-provider', { ...settingsFor(provider.url), scopes, groupsClaim: 'groups', defaultRole: null })
  expect(saved.statusCode).toBe(200)
  expect((await put('/group-roles', { groupRoles: [{ group: 'builders', role: 'developer' }] })).statusCode).toBe(200)
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

async function signIn(browser = new FormBrowser()): Promise<string> {
  const begun = await fetch(`${origin}/sign-in/${api.instanceId}`, { redirect: 'manual' })
  const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const callback = await browser.signIn(begun.headers.get('location') ?? '', 'robin')
  const arrived = await fetch(callback, { headers: { cookie }, redirect: 'manual' })
  expect(arrived.headers.get('location')).toBe('/portal/#signed-in')
  return (
    arrived.headers
      .getSetCookie()
      .find((each) => each.startsWith('session='))
      ?.split(';')[0] ?? ''
  )
}

async function refresh(session: { cookie: string }): Promise<{ status: number; token: string }> {
  const headers = { cookie: session.cookie, 'content-type': 'application/json' }
  const answer = await fetch(`${origin}/admin/api/v1/auth/refresh`, { method: 'POST', headers, body: '{}' })
  session.cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? session.cookie
  const body: unknown = await answer.json()
  const token = typeof body === 'object' && body !== null && 'access_token' in body ? String(body.access_token) : ''
  return { status: answer.status, token }
}

const whoami = async (token: string) => await fetch(`${origin}/admin/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } })

it('signs in, keeps the session by refresh tokens that work once, and ends it when it ends there', async () => {
  const session = { cookie: await signIn() }
  const { token } = await refresh(session)
  expect(await (await whoami(token)).json()).toMatchObject({ email: 'robin@maple.example', role: 'developer' })
  for (let round = 0; round < 3; round += 1) {
    movedMs += 240_000
    expect((await refresh(session)).status).toBe(200)
  }
  provider.endSessions()
  movedMs += 240_000
  expect((await refresh(session)).status).toBe(401)
})

it('is logged out by the provider over its back channel', async () => {
  movedMs = 0
  const browser = new FormBrowser()
  const { token } = await refresh({ cookie: await signIn(browser) })
  const other = await refresh({ cookie: await signIn(browser) })
  const headers = { authorization: `Bearer ${other.token}`, 'content-type': 'application/json' }
  const logout = await fetch(`${origin}/admin/api/v1/auth/logout`, { method: 'POST', headers, body: '{}' })
  const answer: unknown = await logout.json()
  expect(answer).toEqual({ address: expect.stringContaining(`${provider.url}/session/end?`) })
  expect((await whoami(token)).status).toBe(200)
  const { address } = answer as { address: string }
  expect((await browser.confirm(address)).href).toBe(`${origin}/portal/`)
  await until('the session to end', async () => ((await whoami(token)).status === 401 ? true : null))
})
