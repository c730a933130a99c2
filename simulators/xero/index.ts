import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { HeldRequests } from '../kit/http/held-requests.ts'
import { bearerToken, type LoggedRequest, RequestLog, readBody, toEntry, withoutPrefix } from '../kit/http/request.ts'
import { cutReply, htmlReply, jsonReply, paddedReply, type Reply, send } from '../kit/http/response.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { callAccounting } from './accounting-api.ts'
import { authorize } from './authorize.ts'
import { answerConnections } from './connections.ts'
import { FAULTS } from './faults.ts'
import { Identity } from './identity.ts'
import { Ledger } from './ledger.ts'
import { problemReply } from './replies.ts'
import { type GrantState, type Row, SimulatorState } from './state.ts'
import { Throttle } from './throttle.ts'
import { type Clients, requestToken, revokeToken } from './token-endpoint.ts'
import { Tokens } from './tokens.ts'
import { Webhooks } from './webhooks.ts'

export interface XeroSimulatorOptions extends SimulatorOptions {
  /** Accounts of the load test's organisation; 20,000 when left out. */
  giantAccounts?: number
  /** Client ids and secrets that are accepted; any when left out. */
  clients?: Clients
  /** Calls an organisation takes in a minute; 60 when left out, as at Xero. */
  callsPerMinute?: number
  /** Calls an organisation takes in a day; 5,000 when left out. */
  callsPerDay?: number
  /** Of the app: only `advanced` has the journals, which is what is left out means. */
  tier?: 'core' | 'advanced'
}

