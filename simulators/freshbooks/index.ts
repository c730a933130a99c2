import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { HeldRequests } from '../kit/http/held-requests.ts'
import { bearerToken, type LoggedRequest, RequestLog, readBody, toEntry, withoutPrefix } from '../kit/http/request.ts'
import { cutReply, paddedReply, type Reply } from '../kit/http/response.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { callApi } from './api.ts'
import { authorize } from './authorize.ts'
import { getLogin } from './businesses.ts'
import { FAULTS } from './faults.ts'
import { Ledger } from './ledger.ts'
import { accountError, businessError, htmlReply, jsonReply, send, unauthenticated } from './replies.ts'
import { type Row, SimulatorState } from './state.ts'
import { type Clients, requestToken, revokeToken } from './token-endpoint.ts'
import { Tokens } from './tokens.ts'

export interface FreshbooksSimulatorOptions extends SimulatorOptions {
  /** Accounts of the load test's business; 20,000 when left out. */
  giantAccounts?: number
  /** Client ids and secrets that are accepted; any when left out. */
  clients?: Clients
}

export interface FreshbooksSimulator extends Simulator {
  editAccount(businessUuid: string, accountUuid: string, changes: Record<string, unknown>): Row
  addAccount(businessUuid: string, properties: Record<string, unknown>): Row
  removeAccount(businessUuid: string, accountUuid: string): void
  /** The person ends every authorization; `login` is the key of a sign-in. */
  revoke(login: string): void
  /** Lets the requests go on that `slow` holds. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly LoggedRequest[]
}

const HUGE_BYTES = 40 * 1024 * 1024
const HTML = '<!doctype html><html><head><title>FreshBooks</title></head><body><h1>We’ll be back soon</h1></body></html>'
const PAGE_HEADERS = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" }

export function createFreshbooksSimulator(options: FreshbooksSimulatorOptions): FreshbooksSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now })
  const tokens = new Tokens(state, now)
  const faults = new Faults(FAULTS)
  const held = new HeldRequests()
  const log = new RequestLog()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    log.note(toEntry(request, url), response)
    const path = withoutPrefix(url.pathname, options.baseUrl())
    const isPost = request.method === 'POST'
    const body = isPost ? await readBody(request) : ''
    if (/^\/oauth\/authorize\/?$/.test(path)) {
      const step = authorize(request, url.searchParams, isPost ? new URLSearchParams(body) : null, tokens, faults)
      if ('location' in step) send(response, htmlReply(302, ''), { location: step.location })
      else send(response, step, PAGE_HEADERS)
    } else if (isPost && path === '/auth/oauth/token') {
      const reply = requestToken(request, body, tokens, options.clients, faults)
      if (reply) send(response, reply)
      else request.socket.destroy()
    } else if (isPost && path === '/auth/oauth/revoke') send(response, revokeToken(request, body, tokens, options.clients))
    else if (/^\/(accounting|auth\/api)\//.test(path)) await answerApi(request, response, path)
    else send(response, jsonReply(404, { error: 'Requested resource could not be found.' }))
  }

  async function answerApi(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (faults.take('slow')) await held.hold(response)
    const failure = failBefore()
    if (failure) return send(response, failure)
    const token = bearerToken(request)
    const login = tokens.loginOf(token)
    if (login !== null && faults.take('revoked')) tokens.revokeLogin(login)
    if (login === null || tokens.loginOf(token) === null || faults.take('unauthorized')) return send(response, unauthenticated())
    if (faults.take('forbidden'))
      return send(response, businessError(403, [{ field: 'scope', message: 'The token lacks a required scope.' }]))
    const reply = callApi({ method: request.method ?? 'GET', path, login: getLogin(login), ledger, faults })
    if (faults.take('huge')) return send(response, paddedReply(reply, HUGE_BYTES))
    send(response, faults.take('truncated') ? cutReply(reply) : reply)
  }

  function failBefore(): Reply | null {
    if (faults.take('unavailable')) return htmlReply(503, '<html><body>Service Unavailable</body></html>')
    if (faults.take('html')) return htmlReply(200, HTML)
    if (faults.take('empty')) return { status: 200, type: '', body: '' }
    const throttled = { errno: 429, field: '', message: 'Rate limit exceeded.', object: 'request' }
    if (faults.take('throttle')) return accountError(429, throttled)
    if (faults.take('retryAfter')) return businessError(429, [], { 'retry-after': '30' })
    if (faults.take('errorBody'))
      return accountError(200, { errno: 1001, field: 'business_uuid', message: 'Invalid value.', object: 'account' })
    return null
  }

  return {
    key: 'freshbooks',
    ...controlsOf({ answer, faults, held, state }),
    editAccount: (businessUuid, accountUuid, changes) => ledger.editAccount(businessUuid, accountUuid, changes),
    addAccount: (businessUuid, properties) => ledger.addAccount(businessUuid, properties),
    removeAccount: (businessUuid, accountUuid) => ledger.removeAccount(businessUuid, accountUuid),
    revoke: (login) => tokens.revokeLogin(login),
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log.entries,
  }
}
