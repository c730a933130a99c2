import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { HeldRequests } from '../kit/http/held-requests.ts'
import { bearerToken, type LoggedRequest, RequestLog, readBody, toEntry, withoutPrefix } from '../kit/http/request.ts'
import { cutReply, htmlReply, paddedReply, type Reply, send, textReply } from '../kit/http/response.ts'
import { Limit } from '../kit/limits.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { type Row, SimulatorState } from '../kit/oauth/state.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { callApi, errorReply } from './api.ts'
import { authorize } from './authorize.ts'
import type { Group } from './chart.ts'
import { getLogin } from './companies.ts'
import { FAULTS } from './faults.ts'
import { Ledger } from './ledger.ts'
import { type Clients, LIFETIMES, requestToken } from './token-endpoint.ts'

export interface FreeagentSimulatorOptions extends SimulatorOptions {
  /** Categories of the load test's company; 20,000 when left out. */
  giantAccounts?: number
  /** Client ids and secrets that are accepted; any when left out. */
  clients?: Clients
  /** Calls a person may make in a minute; 120 when left out, as at FreeAgent. */
  callsPerMinute?: number
}

export interface FreeagentSimulator extends Simulator {
  editCategory(companyId: number, code: string, changes: Row): Row
  addCategory(companyId: number, group: Group, code: string, description: string): Row
  removeCategory(companyId: number, code: string): void
  editBankAccount(companyId: number, id: string, changes: Row): Row
  removeTransaction(companyId: number, id: string): void
  /** The person removes the app; `login` is the key of a sign-in. */
  revoke(login: string): void
  /** Lets the requests go on that `slow` holds. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly LoggedRequest[]
}

const HUGE_BYTES = 40 * 1024 * 1024
const HTML = '<!doctype html><html><head><title>FreeAgent</title></head><body><h1>We’ll be back soon</h1></body></html>'
const MINUTE_MS = 60_000
const CALLS_PER_HOUR = 3600
const REFRESHES_PER_MINUTE = 15
/** With `X-RateLimit-Test: true`. Source: https://dev.freeagent.com/docs/introduction */
const TEST_CALLS_PER_MINUTE = 5

export function createFreeagentSimulator(options: FreeagentSimulatorOptions): FreeagentSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now })
  const grants = new Grants(state, now, LIFETIMES)
  const faults = new Faults(FAULTS)
  const held = new HeldRequests()
  const log = new RequestLog()
  const perMinute = new Limit(options.callsPerMinute ?? 120, MINUTE_MS)
  const perTestMinute = new Limit(TEST_CALLS_PER_MINUTE, MINUTE_MS)
  const perHour = new Limit(CALLS_PER_HOUR, 60 * MINUTE_MS)
  const refreshes = new Limit(REFRESHES_PER_MINUTE, MINUTE_MS)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    log.note(toEntry(request, url), response)
    const path = withoutPrefix(url.pathname, options.baseUrl())
    const isPost = request.method === 'POST'
    const form = new URLSearchParams(isPost ? await readBody(request) : '')
    if (path === '/v2/approve_app') send(response, authorize(request, url.searchParams, isPost ? form : null, grants, faults))
    else if (isPost && path === '/v2/token_endpoint') {
      const isOver = (clientId: string) => refreshes.isOver(clientId, now())
      const reply = requestToken({ request, form, grants, clients: options.clients, faults, isOver })
      if (reply) send(response, reply)
      else request.socket.destroy()
    } else if (path.startsWith('/v2/')) await answerApi(request, response, path.slice('/v2/'.length), url.searchParams)
    else send(response, errorReply(404, 'Resource not found'))
  }

  async function answerApi(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): Promise<void> {
    if (faults.take('slow')) await held.hold(response)
    const failure = failBefore(request)
    if (failure) return send(response, failure)
    const token = bearerToken(request)
    const grant = grants.findByAccess(token)
    if (grant && faults.take('revoked')) grants.end(grant)
    if (!grant || grants.findByAccess(token) === null || faults.take('unauthorized')) {
      return send(response, errorReply(401, 'Access token not recognised'))
    }
    const limit = [request.headers['x-ratelimit-test'] === 'true' ? perTestMinute : perMinute, perHour].find((each) =>
      each.isOver(grant.login, now()),
    )
    if (limit) return send(response, textReply(429, 'Rate limit exceeded', { 'retry-after': String(limit.waitS(now())) }))
    if (faults.take('forbidden')) return send(response, errorReply(403, 'Access to this resource is not permitted'))
    const base = options.baseUrl()
    const reply = callApi({ method: request.method ?? 'GET', path, query, login: getLogin(grant.login), ledger, faults, now: now(), base })
    if (faults.take('huge')) return send(response, paddedReply(reply, HUGE_BYTES))
    send(response, faults.take('truncated') ? cutReply(reply) : reply)
  }

  function failBefore(request: IncomingMessage): Reply | null {
    if (!request.headers['user-agent']) return errorReply(400, 'A User-Agent header must be provided')
    if (faults.take('unavailable')) return htmlReply(503, '<html><body>Service Unavailable</body></html>')
    if (faults.take('html')) return htmlReply(200, HTML)
    if (faults.take('empty')) return { status: 200, type: '', body: '' }
    if (faults.take('throttle')) return textReply(429, 'Rate limit exceeded', { 'retry-after': '30' })
    if (faults.take('throttleBare')) return textReply(429, 'Rate limit exceeded')
    if (faults.take('errorBody')) return { ...errorReply(400, 'Something went wrong'), status: 200 }
    return null
  }

  return {
    key: 'freeagent',
    ...controlsOf({ answer, faults, held, state }),
    editCategory: (companyId, code, changes) => ledger.editCategory(companyId, code, changes),
    addCategory: (companyId, group, code, description) => ledger.addCategory(companyId, group, code, description),
    removeCategory: (companyId, code) => ledger.removeCategory(companyId, code),
    editBankAccount: (companyId, id, changes) => ledger.editBankAccount(companyId, id, changes),
    removeTransaction: (companyId, id) => ledger.removeTransaction(companyId, id),
    revoke: (login) => grants.endLogin(login),
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log.entries,
  }
}
