import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { HeldRequests } from '../kit/http/held-requests.ts'
import { bearerToken, type LoggedRequest, RequestLog, readBody, toEntry, withoutPrefix } from '../kit/http/request.ts'
import { cutReply, paddedReply, type Reply } from '../kit/http/response.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { callApi } from './api.ts'
import { authorize } from './authorize.ts'
import { accountOfRole, findRole } from './companies.ts'
import { FAULTS, type FaultName } from './faults.ts'
import { Ledger, type PostedLine } from './ledger.ts'
import { errorReply, htmlReply, send } from './replies.ts'
import { type Row, SimulatorState } from './state.ts'
import { type Clients, requestToken, revokeToken } from './token-endpoint.ts'
import { type PublicClientLimits, Tokens } from './tokens.ts'

export interface NetsuiteSimulatorOptions extends SimulatorOptions {
  /** Accounts of the load test's company; 20,000 when left out. */
  giantAccounts?: number
  /** Client ids with their secrets, null for a public client; any when left out. */
  clients?: Clients
  /** Requests that an account works on at a time; 5 when left out, as in the shared service. */
  concurrency?: number
  /** Life of refresh tokens of public clients; 720 hours each and in all when left out, the most that an integration record allows. */
  publicClients?: PublicClientLimits
}

interface NetsuiteRequest extends LoggedRequest {
  /** The SuiteQL of the request, empty for others. */
  sql: string
}

export interface NetsuiteSimulator extends Simulator {
  editAccount(accountId: string, number: string, changes: Row): Row
  removeAccount(accountId: string, number: string): void
  /** Posts a journal of today; answers its id. */
  post(accountId: string, journal: { number: string; subsidiary?: string }, lines: readonly PostedLine[]): string
  removeTransaction(accountId: string, id: string): void
  /** An administrator ends every authorization of the account. */
  revoke(accountId: string): void
  /** Lets the requests go on that `slow` holds. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly NetsuiteRequest[]
}

const HUGE_BYTES = 25 * 1024 * 1024
const HTML = '<!doctype html><html><head><title>NetSuite</title></head><body><h1>Scheduled maintenance</h1></body></html>'
const PAGE_HEADERS = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" }
const LOGIN_FAILED =
  'Invalid login attempt. For more details, see the Login Audit Trail in the NetSuite UI at Setup > Users/Roles > User Management > View Login Audit Trail.'

export function createNetsuiteSimulator(options: NetsuiteSimulatorOptions): NetsuiteSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now })
  const tokens = new Tokens(state, now, options.publicClients ?? { refreshHours: 720, chainHours: 720 })
  const faults = new Faults(FAULTS)
  const held = new HeldRequests()
  const running = new Map<string, number>()
  const log = new RequestLog<NetsuiteRequest>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    const entry = log.note({ ...toEntry(request, url), sql: '' }, response)
    const path = withoutPrefix(url.pathname, options.baseUrl())
    const body = request.method === 'POST' ? await readBody(request) : ''
    if (path === '/app/login/oauth2/authorize.nl') {
      const step = authorize(request, url.searchParams, request.method === 'POST' ? new URLSearchParams(body) : null, tokens, faults)
      if ('location' in step) send(response, htmlReply(302, ''), { location: step.location })
      else send(response, step, PAGE_HEADERS)
      return
    }
    if (request.method === 'POST' && path === '/services/rest/auth/oauth2/v1/token') {
      const reply = requestToken(request, body, tokens, options.clients, faults)
      if (reply) send(response, reply)
      else request.socket.destroy()
    } else if (request.method === 'POST' && path === '/services/rest/auth/oauth2/v1/revoke') {
      send(response, revokeToken(request, body, tokens, options.clients))
    } else {
      entry.sql = body
      await answerApi(request, response, { path, query: url.searchParams, body })
    }
  }

  async function answerApi(
    request: IncomingMessage,
    response: ServerResponse,
    call: { path: string; query: URLSearchParams; body: string },
  ): Promise<void> {
    const token = bearerToken(request)
    const key = tokens.roleOf(token)
    if (key !== null && faults.take('revoked')) tokens.revokeAccount(accountOfRole(key))
    const role = findRole(tokens.roleOf(token))
    if (role === null || faults.take('unauthorized')) {
      const challenge = 'Bearer realm="NetSuite", error="invalid_token", error_description="Invalid login attempt."'
      return send(response, errorReply(401, 'INVALID_LOGIN', LOGIN_FAILED, { 'www-authenticate': challenge }))
    }
    const accountId = accountOfRole(role.key)
    const busy = running.get(accountId) ?? 0
    if (busy >= (options.concurrency ?? 5) || faults.take('throttle')) {
      return send(response, errorReply(429, 'CONCURRENCY_LIMIT_EXCEEDED', 'Concurrent request limit exceeded. Request blocked.'))
    }
    running.set(accountId, busy + 1)
    response.once('close', () => running.set(accountId, (running.get(accountId) ?? 1) - 1))
    if (faults.take('slow')) await held.hold(response)
    const fault = findFault(faults)
    if (fault) return send(response, fault)
    const reply = callApi({ request, ...call, role, ledger, faults, baseUrl: options.baseUrl() })
    if (faults.take('huge')) return send(response, paddedReply(reply, HUGE_BYTES))
    send(response, faults.take('truncated') ? cutReply(reply) : reply)
  }

  return {
    key: 'netsuite',
    ...controlsOf({ answer, faults, held, state }),
    editAccount: (accountId, number, changes) => ledger.editAccount(accountId, number, changes),
    removeAccount: (accountId, number) => ledger.removeAccount(accountId, number),
    post: (accountId, journal, lines) => ledger.post(accountId, journal, lines),
    removeTransaction: (accountId, id) => ledger.removeTransaction(accountId, id),
    revoke: (accountId) => tokens.revokeAccount(accountId),
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log.entries,
  }
}

function findFault(faults: Faults<FaultName>): Reply | null {
  if (faults.take('throttleAs400'))
    return errorReply(400, 'SSS_REQUEST_LIMIT_EXCEEDED', 'The maximum number of concurrent requests was reached.')
  if (faults.take('unavailable')) return errorReply(503, 'UNEXPECTED_ERROR', 'The service is not available.')
  if (faults.take('gatewayTimeout')) return htmlReply(504, '<html><body>Gateway Timeout</body></html>')
  if (faults.take('requestTimeout')) return errorReply(408, 'TIMEOUT', 'The request was not completed in 15 minutes.')
  if (faults.take('html')) return htmlReply(200, HTML)
  if (faults.take('empty')) return { status: 200, type: '', body: '' }
  if (faults.take('forbidden'))
    return errorReply(403, 'INSUFFICIENT_PERMISSION', 'Permission Violation: you need the "REST Web Services" permission.')
  if (faults.take('badQuery'))
    return errorReply(400, 'INVALID_PARAMETER', 'Invalid search query. Detailed unprocessed description follows.')
  return null
}
