import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { bearerToken, type LoggedRequest, RequestLog, readBody, toEntry, withoutPrefix } from '../kit/http/request.ts'
import { jsonReply, type Reply, send } from '../kit/http/response.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { SimulatorState } from '../kit/oauth/state.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { callApi, failBefore } from './api.ts'
import { FAULTS } from './faults.ts'
import { Identity, LIFETIMES } from './identity.ts'
import { PEOPLE } from './people.ts'

export interface BannoSimulatorOptions extends SimulatorOptions {
  /** Client ids and secrets that are accepted; any when left out. */
  clients?: Readonly<Record<string, string>>
  /** Accounts of the load test's person; 2,000 when left out. */
  giantAccounts?: number
}

export interface BannoSimulator extends Simulator {
  /** A transaction turns out to be none, an account is taken from the person's sight (`list` is then `accounts`). */
  remove(login: string, list: string, id: string): void
  /** The person removes the app. */
  revoke(login: string): void
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly LoggedRequest[]
}

const BASE = '/a/consumer/api/v0'

export function createBannoSimulator(options: BannoSimulatorOptions): BannoSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const grants = new Grants(state, now, LIFETIMES)
  const faults = new Faults(FAULTS)
  const log = new RequestLog()
  const identity = new Identity({ grants, faults, clients: options.clients, now })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    log.note(toEntry(request, url), response)
    const path = withoutPrefix(url.pathname, options.baseUrl())
    const isPost = request.method === 'POST'
    const form = new URLSearchParams(isPost ? await readBody(request) : '')
    const reply = path.startsWith(BASE) ? route(request, path.slice(BASE.length), url.searchParams, form) : notFound()
    // Its own time, which a connector may read from it.
    if (reply === null) request.socket.destroy()
    else send(response, { ...reply, headers: { ...reply.headers, date: now().toUTCString() } })
  }

  /** Null: the connection is to be dropped. */
  function route(request: IncomingMessage, path: string, query: URLSearchParams, form: URLSearchParams): Reply | null {
    const isPost = request.method === 'POST'
    const issuer = `${options.baseUrl()}${BASE}/oidc`
    if (path === '/oidc/.well-known/openid-configuration') return jsonReply(200, discovery(issuer))
    if (path === '/oidc/certs') return identity.certs()
    if (path === '/oidc/auth') return identity.authorize(request, query, isPost ? form : null)
    if (path === '/oidc/token' && isPost) return identity.token(request, form, issuer)
    if (path === '/oidc/token/revocation' && isPost) return identity.revoke(request, form)
    return failBefore(faults) ?? guarded(request, path, query)
  }

  function guarded(request: IncomingMessage, path: string, query: URLSearchParams): Reply {
    const grant = grants.findByAccess(bearerToken(request))
    if (grant && faults.take('revoked')) grants.end(grant)
    const person = PEOPLE.find(({ key }) => key === grant?.login)
    if (!grant || !person || grants.findByAccess(grant.accessToken) === null) return jsonReply(401, { error: 'invalid_token' })
    if (path === '/oidc/me') return identity.person(person)
    const [, userId, rest] = /^\/users\/([^/]+)(\/.*)$/.exec(path) ?? []
    if (userId !== person.id) return jsonReply(403, { message: 'Forbidden' })
    const giantAccounts = options.giantAccounts ?? 2_000
    return callApi({ method: request.method ?? 'GET', path: rest ?? '', query, person, state, faults, now: now(), giantAccounts })
  }

  return {
    key: 'banno',
    ...controlsOf({ answer, faults, state }),
    remove: (login, list, id) => {
      const person = PEOPLE.find(({ key }) => key === login)
      if (!person) throw new Error(`nobody signs in as ${login}`)
      state.editsOf(`${person.id}/${list}`).removed.push(id)
      state.save()
    },
    revoke: (login) => grants.endLogin(login),
    listRequests: () => log.entries,
  }
}

function discovery(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/me`,
    jwks_uri: `${issuer}/certs`,
    revocation_endpoint: `${issuer}/token/revocation`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    id_token_signing_alg_values_supported: ['ES256'],
  }
}

function notFound(): Reply {
  return jsonReply(404, { message: 'Not Found' })
}
