import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { HeldRequests } from '../kit/http/held-requests.ts'
import { bearerToken, type LoggedRequest, RequestLog, readBody, toEntry, withoutPrefix } from '../kit/http/request.ts'
import type { Reply } from '../kit/http/response.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { businessOf, callApi } from './api.ts'
import { authorize } from './authorize.ts'
import { GIANT_ID, getLogin } from './businesses.ts'
import { FAULTS } from './faults.ts'
import { Ledger } from './ledger.ts'
import { apiError, gatewayError, htmlReply, send } from './replies.ts'
import { type Row, SimulatorState } from './state.ts'
import { Throttle } from './throttle.ts'
import { type Clients, requestToken, revokeToken } from './token-endpoint.ts'
import { Tokens } from './tokens.ts'

export interface SageSimulatorOptions extends SimulatorOptions {
  /** Accounts of the load test's business; 20,000 when left out. */
  giantAccounts?: number
  /** Client ids and secrets that are accepted; any when left out. */
  clients?: Clients
  /** Calls a business takes; 100 a minute and 2,500 a day when left out. The load test's business takes any number. */
  callsPerMinute?: number
  callsPerDay?: number
}

interface SageRequest extends LoggedRequest {
  /** Value of X-Business, empty when there was none. */
  business: string
}

export interface SageSimulator extends Simulator {
  editAccount(businessId: string, accountId: string, changes: Record<string, unknown>): Row
  addAccount(businessId: string, plan: { code: number; name: string; type: string }): Row
  /** Deletes an account or a journal. */
  remove(businessId: string, id: string): void
  /** Every authorization of a person ends, access tokens included; `login` is the key of a sign-in. */
  revoke(login: string): void
  /** Lets the requests go on that `slow` holds. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly SageRequest[]
}

const HTML = '<!doctype html><html><head><title>Sage</title></head><body><h1>Scheduled maintenance</h1></body></html>'
const PAGE_HEADERS = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" }

export function createSageSimulator(options: SageSimulatorOptions): SageSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now })
  const tokens = new Tokens(state, now)
  const faults = new Faults(FAULTS)
  const throttle = new Throttle({ perMinute: options.callsPerMinute ?? 100, perDay: options.callsPerDay ?? 2500 })
  const held = new HeldRequests()
  const log = new RequestLog<SageRequest>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    const business = String(request.headers['x-business'] ?? '')
    log.note({ ...toEntry(request, url), business }, response)
    const path = withoutPrefix(url.pathname, options.baseUrl())
    const isPost = request.method === 'POST'
    const body = isPost ? await readBody(request) : ''
    if (path === '/oauth2/auth/central') {
      const step = authorize(request, url.searchParams, isPost ? new URLSearchParams(body) : null, tokens, faults)
      if ('location' in step) send(response, htmlReply(302, ''), { location: step.location })
      else send(response, step, PAGE_HEADERS)
    } else if (isPost && path === '/token') {
      const reply = requestToken(request, body, tokens, options.clients, faults)
      if (reply) send(response, reply)
      else request.socket.destroy()
    } else if (isPost && path === '/revoke') send(response, revokeToken(request, body, tokens, options.clients))
    else if (path.startsWith('/v3.1/')) await answerApi(request, response, path.slice('/v3.1/'.length), url.searchParams)
    else send(response, gatewayError(404, 'Not Found'))
  }

  async function answerApi(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): Promise<void> {
    if (faults.take('slow')) await held.hold(response)
    const failure = failBefore()
    if (failure) return send(response, failure)
    const token = bearerToken(request)
    const key = tokens.loginOf(token)
    if (key !== null && faults.take('revoked')) tokens.revokeLogin(key)
    if (key === null || tokens.loginOf(token) === null || faults.take('unauthorized')) {
      return send(response, apiError(401, 'AuthenticationFailure', 'The access token is invalid or has expired'))
    }
    if (faults.take('noSubscription')) return send(response, apiError(401, 'AuthorizationFailure', 'No active subscription. (MSE)'))
    const login = getLogin(key)
    const header = request.headers['x-business']
    const businessId = typeof header === 'string' ? header : undefined
    const business = businessOf(login, businessId)
    const isLimited = business !== null && business.id !== GIANT_ID && !/^(user|businesses)\b/.test(path)
    if (isLimited && throttle.isOver(business.id, now())) return send(response, throttled())
    send(response, callApi({ method: request.method ?? 'GET', path, query, login, businessId, ledger, faults }))
  }

  function failBefore(): Reply | null {
    if (faults.take('unavailable')) return gatewayError(503, 'Service Unavailable')
    if (faults.take('html')) return htmlReply(200, HTML)
    if (faults.take('empty')) return { status: 200, type: '', body: '' }
    if (faults.take('throttle')) return throttled()
    if (faults.take('retryAfter')) return gatewayError(429, 'Too Many Requests', { 'retry-after': '30' })
    if (faults.take('errorBody')) return apiError(200, 'UnexpectedError', 'An unexpected error occurred')
    return null
  }

  return {
    key: 'sage',
    ...controlsOf({ answer, faults, held, state }),
    editAccount: (businessId, accountId, changes) => ledger.editAccount(businessId, accountId, changes),
    addAccount: (businessId, plan) => ledger.addAccount(businessId, plan),
    remove: (businessId, id) => ledger.remove(businessId, id),
    revoke: (login) => tokens.revokeLogin(login),
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log.entries,
  }
}

function throttled(): Reply {
  return apiError(429, 'TooManyRequests', 'Too many requests have been made against the API')
}
