import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { createApi } from '../../src/api/server.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { findPasswordHash, updatePasswordHash } from '../../src/store/access/users.ts'
import { tokenOf } from '../harness/app/users.ts'
import { logInAt, type TestApi, testApi } from '../harness/test-api.ts'
import { CLIENT, ScriptedProvider } from './scripted-provider.ts'

const API = '/admin/api/v1'

export interface Arrival {
  /** Path and fragment that the browser is sent to. */
  location: string
  /** Code of the failure; null: it is signed in. */
  failure: string | null
  /** Refresh cookie, as a header. */
  session: string | null
}

/** The API with a way to an identity provider, and a browser. */
export interface SignInHarness {
  api: TestApi
  app: FastifyInstance
  provider: ScriptedProvider
  instanceId: string
  /** Calls the API as the admin with a password. */
  call(method: string, url: string, body?: unknown, token?: string): Promise<{ status: number; body: Record<string, unknown> }>
  /** Saves settings for the scripted provider. */
  configure(settings?: Record<string, unknown>): Promise<{ status: number; body: Record<string, unknown> }>
  /** Begins a sign-in; returns the provider's address and the cookie. */
  begin(query?: string, cookie?: string | null): Promise<{ address: string; cookie: string }>
  /** Signs in through the provider. */
  signIn(query?: string, cookie?: string | null): Promise<Arrival>
  /** The callback in a browser with this cookie. */
  arrive(callback: URL, cookie: string): Promise<Arrival>
  /** New access token for a refresh cookie; the cookie is replaced. */
  refresh(arrival: Arrival): Promise<{ status: number; token: string }>
  /** Claims of an access token. */
  claimsOf(token: string): Record<string, unknown>
  /** Audit actions of the instance, oldest first, with their details. */
  audited(): Promise<{ action: string; details?: Record<string, unknown> }[]>
  /** A new session of the admin by the password, which `call` uses from then on; passwords work again, and the admin has the former one. */
  adminAgain(): Promise<{ token: string; refreshToken: string }>
  /** As at the beginning: one admin, no provider. */
  reset(): Promise<void>
  close(): Promise<void>
}

export async function openSignInHarness(): Promise<SignInHarness> {
  const api = await testApi()
  const egress = createEgress({ allowPrivate: true })
  const app = createApi({ ...api.deps, metrics: new Registry(), providers: { egress, allowPrivate: true } })
  const provider = new ScriptedProvider(api.deps.now, {
    sub: 'person-1',
    email: 'robin@maple.example',
    email_verified: true,
    name: 'Robin Roy',
  })
  await provider.open()
  const admin = await api.addUser({ role: 'admin', email: 'admin@maple.example' })
  let adminToken = await tokenOf(app, admin.email)
  const { instanceId } = api
  const { database } = api.deps
  const passwordHash = await findPasswordHash(database, instanceId, admin.id)

  const call: SignInHarness['call'] = async (method, url, body, given) => {
    const token = given ?? adminToken
    const answer = await app.inject({
      method: method as 'GET',
      url: `${API}${url}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { payload: body as object }),
    })
    return { status: answer.statusCode, body: answer.payload === '' ? {} : answer.json() }
  }
  const begin: SignInHarness['begin'] = async (query = '', present = null) => {
    const headers = present === null ? {} : { cookie: present }
    const answer = await app.inject({ url: `/sign-in/${instanceId}${query}`, headers })
    return { address: String(answer.headers.location), cookie: toCookie(answer.headers['set-cookie'], 'sign-in') ?? '' }
  }
  const arrive: SignInHarness['arrive'] = async (callback, cookie) => {
    const answer = await app.inject({ url: `${callback.pathname}${callback.search}`, headers: { cookie } })
    const location = String(answer.headers.location)
    const failure = /#sign-in-failed=(\w+)$/.exec(location)?.[1] ?? null
    return { location, failure, session: toCookie(answer.headers['set-cookie'], 'session') }
  }
  const adminAgain: SignInHarness['adminAgain'] = async () => {
    await database.query('update identity_providers set is_required = false')
    await updatePasswordHash(database, instanceId, admin.id, passwordHash ?? '', api.deps.now())
    const session = (await logInAt(app, admin.email)).json<{ access_token: string; refreshToken: string }>()
    adminToken = session.access_token
    return { token: session.access_token, refreshToken: session.refreshToken }
  }
  return {
    ...{ api, app, provider, instanceId, call, begin, arrive },
    configure: async (settings = {}) => await call('PUT', '/identity-provider', { ...settingsFor(provider.url), ...settings }),
    signIn: async (query, present) => {
      const { address, cookie } = await begin(query, present)
      return address.startsWith(provider.url)
        ? await arrive(provider.authorize(address), cookie)
        : { location: address, failure: /#sign-in-failed=(\w+)$/.exec(address)?.[1] ?? null, session: null }
    },
    refresh: async (arrival) => {
      const answer = await app.inject({
        method: 'POST',
        url: `${API}/auth/refresh`,
        headers: { cookie: arrival.session ?? '' },
        payload: {},
      })
      arrival.session = toCookie(answer.headers['set-cookie'], 'session') ?? arrival.session
      return { status: answer.statusCode, token: answer.statusCode === 200 ? answer.json<{ access_token: string }>().access_token : '' }
    },
    claimsOf: (token) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()),
    audited: async () => {
      const { rows } = await api.deps.database.query<{ entry: string }>(
        'select entry from audit_entries where instance_id = $1 order by position',
        [instanceId],
      )
      return rows.map(({ entry }) => JSON.parse(entry))
    },
    adminAgain,
    reset: async () => {
      provider.reset()
      await api.deps.database.query('delete from identity_providers')
      await api.deps.database.query('delete from users where id <> $1', [admin.id])
      await api.deps.database.query("update users set role = 'admin', disabled_at = null")
      await api.deps.database.query('delete from provider_identities')
      await adminAgain()
    },
    close: async () => {
      await app.close()
      await egress.close()
      await provider.close()
      await api.close()
    },
  }
}

/** Settings that admit members of one domain. */
export function settingsFor(issuer: string) {
  return {
    ...{ issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, scopes: ['openid', 'email', 'profile'], parameters: {} },
    ...{ groupsClaim: null, emailDomains: ['maple.example'], trustsEmails: false, createsMembers: true, defaultRole: 'viewer' },
    ...{ acceptedAcr: [], acceptedAmr: [], isRequired: false },
  }
}

function toCookie(header: string | string[] | undefined, name: string): string | null {
  const found = [header ?? []].flat().find((cookie) => cookie.startsWith(`${name}=`))
  const [pair = ''] = found?.split(';') ?? []
  return pair === '' || pair === `${name}=` ? null : pair
}
