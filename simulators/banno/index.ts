import { type Call, HttpFront, type ServedControls } from '../kit/http/front.ts'
import { jsonReply, type Reply } from '../kit/http/response.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { callApi, failBefore } from './api/routes.ts'
import { PEOPLE } from './data/customers.ts'
import { FAULTS } from './faults.ts'
import { Identity } from './oauth.ts'

export interface BannoSimulatorOptions extends SimulatorOptions {
  /** Client ids and secrets that are accepted; defaults to any. */
  clients?: Readonly<Record<string, string>>
  /** Accounts of the load-test user; defaults to 2,000. */
  giantAccounts?: number
}

export interface BannoSimulator extends Simulator, ServedControls {
  /** Removes a transaction, or hides an account from the user (`list` is then `accounts`). */
  remove(login: string, list: string, id: string): void
  /** Revokes the app's access, as the user can. */
  revoke(login: string): void
}

const BASE = '/a/consumer/api/v0'

export function createBannoSimulator(options: BannoSimulatorOptions): BannoSimulator {
  const state = new SimulatorState(options.stateFile, {})
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const identity = new Identity(front, state, options.clients, BASE)
  const { grants, oauth } = identity

  /** Replies carry the simulator's time, which a connector may read. */
  function answer(call: Call): Reply {
    const reply = oauth.answer(call) ?? route(call)
    return reply.status === 0 ? reply : { ...reply, headers: { ...reply.headers, date: now().toUTCString() } }
  }

  function route(call: Call): Reply {
    if (!call.path.startsWith(BASE)) return notFound()
    const path = call.path.slice(BASE.length)
    if (path === '/oidc/.well-known/openid-configuration') return jsonReply(200, discovery(`${options.baseUrl()}${BASE}/oidc`))
    if (path === '/oidc/certs') return identity.certs()
    return failBefore(faults) ?? guarded(call, path)
  }

  function guarded(call: Call, path: string): Reply {
    const grant = oauth.grantOf(call)
    const person = PEOPLE.find(({ key }) => key === grant?.login)
    if (!grant || !person) return jsonReply(401, { error: 'invalid_token' })
    if (path === '/oidc/me') return identity.person(person)
    const [, userId, rest = ''] = /^\/users\/([^/]+)(\/.*)$/.exec(path) ?? []
    if (userId !== person.id) return jsonReply(403, { message: 'Forbidden' })
    const { method, query } = call
    return callApi({ method, path: rest, query, person, state, faults, now: now(), giantAccounts: options.giantAccounts ?? 2_000 })
  }

  return {
    key: 'banno',
    ...front.serve(answer),
    remove: (login, list, id) => {
      const person = PEOPLE.find(({ key }) => key === login)
      if (!person) throw new Error(`no session of ${login}`)
      state.editsOf(`${person.id}/${list}`).removed.push(id)
      state.save()
    },
    revoke: (login) => grants.endAll((grant) => grant.login === login),
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
