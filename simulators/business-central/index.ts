import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { HeldRequests } from '../kit/http/held-requests.ts'
import { bearerToken, type LoggedRequest, RequestLog, readBody, toEntry, withoutPrefix } from '../kit/http/request.ts'
import { cutReply, paddedReply, type Reply } from '../kit/http/response.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import type { WebhookAnswer } from '../webhook-sender.ts'
import { callApi, callSubscriptions } from './api.ts'
import { authorize } from './authorize.ts'
import { findLogin } from './companies.ts'
import { FAULTS } from './faults.ts'
import { Ledger, type PostedLine } from './ledger.ts'
import { errorReply, htmlReply, send } from './replies.ts'
import { type Row, SimulatorState } from './state.ts'
import { type ChangeType, Subscriptions } from './subscriptions.ts'
import { Throttle } from './throttle.ts'
import { type Clients, requestToken } from './token-endpoint.ts'
import { Tokens } from './tokens.ts'

export interface BusinessCentralSimulatorOptions extends SimulatorOptions {
  /** Accounts of the load test's company; 20,000 when left out. */
  giantAccounts?: number
  /** Client ids and secrets that are accepted; any when left out. */
  clients?: Clients
  /** Calls a person makes in five minutes; 6,000 when left out, as at Microsoft. */
  callsPerWindow?: number
}

export interface BusinessCentralSimulator extends Simulator {
  editAccount(companyId: string, number: string, changes: Record<string, unknown>): Row
  addAccount(companyId: string, properties: Record<string, unknown>): Row
  removeAccount(companyId: string, number: string): void
  /** Posts a document of today with the next entry numbers. */
  post(companyId: string, document: { number: string; type?: string; text?: string }, lines: readonly PostedLine[]): Row[]
  /** Tells everybody who subscribed to a company's resource; gives what they answered. */
  fireWebhook(companyId: string, resource: 'accounts' | 'generalLedgerEntries', changeType: ChangeType): Promise<WebhookAnswer[]>
  /** An administrator ends every authorization; `login` is the key of a sign-in. */
  revoke(login: string): void
  /** Lets the requests go on that `slow` holds. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly LoggedRequest[]
}

const HUGE_BYTES = 25 * 1024 * 1024
const HTML = '<!doctype html><html><head><title>Business Central</title></head><body><h1>We’ll be right back</h1></body></html>'
const PAGE_HEADERS = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" }

export function createBusinessCentralSimulator(options: BusinessCentralSimulatorOptions): BusinessCentralSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now })
  const tokens = new Tokens(state, now)
  const faults = new Faults(FAULTS)
  const throttle = new Throttle(options.callsPerWindow ?? 6_000)
  const subscriptions = new Subscriptions(state, now)
  const held = new HeldRequests()
  const log = new RequestLog()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    log.note(toEntry(request, url), response)
    const path = withoutPrefix(url.pathname, options.baseUrl())
    const body = request.method === 'GET' ? '' : await readBody(request)
    if (/^\/[^/]+\/oauth2\/v2\.0\/authorize$/.test(path)) {
      const step = authorize(request, url.searchParams, request.method === 'POST' ? new URLSearchParams(body) : null, tokens, faults)
      if ('location' in step) send(response, htmlReply(302, ''), { location: step.location })
      else send(response, step, PAGE_HEADERS)
      return
    }
    if (request.method === 'POST' && /^\/[^/]+\/oauth2\/v2\.0\/token$/.test(path)) {
      const reply = requestToken(body, tokens, options.clients, faults, now())
      if (reply) send(response, reply)
      else request.socket.destroy()
      return
    }
    await answerApi(request, response, { path, query: url.searchParams, body })
  }

  async function answerApi(
    request: IncomingMessage,
    response: ServerResponse,
    asked: { path: string; query: URLSearchParams; body: string },
  ): Promise<void> {
    if (faults.take('slow')) await held.hold(response)
    const fault = findFault()
    if (fault) return send(response, fault)
    const token = bearerToken(request)
    const key = tokens.loginOf(token)
    if (key !== null && faults.take('revoked')) tokens.revokeLogin(key)
    const login = findLogin(tokens.loginOf(token))
    if (login === null || faults.take('unauthorized')) {
      return send(response, errorReply(401, 'Unauthorized', 'The credentials provided are incorrect', { 'www-authenticate': 'Bearer' }))
    }
    if (throttle.isOver(login.key, now()) || faults.take('throttle')) return send(response, tooMany({}))
    const call = { request, ...asked, login, ledger, faults, baseUrl: options.baseUrl() }
    const reply = (await callSubscriptions(call, subscriptions)) ?? callApi(call)
    if (faults.take('huge')) return send(response, paddedReply(reply, HUGE_BYTES))
    send(response, faults.take('truncated') ? cutReply(reply) : reply)
  }

  function findFault(): Reply | null {
    if (faults.take('unavailable')) return errorReply(503, 'Application_ServiceUnavailable', 'The request timed out in the queue.')
    if (faults.take('gatewayTimeout')) return htmlReply(504, '<html><body>Gateway Timeout</body></html>')
    if (faults.take('operationTimeout')) return errorReply(408, 'Internal_ServerError', 'The operation was canceled after 8 minutes.')
    if (faults.take('throttleWithWait')) return tooMany({ 'retry-after': '17' })
    if (faults.take('html')) return htmlReply(200, HTML)
    if (faults.take('empty')) return { status: 200, type: '', body: '' }
    if (faults.take('forbidden')) return errorReply(403, 'Authorization_RequestDenied', 'The current permissions prevented the action.')
    return null
  }

  return {
    key: 'business-central',
    ...controlsOf({ answer, faults, held, state }),
    editAccount: (companyId, number, changes) => ledger.editAccount(companyId, number, changes),
    addAccount: (companyId, properties) => ledger.addAccount(companyId, properties),
    removeAccount: (companyId, number) => ledger.removeAccount(companyId, number),
    post: (companyId, document, lines) => ledger.post(companyId, document, lines),
    fireWebhook: (companyId, resource, changeType) => subscriptions.notify(companyId, resource, changeType),
    revoke: (login) => tokens.revokeLogin(login),
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log.entries,
  }
}

function tooMany(headers: Record<string, string>): Reply {
  return errorReply(429, 'Application_TooManyRequests', 'Too many requests reached. Actual (101). Maximum (100).', headers)
}