export interface XeroSimulator extends Simulator {
  editAccount(tenantId: string, accountId: string, changes: Row): Row
  addAccount(tenantId: string, properties: Row): Row
  removeAccount(tenantId: string, accountId: string): void
  /** Posts a journal of two lines, dated today. */
  postJournal(tenantId: string, posting: { debit: string; credit: string; cents: number; note: string }): Row
  /** What the monthly reset of a demo company does to its journals. */
  resetJournals(tenantId: string): void
  listAccounts(tenantId: string): readonly Row[]
  /** The app's webhooks. */
  webhooks: Pick<Webhooks, 'fire' | 'checkIntent'>
  /** The owner takes the organisation from every app. */
  revoke(tenantId: string): void
  /** Lets the requests go on that `slow` holds. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly LoggedRequest[]
}

const HUGE_BYTES = 25 * 1024 * 1024
const APP_CALLS_PER_MINUTE = 10_000
const HTML = '<!doctype html><html><head><title>Xero</title></head><body><h1>We’ll be back shortly</h1></body></html>'

export function createXeroSimulator(options: XeroSimulatorOptions): XeroSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now })
  const identity = new Identity(now)
  const tokens = new Tokens(state, now, identity)
  const faults = new Faults(FAULTS)
  const throttle = new Throttle({ perMinute: options.callsPerMinute ?? 60, perDay: options.callsPerDay ?? 5000 })
  const held = new HeldRequests()
  const log = new RequestLog()
  const hasJournals = (options.tier ?? 'advanced') === 'advanced'

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    log.note(toEntry(request, url), response)
    const path = withoutPrefix(url.pathname, options.baseUrl())
    const isPost = request.method === 'POST'
    const form = new URLSearchParams(isPost ? await readBody(request) : '')
    if (path === '/identity/connect/authorize') {
      send(response, authorize({ request, query: url.searchParams, form: isPost ? form : null, tokens, faults, hasJournals }))
    } else if (isPost && path === '/connect/token') {
      const reply = requestToken(request, form, tokens, options.clients, faults)
      if (reply) send(response, reply)
      else request.socket.destroy()
    } else if (isPost && path === '/connect/revocation') send(response, revokeToken(request, form, tokens, options.clients))
    else if (path === '/.well-known/openid-configuration') send(response, jsonReply(200, identity.discovery(options.baseUrl())))
    else if (path === '/.well-known/openid-configuration/jwks') send(response, jsonReply(200, identity.keySet()))
    else if (path === '/connections' || path.startsWith('/connections/')) answerConnectionCall(request, response, path, url.searchParams)
    else if (path.startsWith('/api.xro/2.0/')) await answerApi(request, response, path.slice('/api.xro/2.0/'.length), url.searchParams)
    else send(response, jsonReply(404, { error: 'not_found' }))
  }

  function answerConnectionCall(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): void {
    const grant = tokens.findByAccess(bearerToken(request))
    const id = path.slice('/connections/'.length)
    send(response, grant ? answerConnections({ request, id, query, grant, tokens }) : expired())
  }

  async function answerApi(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): Promise<void> {
    if (faults.take('slow')) await held.hold(response)
    const grant = tokens.findByAccess(bearerToken(request))
    if (!grant || faults.take('unauthorized')) return send(response, expired())
    const tenantId = String(request.headers['xero-tenant-id'] ?? '')
    if (faults.take('revoked')) tokens.disconnectTenant(tenantId)
    if (!isConnected(grant, tenantId)) return send(response, problemReply(403, 'AuthenticationUnsuccessful'))
    const spent = throttle.spend(tenantId, now())
    const headers = {
      'x-daylimit-remaining': String(spent.dayLeft),
      'x-minlimit-remaining': String(spent.minuteLeft),
      'x-appminlimit-remaining': String(APP_CALLS_PER_MINUTE),
    }
    const failure = spent.problem ? throttled(spent.problem, spent.retryAfterS) : failBefore()
    if (failure) return send(response, { ...failure, headers: { ...headers, ...failure.headers } })
    const books = ledger.booksOf(tenantId)
    const answered = callAccounting({ request, path, query, scopes: grant.scope.split(' '), books, now: now(), faults, hasJournals })
    const reply = { ...answered, headers: { ...headers, ...answered.headers } }
    if (faults.take('huge')) return send(response, paddedReply(reply, HUGE_BYTES))
    send(response, faults.take('truncated') ? cutReply(reply) : reply)
  }

  function isConnected(grant: GrantState, tenantId: string): boolean {
    return tokens.listConnections(grant).some((connection) => connection.tenantId === tenantId)
  }

  function expired(): Reply {
    return problemReply(401, `TokenExpired: token expired at ${now().toISOString()}`)
  }

  function failBefore(): Reply | null {
    if (faults.take('unavailable')) return htmlReply(503, '<html><body>Service Unavailable</body></html>')
    if (faults.take('offline')) return problemReply(503, 'The organisation is offline')
    if (faults.take('internalError')) return problemReply(500, 'An error occurred in Xero')
    if (faults.take('html')) return htmlReply(200, HTML)
    if (faults.take('empty')) return { status: 200, type: '', body: '' }
    if (faults.take('throttle')) return throttled('minute', 27)
    if (faults.take('throttleDay')) return throttled('day', 18_000)
    if (faults.take('throttleConcurrent')) return throttled('concurrent', 1)
    return null
  }

  return {
    key: 'xero',
    ...controlsOf({ answer, faults, held, state }),
    editAccount: (tenantId, accountId, changes) => ledger.editAccount(tenantId, accountId, changes),
    addAccount: (tenantId, properties) => ledger.addAccount(tenantId, properties),
    removeAccount: (tenantId, accountId) => ledger.removeAccount(tenantId, accountId),
    postJournal: (tenantId, posting) => ledger.postJournal(tenantId, posting),
    resetJournals: (tenantId) => ledger.resetJournals(tenantId),
    listAccounts: (tenantId) => ledger.booksOf(tenantId).accounts,
    webhooks: new Webhooks(now),
    revoke: (tenantId) => tokens.disconnectTenant(tenantId),
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log.entries,
  }
}

/** Source: https://developer.xero.com/documentation/guides/oauth2/limits/ */
function throttled(problem: string, retryAfterS: number): Reply {
  return { status: 429, type: '', body: '', headers: { 'retry-after': String(retryAfterS), 'x-rate-limit-problem': problem } }
}
