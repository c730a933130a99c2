import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, brokenReply, type Call, HttpFront } from '../kit/http/front.ts'
import { emptyReply, htmlReply, type Reply } from '../kit/http/response.ts'
import type { LedgerSimulator, LedgerSimulatorOptions } from '../kit/ledger-simulator.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import { accountError, businessError, jsonReply, unauthenticated } from './api/replies.ts'
import { callApi } from './api/routes.ts'
import type { Row } from './data/chart.ts'
import { getLogin } from './data/companies.ts'
import { createLedger, type Ledger } from './data/ledger.ts'
import { FAULTS } from './faults.ts'
import { createOAuth, RULES } from './oauth.ts'

export type FreshbooksSimulatorOptions = LedgerSimulatorOptions

export type FreshbooksSimulator = LedgerSimulator & Ledger

const HUGE_BYTES = 40 * 1024 * 1024

/** Replies of the API while a fault is armed. */
const FAILURES = {
  unavailable: htmlReply(503, '<html><body>Service Unavailable</body></html>'),
  html: htmlReply(200, '<!doctype html><html><head><title>FreshBooks</title></head><body><h1>We’ll be back soon</h1></body></html>'),
  empty: emptyReply(200),
  throttle: accountError(429, { errno: 429, field: '', message: 'Rate limit exceeded.', object: 'request' }),
  retryAfter: businessError(429, [], { 'retry-after': '30' }),
  errorBody: accountError(200, { errno: 1001, field: 'business_uuid', message: 'Invalid value.', object: 'account' }),
}

export function createFreshbooksSimulator(options: FreshbooksSimulatorOptions): FreshbooksSimulator {
  const state = new SimulatorState<Row>(options.stateFile, {})
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const ledger = createLedger(state, toLedgerOptions(options, now))
  const grants = new Grants(state, now, RULES)
  const oauth = createOAuth(front, grants, options.clients)

  async function answer(call: Call): Promise<Reply> {
    const isApi = /^\/(accounting|auth\/api)\//.test(call.path)
    const own = oauth.answer(call)
    return own ?? (isApi ? await answerApi(call) : jsonReply(404, { error: 'Requested resource could not be found.' }))
  }

  async function answerApi(call: Call): Promise<Reply> {
    if (faults.take('slow')) await front.held.hold(call.response)
    const failure = armedReply(faults, FAILURES)
    if (failure) return failure
    const grant = oauth.grantOf(call)
    if (!grant || faults.take('unauthorized')) return unauthenticated()
    if (faults.take('forbidden')) return businessError(403, [{ field: 'scope', message: 'The token lacks a required scope.' }])
    const { method, path } = call
    return brokenReply(faults, callApi({ method, path, login: getLogin(grant.login), ledger, faults }), HUGE_BYTES)
  }

  return {
    key: 'freshbooks',
    ...front.serve(answer),
    ...ledger,
    revoke: (login) => grants.endAll((grant) => grant.login === login),
  }
}
