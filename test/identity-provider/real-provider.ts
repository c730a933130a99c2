import { once } from 'node:events'
import { createServer } from 'node:http'
import Provider, { type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider'
import { CLIENT } from './scripted-provider.ts'

/** Claims of the people of the provider, by the name that they sign in with; any password is right. */
export type People = Record<string, Record<string, unknown>>

export interface RealProvider {
  url: string
  /** Ends all sessions at the provider, without telling anybody. */
  endSessions(): void
  close(): Promise<void>
}

interface Addresses {
  redirectUri: string
  postLogoutRedirectUri: string
  backChannelLogoutUri: string
}

/** `oidc-provider` on loopback, certified for OpenID Connect, with its own pages for login and consent. */
export async function openRealProvider(people: People, addresses: Addresses): Promise<RealProvider> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
  const entries = new Map<string, AdapterPayload>()
  const provider = new Provider(url, {
    adapter: (kind) => toAdapter(kind, entries),
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [addresses.redirectUri],
        post_logout_redirect_uris: [addresses.postLogoutRedirectUri],
        backchannel_logout_uri: addresses.backChannelLogoutUri,
        backchannel_logout_session_required: true,
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    cookies: { keys: ['a provider for tests needs no better key'] },
    claims: { openid: ['sub', 'sid', 'acr', 'amr'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    conformIdTokenClaims: false,
    // Its own calls nobody on loopback.
    fetch: async (at, { method = 'GET', headers = {}, body } = {}) =>
      await fetch(at, { method, headers: new Headers(headers), body: String(body) }),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    // Refresh tokens end with the session.
    expiresWithSession: async () => true,
    findAccount: async (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id, ...people[id] }) }),
    features: { devInteractions: { enabled: true }, backchannelLogout: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  } satisfies Configuration)
  provider.on('backchannel.error', (_ctx, error) => process.stderr.write(`${error}\n`))
  provider.on('server_error', (_ctx, error) => process.stderr.write(`${error}\n`))
  server.on('request', provider.callback())
  return {
    url,
    endSessions: () => entries.clear(),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Storage of one kind of entry in a map of all. Source: https://github.com/panva/node-oidc-provider/blob/main/example/my_adapter.js */
function toAdapter(kind: string, entries: Map<string, AdapterPayload>): Adapter {
  const find = async (id: string) => entries.get(`${kind} ${id}`)
  const findBy = async (name: 'uid' | 'userCode', value: string) =>
    [...entries].find(([key, entry]) => key.startsWith(`${kind} `) && entry[name] === value)?.[1]
  return {
    find,
    findByUid: (uid) => findBy('uid', uid),
    findByUserCode: (code) => findBy('userCode', code),
    upsert: async (id, entry) => void entries.set(`${kind} ${id}`, entry),
    consume: async (id) => {
      const entry = await find(id)
      if (entry) entry.consumed = Math.floor(Date.now() / 1000)
    },
    destroy: async (id) => void entries.delete(`${kind} ${id}`),
    revokeByGrantId: async (grantId) => {
      for (const [key, entry] of entries) if (entry.grantId === grantId) entries.delete(key)
    },
  }
}

/** A browser without scripts: keeps cookies, follows redirects on one origin, and fills in the provider's forms. */
export class FormBrowser {
  readonly #cookies = new Map<string, string>()

  /** Signs in on the pages of `oidc-provider` or Keycloak; returns the address of the callback. */
  async signIn(address: string, login: string, password = 'any'): Promise<URL> {
    return await this.#walk(address, (page) => toLogin(page, login, password))
  }

  /** Confirms a logout; returns the address to which the provider leads then. */
  async confirm(address: string): Promise<URL> {
    return await this.#walk(address, (page) => ({ xsrf: /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? '', logout: 'yes' }))
  }

  async #walk(address: string, fill: (page: string) => Record<string, string>): Promise<URL> {
    const { origin } = new URL(address)
    let at = new URL(address)
    let form: URLSearchParams | null = null
    for (let step = 0; step < 20; step += 1) {
      if (at.origin !== origin) return at
      const response: Response = await this.#fetch(at, form)
      const next = response.headers.get('location')
      if (next !== null) {
        at = new URL(next, at)
        form = null
        continue
      }
      const page = await response.text()
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
      if (action === undefined) throw new Error(`${at} has no form: ${response.status} ${page.slice(0, 500)}`)
      at = new URL(action.replaceAll('&amp;', '&'), at)
      form = new URLSearchParams(fill(page))
    }
    throw new Error('the provider sends the browser in circles')
  }

  async #fetch(at: URL, form: URLSearchParams | null): Promise<Response> {
    const response = await fetch(at, {
      method: form === null ? 'GET' : 'POST',
      ...(form === null ? {} : { body: form }),
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      redirect: 'manual',
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const at = pair.indexOf('=')
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }
}

function toLogin(page: string, login: string, password: string): Record<string, string> {
  if (/name="username"/.test(page)) return { username: login, password }
  return /name="login"/.test(page) ? { prompt: 'login', login, password } : { prompt: 'consent' }
}
