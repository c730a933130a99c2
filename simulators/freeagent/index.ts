import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, brokenReply, type Call, HttpFront } from '../kit/http/front.ts'
import { emptyReply, htmlReply, type Reply, textReply } from '../kit/http/response.ts'
import type { LedgerSimulator, LedgerSimulatorOptions } from '../kit/ledger-simulator.ts'
import { Limit } from '../kit/limits.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import { callApi, errorReply } from './api/routes.ts'
import { getLogin } from './data/companies.ts'
import { createLedger, type Ledger } from './data/ledger.ts'
import { FAULTS } from './faults.ts'
import { createOAuth, RULES } from './oauth.ts'

export interface FreeagentSimulatorOptions extends LedgerSimulatorOptions {
  /** Calls per user and minute; defaults to 120, as at FreeAgent. */
  callsPerMinute?: number
}

export type FreeagentSimulator = LedgerSimulator & Ledger

const HUGE_BYTES = 40 * 1024 * 1024
const MINUTE_MS = 60_000
const CALLS_PER_HOUR = 3600
const REFRESHES_PER_MINUTE = 15
/** Limit with `X-RateLimit-Test: true`. Source: https://dev.freeagent.com/docs/introduction */
const TEST_CALLS_PER_MINUTE = 5

/** Replies of the API while a fault is armed. */
const FAILURES = {
  unavailable: htmlReply(503, '<html><body>Service Unavailable</body></html>'),
  html: htmlReply(200, '<!doctype html><html><head><title>FreeAgent</title></head><body><h1>We’ll be back soon</h1></body></html>'),
  empty: emptyReply(200),
  throttle: textReply(429, 'Rate limit exceeded', { 'retry-after': '30' }),
  throttleBare: textReply(429, 'Rate limit exceeded'),
  errorBody: { ...errorReply(400, 'Something went wrong'), status: 200 },
}

export function createFreeagentSimulator(options: FreeagentSimulatorOptions): FreeagentSimulator {
  const state = new SimulatorState(options.stateFile, {})
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const ledger = createLedger(state, toLedgerOptions(options, now))
  const grants = new Grants(state, now, RULES)
  const perMinute = new Limit(options.callsPerMinute ?? 120, MINUTE_MS)
  const perTestMinute = new Limit(TEST_CALLS_PER_MINUTE, MINUTE_MS)
  const perHour = new Limit(CALLS_PER_HOUR, 60 * MINUTE_MS)
  const refreshes = new Limit(REFRESHES_PER_MINUTE, MINUTE_MS)
  const oauth = createOAuth(front, grants, { clients: options.clients, isOver: (clientId) => refreshes.isOver(clientId, now()) })

  async function answer(call: Call): Promise<Reply> {
    const isApi = call.path.startsWith('/v2/')
    return oauth.answer(call) ?? (isApi ? await answerApi(call) : errorReply(404, 'Resource not found'))
  }

  async function answerApi(call: Call): Promise<Reply> {
    const { method, headers, query } = call
    if (faults.take('slow')) await front.held.hold(call.response)
    if (!headers['user-agent']) return errorReply(400, 'A User-Agent header must be provided')
    const failure = armedReply(faults, FAILURES)
    if (failure) return failure
    const grant = oauth.grantOf(call)
    if (!grant || faults.take('unauthorized')) return errorReply(401, 'Access token not recognised')
    const limits = [headers['x-ratelimit-test'] === 'true' ? perTestMinute : perMinute, perHour]
    const limit = limits.find((each) => each.isOver(grant.login, now()))
    if (limit) return textReply(429, 'Rate limit exceeded', { 'retry-after': String(limit.waitS(now())) })
    if (faults.take('forbidden')) return errorReply(403, 'Access to this resource is not permitted')
    const path = call.path.slice('/v2/'.length)
    const asked = { method, path, query, login: getLogin(grant.login), ledger, faults, now: now(), base: options.baseUrl() }
    return brokenReply(faults, callApi(asked), HUGE_BYTES)
  }

  return {
    key: 'freeagent',
    ...front.serve(answer),
    ...ledger,
    revoke: (login) => grants.endAll((grant) => grant.login === login),
  }
}
