import { Registry } from 'prom-client'
import { createApi } from '../../src/api/server.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { tokenOf } from '../harness/app/users.ts'
import { type TestApi, testApi } from '../harness/test-api.ts'
import { findFreePort } from '../process/service.ts'
import { settingsFor } from './harness.ts'

/** A session in a browser. */
export interface Session {
  /** Refresh cookie, as a header; replaced by each refresh. */
  cookie: string
}

/** The product on a port, by the machine's clock, for providers that are programs of others. */
export interface RealHarness {
  api: TestApi
  origin: string
  addresses: { redirectUri: string; postLogoutRedirectUri: string; backChannelLogoutUri: string }
  /** Saves settings for a provider, whose group `builders` gives the role developer. */
  configure(issuer: string, settings?: Record<string, unknown>): Promise<void>
  /** Signs in; `walk` does what a person does at the provider, and returns the address of the callback. */
  signIn(walk: (address: string) => Promise<URL>): Promise<Session>
  refresh(session: Session): Promise<{ status: number; token: string }>
  logOut(token: string): Promise<{ status: number; address: string }>
  whoami(token: string): Promise<{ status: number; body: unknown }>
  /** Sets the product's clock off by so much. */
  setTime(movedMs: number): void
  close(): Promise<void>
}

export async function openRealHarness(): Promise<RealHarness> {
  const api = await testApi()
  const egress = createEgress({ allowPrivate: true })
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  let movedMs = 0
  const settings = { ...api.deps.settings, publicUrl: origin, issuer: origin }
  const now = () => new Date(Date.now() + movedMs)
  const app = createApi({ ...api.deps, now, settings, metrics: new Registry(), providers: { egress, allowPrivate: true } })
  await app.listen({ host: '127.0.0.1', port })
  const { email } = await api.addUser({ role: 'admin', email: 'admin@maple.example' })
  const put = async (url: string, payload: object): Promise<void> => {
    const headers = { authorization: `Bearer ${await tokenOf(app, email)}` }
    const answer = await app.inject({ method: 'PUT', url: `/admin/api/v1${url}`, headers, payload })
    if (answer.statusCode !== 200) throw new Error(answer.payload)
  }
  const post = async (path: string, headers: Record<string, string>): Promise<{ answer: Response; body: Record<string, unknown> }> => {
    const given = { 'content-type': 'application/json', ...headers }
    const answer = await fetch(`${origin}/admin/api/v1${path}`, { method: 'POST', headers: given, body: '{}' })
    const text = await answer.text()
    return { answer, body: text === '' ? {} : JSON.parse(text) }
  }
  return {
    api,
    origin,
    addresses: {
      redirectUri: `${origin}/sign-in/${api.instanceId}/callback`,
      postLogoutRedirectUri: `${origin}/portal/`,
      backChannelLogoutUri: `${origin}/sign-in/${api.instanceId}/logout`,
    },
    configure: async (issuer, given = {}) => {
      await put('/identity-provider', { ...settingsFor(issuer), groupsClaim: 'groups', defaultRole: null, ...given })
      await put('/group-roles', { groupRoles: [{ group: 'builders', role: 'developer' }] })
    },
    signIn: async (walk) => {
      const begun = await fetch(`${origin}/sign-in/${api.instanceId}`, { redirect: 'manual' })
      const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
      const arrived = await fetch(await walk(begun.headers.get('location') ?? ''), { headers: { cookie }, redirect: 'manual' })
      const location = arrived.headers.get('location')
      if (location !== '/portal/#signed-in') throw new Error(`the sign-in ended at ${location}`)
      return { cookie: cookieOf(arrived) ?? '' }
    },
    refresh: async (session) => {
      const { answer, body } = await post('/auth/refresh', { cookie: session.cookie })
      session.cookie = cookieOf(answer) ?? session.cookie
      return { status: answer.status, token: String(body.access_token ?? '') }
    },
    logOut: async (token) => {
      const { answer, body } = await post('/auth/logout', { authorization: `Bearer ${token}` })
      return { status: answer.status, address: String(body.address ?? '') }
    },
    whoami: async (token) => {
      const answer = await fetch(`${origin}/admin/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } })
      return { status: answer.status, body: await answer.json() }
    },
    setTime: (ms) => {
      movedMs = ms
    },
    close: async () => {
      await app.close()
      await egress.close()
      await api.close()
    },
  }
}

function cookieOf(answer: Response): string | undefined {
  const cookie = answer.headers.getSetCookie().find((each) => each.startsWith('session='))
  return cookie?.split(';')[0]
}
