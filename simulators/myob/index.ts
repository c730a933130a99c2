import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { HeldRequests } from '../kit/http/held-requests.ts'
import { bearerToken, type LoggedRequest, RequestLog, readBody, toEntry, withoutPrefix } from '../kit/http/request.ts'
import { cutReply, htmlReply, jsonReply, paddedReply, type Reply, send } from '../kit/http/response.ts'
import { Limit } from '../kit/limits.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { type Row, SimulatorState } from '../kit/oauth/state.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { callApi, errorReply } from './api.ts'
import { authorize } from './authorize.ts'
import { FAULTS } from './faults.ts'
import { getLogin } from './files.ts'
import { Ledger } from './ledger.ts'
import { type Clients, LIFETIMES, requestToken } from './token-endpoint.ts'

export interface MyobSimulatorOptions extends SimulatorOptions {
  /** Accounts of the load test's company file; 20,000 when left out. */
  giantAccounts?: number
  /** Client ids and secrets that are accepted; any when left out. */
  clients?: Clients
  /** Calls a key may make in a second; 8 when left out, as at MYOB. */
  callsPerSecond?: number
  /** Whether the administrator picks one business on the consent page (keys of today); without it a token opens all files of the sign-in. */
  picksBusiness?: boolean
}

export interface MyobSimulator extends Simulator {
  editAccount(fileId: string, uid: string, changes: Row): Row
  addAccount(fileId: string, properties: Row): Row
  removeAccount(fileId: string, uid: string): void
  removeJournal(fileId: string, uid: string): void
  /** The person removes the app; `login` is the key of a sign-in. */
  revoke(login: string): void
  /** Lets the requests go on that `slow` holds. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly LoggedRequest[]
}

const HUGE_BYTES = 25 * 1024 * 1024
const HTML = '<!doctype html><html><head><title>MYOB</title></head><body><h1>We’ll be back soon</h1></body></html>'

export function createMyobSimulator(options: MyobSimulatorOptions): MyobSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000 })
  const grants = new Grants(state, now, LIFETIMES)
  const faults = new Faults(FAULTS)
  const held = new HeldRequests()
  const log = new RequestLog()
  const perSecond = new Limit(options.callsPerSecond ?? 8, 1000)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    log.note(toEntry(request, url), response)
    const path = withoutPrefix(url.pathname, options.baseUrl()).replace(/\/$/, '')
    const isPost = request.method === 'POST'
    const form = new URLSearchParams(isPost ? await readBody(request) : '')
    if (path === '/oauth2/account/authorize') {
      const picksBusiness = options.picksBusiness ?? true
      send(response, authorize({ request, query: url.searchParams, form: isPost ? form : null, grants, faults, picksBusiness }))
    } else if (isPost && path === '/oauth2/v1/authorize') {
      const reply = requestToken(form, grants, options.clients, faults)
      if (reply) send(response, reply)
      else request.socket.destroy()
    } else if (/^\/accountright(\/|$)/.test(path)) {
      const reply = await answerApi(request, response, path.slice('/accountright'.length).replace(/^\//, ''), url.searchParams)
      send(response, { ...reply, headers: { ...reply.headers, 'x-myobapi-requestid': `${log.entries.length}-sim` } })
    } else send(response, jsonReply(404, { Message: 'Not found' }))
  }

  async function answerApi(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): Promise<Reply> {
    if (faults.take('slow')) await held.hold(response)
    const failure = failBefore(request)
    if (failure) return failure
    const token = bearerToken(request)
    const grant = grants.findByAccess(token)
    if (grant && faults.take('revoked')) grants.end(grant)
    const isTheirs = grant?.clientId === request.headers['x-myobapi-key']
    if (!grant || !isTheirs || grants.findByAccess(token) === null || faults.take('unauthorized')) {
      return errorReply(401, { name: 'OAuthTokenIsInvalid', message: 'The supplied OAuth token is not valid', code: 31_001 })
    }
    if (faults.take('forbidden')) return errorReply(403, { name: 'AccessDenied', message: 'Access is denied', code: 31_002 })
    const { files } = getLogin(grant.login)
    const open = grant.businessId === null ? files : files.filter(({ id }) => id === grant.businessId)
    const base = options.baseUrl()
    const reply = callApi({ method: request.method ?? 'GET', path, query, files: open, ledger, faults, base })
    if (faults.take('huge')) return paddedReply(reply, HUGE_BYTES)
    return faults.take('truncated') ? cutReply(reply) : reply
  }

  function failBefore(request: IncomingMessage): Reply | null {
    const key = String(request.headers['x-myobapi-key'] ?? '')
    if (key === '' || request.headers['x-myobapi-version'] !== 'v2')
      return errorReply(403, { name: 'DeveloperInactive', message: 'API key is missing or inactive', code: 0 })
    if (faults.take('unavailable')) return errorReply(503, { name: 'ServiceUnavailable', message: 'Try again later', code: 0 })
    if (faults.take('gatewayTimeout')) return htmlReply(504, '<html><body>Gateway Timeout</body></html>')
    if (faults.take('html')) return htmlReply(200, HTML)
    if (faults.take('empty')) return { status: 200, type: '', body: '' }
    const tooMany = { name: 'RateLimitError', message: 'API key has exceeded the per-second rate limit', code: 0 }
    if (faults.take('throttledBefore')) return errorReply(403, tooMany)
    if (faults.take('dayIsOver')) return errorReply(403, { ...tooMany, message: 'API key has exceeded the daily rate limit' })
    if (faults.take('keyIsOff')) return errorReply(403, { name: 'DeveloperInactive', message: 'API key is missing or inactive', code: 0 })
    if (faults.take('retryAfter')) return { ...errorReply(429, tooMany), headers: { 'retry-after': '12' } }
    if (faults.take('throttle') || perSecond.isOver(key, now())) return errorReply(429, tooMany)
    if (faults.take('errorBody'))
      return { ...errorReply(400, { name: 'BusinessException', message: 'Something', code: 10_001 }), status: 200 }
    return null
  }

  return {
    key: 'myob',
    ...controlsOf({ answer, faults, held, state }),
    editAccount: (fileId, uid, changes) => ledger.editAccount(fileId, uid, changes),
    addAccount: (fileId, properties) => ledger.addAccount(fileId, properties),
    removeAccount: (fileId, uid) => ledger.removeAccount(fileId, uid),
    removeJournal: (fileId, uid) => ledger.removeJournal(fileId, uid),
    revoke: (login) => grants.endLogin(login),
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log.entries,
  }
}
