import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { HeldRequests } from '../kit/http/held-requests.ts'
import { bearerToken, type LoggedRequest, RequestLog, readBody, toEntry, withoutPrefix } from '../kit/http/request.ts'
import { cutReply, htmlReply, jsonReply, paddedReply, type Reply, send, textReply } from '../kit/http/response.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { type Row, SimulatorState } from '../kit/oauth/state.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { authorize } from './authorize.ts'
import { getLogin } from './businesses.ts'
import { FAULTS } from './faults.ts'
import { answerGraphql, errorBody } from './graphql-endpoint.ts'
import { Ledger } from './ledger.ts'
import { schemaFor } from './schema.ts'
import { type Clients, LIFETIMES, requestToken, revokeToken } from './token-endpoint.ts'

export interface WaveSimulatorOptions extends SimulatorOptions {
  /** Accounts of the load test's business; 20,000 when left out. */
  giantAccounts?: number
  /** Client ids and secrets that are accepted; any when left out. */
  clients?: Clients
  /** Whether the owner picks one business on the consent page (as apps of today do); without it a token opens all of the sign-in. */
  picksBusiness?: boolean
}

export interface WaveSimulator extends Simulator {
  editAccount(businessId: string, accountId: string, changes: Row): Row
  addAccount(businessId: string, properties: Row): Row
  removeAccount(businessId: string, accountId: string): void
  /** The person ends every authorization; `login` is the key of a sign-in. */
  revoke(login: string): void
  /** Lets the requests go on that `slow` holds. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly LoggedRequest[]
}

const HUGE_BYTES = 25 * 1024 * 1024
const HTML = '<!doctype html><html><head><title>Wave</title></head><body><h1>We’ll be back soon</h1></body></html>'

export function createWaveSimulator(options: WaveSimulatorOptions): WaveSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000 })
  const grants = new Grants(state, now, LIFETIMES)
  const faults = new Faults(FAULTS)
  const held = new HeldRequests()
  const log = new RequestLog()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    log.note(toEntry(request, url), response)
    const path = withoutPrefix(url.pathname, options.baseUrl()).replace(/\/$/, '')
    const isPost = request.method === 'POST'
    const body = isPost ? await readBody(request) : ''
    const form = new URLSearchParams(body)
    if (path === '/oauth2/authorize') {
      const picksBusiness = options.picksBusiness ?? true
      send(response, authorize({ request, query: url.searchParams, form: isPost ? form : null, grants, faults, picksBusiness }))
    } else if (isPost && path === '/oauth2/token') {
      const reply = requestToken(form, grants, options.clients, faults)
      if (reply) send(response, reply)
      else request.socket.destroy()
    } else if (isPost && path === '/oauth2/token-revoke') send(response, revokeToken(form, grants, options.clients))
    else if (isPost && path === '/graphql/public') await answerApi(request, response, body)
    else send(response, jsonReply(404, { detail: 'Not found.' }))
  }

  async function answerApi(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    if (faults.take('slow')) await held.hold(response)
    const failure = failBefore()
    if (failure) return send(response, failure)
    const token = bearerToken(request)
    const grant = grants.findByAccess(token)
    if (grant && faults.take('revoked')) grants.end(grant)
    if (!grant || grants.findByAccess(token) === null || faults.take('unauthorized')) {
      return send(response, jsonReply(200, { ...errorBody('UNAUTHENTICATED', 'No valid authentication was provided.'), data: null }))
    }
    const login = getLogin(grant.login)
    const businesses = grant.businessId === null ? login.businesses : login.businesses.filter(({ id }) => id === grant.businessId)
    const reply = answerGraphql(body, schemaFor({ login, businesses, ledger, faults }))
    if (faults.take('partial')) return send(response, withError(reply))
    if (faults.take('huge')) return send(response, paddedReply(reply, HUGE_BYTES))
    send(response, faults.take('truncated') ? cutReply(reply) : reply)
  }

  function failBefore(): Reply | null {
    if (faults.take('unavailable')) return htmlReply(503, '<html><body>Service Unavailable</body></html>')
    if (faults.take('html')) return htmlReply(200, HTML)
    if (faults.take('empty')) return { status: 200, type: '', body: '' }
    if (faults.take('throttle')) return jsonReply(200, { ...errorBody('THROTTLED', 'Too many requests.'), data: null })
    if (faults.take('throttledStatus')) return textReply(429, 'Too Many Requests', { 'retry-after': '20' })
    if (faults.take('misleadingStatus')) return jsonReply(429, errorBody('UNAUTHENTICATED', 'No valid authentication was provided.'))
    if (faults.take('internalError')) return jsonReply(200, { ...errorBody('INTERNAL_SERVER_ERROR', 'Internal server error'), data: null })
    return null
  }

  return {
    key: 'wave',
    ...controlsOf({ answer, faults, held, state }),
    editAccount: (businessId, accountId, changes) => ledger.editAccount(businessId, accountId, changes),
    addAccount: (businessId, properties) => ledger.addAccount(businessId, properties),
    removeAccount: (businessId, accountId) => ledger.removeAccount(businessId, accountId),
    revoke: (login) => grants.endLogin(login),
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log.entries,
  }
}

/** The same data with an error of a field beside it, as when one of Wave's own services is down. */
function withError(reply: Reply): Reply {
  const error = { message: 'Upstream failed', path: ['business', 'active', 'edges'], extensions: { code: 'SOMETHING_NEW' } }
  return { ...reply, body: JSON.stringify({ ...Object(JSON.parse(reply.body)), errors: [error] }) }
}
