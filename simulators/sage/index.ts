import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, type Call, HttpFront, type ServedControls, toEntry } from '../kit/http/front.ts'
import type { LoggedRequest } from '../kit/http/request.ts'
import { emptyReply, htmlReply, type Reply } from '../kit/http/response.ts'
import type { LedgerSimulatorOptions } from '../kit/ledger-simulator.ts'
import { Limit } from '../kit/limits.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import type { Simulator } from '../simulator.ts'
import { apiError, gatewayError, send } from './api/replies.ts'
import { businessOf, callApi } from './api/routes.ts'
import type { Row } from './data/chart.ts'
import { GIANT_ID, getLogin } from './data/companies.ts'
import { createLedger, type Ledger } from './data/ledger.ts'
import { FAULTS } from './faults.ts'
import { createOAuth, RULES } from './oauth.ts'

export interface SageSimulatorOptions extends LedgerSimulatorOptions {
  /** Calls per business; defaults to 100 a minute and 2,500 a day. The business of the load test is unlimited. */
  callsPerMinute?: number
  callsPerDay?: number
}

interface SageRequest extends LoggedRequest {
  /** X-Business header; empty if there was none. */
  business: string
}

export interface SageSimulator extends Simulator, ServedControls<SageRequest>, Ledger {
  /** Ends every authorization of a user, access tokens included; `login` is the login's key. */
  revoke(login: string): void
}

const THROTTLED = apiError(429, 'TooManyRequests', 'Too many requests have been made against the API')

/** Replies of the API while a fault is armed. */
const FAILURES = {
  unavailable: gatewayError(503, 'Service Unavailable'),
  html: htmlReply(200, '<!doctype html><html><head><title>Sage</title></head><body><h1>Scheduled maintenance</h1></body></html>'),
  empty: emptyReply(200),
  throttle: THROTTLED,
  retryAfter: gatewayError(429, 'Too Many Requests', { 'retry-after': '30' }),
  errorBody: apiError(200, 'UnexpectedError', 'An unexpected error occurred'),
}

export function createSageSimulator(options: SageSimulatorOptions): SageSimulator {
  const state = new SimulatorState<Row>(options.stateFile, {})
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const ledger = createLedger(state, toLedgerOptions(options, now))
  const grants = new Grants(state, now, RULES)
  const oauth = createOAuth(front, grants, options.clients)
  const limits = [new Limit(options.callsPerMinute ?? 100, 60_000), new Limit(options.callsPerDay ?? 2500, 86_400_000)]

  async function answer(call: Call<SageRequest>): Promise<Reply> {
    const isApi = call.path.startsWith('/v3.1/')
    return oauth.answer(call) ?? (isApi ? await answerApi(call, call.path.slice('/v3.1/'.length)) : gatewayError(404, 'Not Found'))
  }

  async function answerApi(call: Call<SageRequest>, path: string): Promise<Reply> {
    if (faults.take('slow')) await front.held.hold(call.response)
    const failure = armedReply(faults, FAILURES)
    if (failure) return failure
    const grant = oauth.grantOf(call)
    if (!grant || faults.take('unauthorized')) {
      return apiError(401, 'AuthenticationFailure', 'The access token is invalid or has expired')
    }
    if (faults.take('noSubscription')) return apiError(401, 'AuthorizationFailure', 'No active subscription. (MSE)')
    const login = getLogin(grant.login)
    const header = call.headers['x-business']
    const businessId = typeof header === 'string' ? header : undefined
    const business = businessOf(login, businessId)
    if (business !== null && business.id !== GIANT_ID && !/^(user|businesses)\b/.test(path)) {
      const met = limits.filter((limit) => limit.isOver(business.id, now()))
      if (met.length > 0) return THROTTLED
    }
    return callApi({ method: call.method, path, query: call.query, login, businessId, ledger, faults })
  }

  return {
    key: 'sage',
    ...front.serveLogged<SageRequest>({
      answer,
      toEntry: (call) => ({ ...toEntry(call), business: String(call.headers['x-business'] ?? '') }),
      send,
    }),
    ...ledger,
    revoke: (login) => grants.endAll((grant) => grant.login === login),
  }
}
