import type { IncomingMessage, ServerResponse } from 'node:http'
import { HeldRequests } from '../quickbooks/held-requests.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { businessOf, callApi } from './api.ts'
import { authorize } from './authorize.ts'
import { GIANT_ID, getLogin } from './businesses.ts'
import { ArmedFaults } from './faults.ts'
import { Ledger } from './ledger.ts'
import { apiError, gatewayError, htmlReply, type Reply, send } from './replies.ts'
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

/** One request as it was answered; credentials are not kept. `status` 0: dropped or still held. */
interface LoggedRequest {
  method: string
  path: string
  query: string
  /** Value of X-Business, empty when there was none. */
  business: string
  status: number
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
  listRequests(): readonly LoggedRequest[]
}

const LOG_LENGTH = 10_000
const BODY_BYTES = 1024 * 1024
const HTML = '<!doctype html><html><head><title>Sage</title></head><body><h1>Scheduled maintenance</h1></body></html>'
const PAGE_HEADERS = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" }

export function createSageSimulator(options: SageSimulatorOptions): SageSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now })
  const tokens = new Tokens(state, now)
  const faults = new ArmedFaults()
  const throttle = new Throttle({ perMinute: options.callsPerMinute ?? 100, perDay: options.callsPerDay ?? 2500 })
  const held = new HeldRequests()
  const log: LoggedRequest[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    const business = String(request.headers['x-business'] ?? '')
    const entry = { method: request.method ?? 'GET', path: url.pathname, query: url.search, business, status: 0 }
    log.push(entry)
    if (log.length > LOG_LENGTH) log.shift()
    response.on('finish', () => {
      entry.status = response.statusCode
    })
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
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
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
    handle: (request, response) => {
      answer(request, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : new Error(String(cause))))
    },
    fault: (name, times = 1) => faults.arm(name, times),
    clearFaults: () => {
      faults.clear()
      held.release()
    },
    moveClock: (ms) => {
      state.data.clockMs += ms
      state.save()
    },
    close: async () => held.drop(),
    editAccount: (businessId, accountId, changes) => ledger.editAccount(businessId, accountId, changes),
    addAccount: (businessId, plan) => ledger.addAccount(businessId, plan),
    remove: (businessId, id) => ledger.remove(businessId, id),
    revoke: (login) => tokens.revokeLogin(login),
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log,
  }
}

function throttled(): Reply {
  return apiError(429, 'TooManyRequests', 'Too many requests have been made against the API')
}

/** The simulator may be mounted below a path of the server that carries it. */
function withoutPrefix(path: string, baseUrl: string): string {
  const prefix = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/$/, '') : ''
  return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk)
    length += bytes.length
    if (length > BODY_BYTES) throw new Error('the request body is too large')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString()
}
