import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, brokenReply, type Call, HttpFront } from '../kit/http/front.ts'
import { emptyReply, htmlReply, jsonReply, type Reply, textReply } from '../kit/http/response.ts'
import type { LedgerSimulator, LedgerSimulatorOptions } from '../kit/ledger-simulator.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import { answerGraphql, errorBody } from './api/routes.ts'
import { schemaFor } from './api/schema.ts'
import { getLogin } from './data/companies.ts'
import { createLedger, type Ledger } from './data/ledger.ts'
import { FAULTS } from './faults.ts'
import { createOAuth, RULES } from './oauth.ts'

export interface WaveSimulatorOptions extends LedgerSimulatorOptions {
  /**
   * Whether the owner selects one business on the consent page (as with current apps); otherwise a token grants access
   * to all businesses of the login.
   */
  picksBusiness?: boolean
}

export type WaveSimulator = LedgerSimulator & Ledger

const UNAUTHENTICATED = errorBody('UNAUTHENTICATED', 'No valid authentication was provided.')

/** Replies of the API while a fault is armed. */
const FAILURES = {
  unavailable: htmlReply(503, '<html><body>Service Unavailable</body></html>'),
  html: htmlReply(200, '<!doctype html><html><head><title>Wave</title></head><body><h1>We’ll be back soon</h1></body></html>'),
  empty: emptyReply(200),
  throttle: jsonReply(200, { ...errorBody('THROTTLED', 'Too many requests.'), data: null }),
  throttledStatus: textReply(429, 'Too Many Requests', { 'retry-after': '20' }),
  misleadingStatus: jsonReply(429, UNAUTHENTICATED),
  internalError: jsonReply(200, { ...errorBody('INTERNAL_SERVER_ERROR', 'Internal server error'), data: null }),
}

export function createWaveSimulator(options: WaveSimulatorOptions): WaveSimulator {
  const state = new SimulatorState(options.stateFile, {})
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const ledger = createLedger(state, toLedgerOptions(options, now))
  const grants = new Grants(state, now, RULES)
  const oauth = createOAuth(front, grants, { clients: options.clients, picksBusiness: options.picksBusiness ?? true })

  async function answer(call: Call): Promise<Reply> {
    const isApi = call.form !== null && /^\/graphql\/public\/?$/.test(call.path)
    return oauth.answer(call) ?? (isApi ? await answerApi(call) : jsonReply(404, { detail: 'Not found.' }))
  }

  async function answerApi(call: Call): Promise<Reply> {
    if (faults.take('slow')) await front.held.hold(call.response)
    const failure = armedReply(faults, FAILURES)
    if (failure) return failure
    const grant = oauth.grantOf(call)
    if (!grant || faults.take('unauthorized')) return jsonReply(200, { ...UNAUTHENTICATED, data: null })
    const login = getLogin(grant.login)
    const businesses = grant.businessId === null ? login.businesses : login.businesses.filter(({ id }) => id === grant.businessId)
    const reply = answerGraphql(call.body, schemaFor({ login, businesses, ledger, faults }))
    return faults.take('partial') ? withError(reply) : brokenReply(faults, reply)
  }

  return {
    key: 'wave',
    ...front.serve(answer),
    ...ledger,
    revoke: (login) => grants.endAll((grant) => grant.login === login),
  }
}

/** The same data with a field error, as when one of Wave's own services is down. */
function withError(reply: Reply): Reply {
  const error = { message: 'Upstream failed', path: ['business', 'active', 'edges'], extensions: { code: 'SOMETHING_NEW' } }
  return { ...reply, body: JSON.stringify({ ...Object(JSON.parse(reply.body)), errors: [error] }) }
}
