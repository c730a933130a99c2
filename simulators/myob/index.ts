import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, brokenReply, type Call, HttpFront } from '../kit/http/front.ts'
import { emptyReply, htmlReply, jsonReply, type Reply } from '../kit/http/response.ts'
import type { LedgerSimulator, LedgerSimulatorOptions } from '../kit/ledger-simulator.ts'
import { Limit } from '../kit/limits.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import { callApi, errorReply } from './api/routes.ts'
import { getLogin } from './data/companies.ts'
import { createLedger, type Ledger } from './data/ledger.ts'
import { FAULTS } from './faults.ts'
import { createOAuth, RULES } from './oauth.ts'

export interface MyobSimulatorOptions extends LedgerSimulatorOptions {
  /** Calls per key and second; defaults to 8, as at MYOB. */
  callsPerSecond?: number
  /**
   * Whether the administrator selects one business on the consent page (current API keys); otherwise a token grants
   * access to all files of the login.
   */
  picksBusiness?: boolean
}

export type MyobSimulator = LedgerSimulator & Ledger

const NO_KEY = errorReply(403, { name: 'DeveloperInactive', message: 'API key is missing or inactive', code: 0 })
const TOO_MANY = { name: 'RateLimitError', message: 'API key has exceeded the per-second rate limit', code: 0 }

/** Replies of the API while a fault is armed. */
const FAILURES = {
  unavailable: errorReply(503, { name: 'ServiceUnavailable', message: 'Try again later', code: 0 }),
  gatewayTimeout: htmlReply(504, '<html><body>Gateway Timeout</body></html>'),
  html: htmlReply(200, '<!doctype html><html><head><title>MYOB</title></head><body><h1>We’ll be back soon</h1></body></html>'),
  empty: emptyReply(200),
  throttledBefore: errorReply(403, TOO_MANY),
  dayIsOver: errorReply(403, { ...TOO_MANY, message: 'API key has exceeded the daily rate limit' }),
  keyIsOff: NO_KEY,
  retryAfter: { ...errorReply(429, TOO_MANY), headers: { 'retry-after': '12' } },
  throttle: errorReply(429, TOO_MANY),
  errorBody: { ...errorReply(400, { name: 'BusinessException', message: 'Something', code: 10_001 }), status: 200 },
}

export function createMyobSimulator(options: MyobSimulatorOptions): MyobSimulator {
  const state = new SimulatorState(options.stateFile, {})
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const ledger = createLedger(state, toLedgerOptions(options, now))
  const grants = new Grants(state, now, RULES)
  const oauth = createOAuth(front, grants, { clients: options.clients, picksBusiness: options.picksBusiness ?? true })
  const perSecond = new Limit(options.callsPerSecond ?? 8, 1000)
  let requests = 0

  async function answer(call: Call): Promise<Reply> {
    requests += 1
    const id = `${requests}-sim`
    const own = oauth.answer(call)
    if (own) return own
    const [isApi, path = ''] = /^\/accountright(?:\/(.*?))?\/?$/.exec(call.path) ?? []
    if (isApi === undefined) return jsonReply(404, { Message: 'Not found' })
    const reply = await answerApi(call, path)
    return { ...reply, headers: { ...reply.headers, 'x-myobapi-requestid': id } }
  }

  async function answerApi(call: Call, path: string): Promise<Reply> {
    if (faults.take('slow')) await front.held.hold(call.response)
    const failure = failBefore(call)
    if (failure) return failure
    const grant = oauth.grantOf(call)
    const isTheirs = grant?.clientId === call.headers['x-myobapi-key']
    if (!grant || !isTheirs || faults.take('unauthorized')) {
      return errorReply(401, { name: 'OAuthTokenIsInvalid', message: 'The supplied OAuth token is not valid', code: 31_001 })
    }
    if (faults.take('forbidden')) return errorReply(403, { name: 'AccessDenied', message: 'Access is denied', code: 31_002 })
    const { files } = getLogin(grant.login)
    const open = grant.businessId === null ? files : files.filter(({ id }) => id === grant.businessId)
    const { method, query } = call
    return brokenReply(faults, callApi({ method, path, query, files: open, ledger, faults, base: options.baseUrl() }))
  }

  function failBefore({ headers }: Call): Reply | null {
    const key = String(headers['x-myobapi-key'] ?? '')
    if (key === '' || headers['x-myobapi-version'] !== 'v2') return NO_KEY
    return armedReply(faults, FAILURES) ?? (perSecond.isOver(key, now()) ? FAILURES.throttle : null)
  }

  return {
    key: 'myob',
    ...front.serve(answer),
    ...ledger,
    revoke: (login) => grants.endAll((grant) => grant.login === login),
  }
}
