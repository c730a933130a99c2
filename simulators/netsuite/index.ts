import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, brokenReply, type Call, HttpFront, type ServedControls, toEntry } from '../kit/http/front.ts'
import type { LoggedRequest } from '../kit/http/request.ts'
import { emptyReply, htmlReply, type Reply } from '../kit/http/response.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { errorReply, send } from './api/replies.ts'
import { callApi } from './api/routes.ts'
import { accountOfRole, findRole } from './data/companies.ts'
import { createLedger, type Item, type Ledger } from './data/ledger.ts'
import { FAULTS } from './faults.ts'
import { type Clients, createOAuth, type PublicClientLimits, rulesFor } from './oauth.ts'

export interface NetsuiteSimulatorOptions extends SimulatorOptions {
  /** Accounts of the load test's company; defaults to 20,000. */
  giantAccounts?: number
  /** Client ids with their secrets, null for a public client; defaults to any. */
  clients?: Clients
  /** Maximum number of concurrent requests per account; defaults to 5, as in the shared service. */
  concurrency?: number
  /**
   * Lifetime of refresh tokens of public clients; defaults to 720 hours each and in total, the maximum of an
   * integration record.
   */
  publicClients?: PublicClientLimits
}

interface NetsuiteRequest extends LoggedRequest {
  /** SuiteQL of the request; empty for others. */
  sql: string
}

export interface NetsuiteSimulator extends Simulator, ServedControls<NetsuiteRequest>, Ledger {
  /** Ends every authorization of the account, as an administrator can. */
  revoke(accountId: string): void
}

const LOGIN_FAILED =
  'Invalid login attempt. For more details, see the Login Audit Trail in the NetSuite UI at Setup > Users/Roles > User Management > View Login Audit Trail.'
const CHALLENGE = 'Bearer realm="NetSuite", error="invalid_token", error_description="Invalid login attempt."'

/** Replies of the API while a fault is armed. */
const FAILURES = {
  throttleAs400: errorReply(400, 'SSS_REQUEST_LIMIT_EXCEEDED', 'The maximum number of concurrent requests was reached.'),
  unavailable: errorReply(503, 'UNEXPECTED_ERROR', 'The service is not available.'),
  gatewayTimeout: htmlReply(504, '<html><body>Gateway Timeout</body></html>'),
  requestTimeout: errorReply(408, 'TIMEOUT', 'The request was not completed in 15 minutes.'),
  html: htmlReply(200, '<!doctype html><html><head><title>NetSuite</title></head><body><h1>Scheduled maintenance</h1></body></html>'),
  empty: emptyReply(200),
  forbidden: errorReply(403, 'INSUFFICIENT_PERMISSION', 'Permission Violation: you need the "REST Web Services" permission.'),
  badQuery: errorReply(400, 'INVALID_PARAMETER', 'Invalid search query. Detailed unprocessed description follows.'),
}

export function createNetsuiteSimulator(options: NetsuiteSimulatorOptions): NetsuiteSimulator {
  const state = new SimulatorState<Item>(options.stateFile, {})
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const ledger = createLedger(state, toLedgerOptions(options, now))
  const grants = new Grants(state, now, rulesFor(options.publicClients ?? { refreshHours: 720, chainHours: 720 }))
  const oauth = createOAuth(front, grants, options.clients)
  const running = new Map<string, number>()

  async function answer(call: Call<NetsuiteRequest>): Promise<Reply> {
    const own = oauth.answer(call)
    if (own) return own
    call.entry.sql = call.body
    return await answerApi(call)
  }

  async function answerApi(call: Call<NetsuiteRequest>): Promise<Reply> {
    const { request, response, path, query, body } = call
    const role = findRole(oauth.grantOf(call)?.businessId ?? null)
    if (role === null || faults.take('unauthorized')) {
      return errorReply(401, 'INVALID_LOGIN', LOGIN_FAILED, { 'www-authenticate': CHALLENGE })
    }
    const accountId = accountOfRole(role.key)
    const busy = running.get(accountId) ?? 0
    if (busy >= (options.concurrency ?? 5) || faults.take('throttle')) {
      return errorReply(429, 'CONCURRENCY_LIMIT_EXCEEDED', 'Concurrent request limit exceeded. Request blocked.')
    }
    running.set(accountId, busy + 1)
    response.once('close', () => running.set(accountId, (running.get(accountId) ?? 1) - 1))
    if (faults.take('slow')) await front.held.hold(response)
    const failure = armedReply(faults, FAILURES)
    if (failure) return failure
    return brokenReply(faults, callApi({ request, path, query, body, role, ledger, faults, baseUrl: options.baseUrl() }))
  }

  return {
    key: 'netsuite',
    ...front.serveLogged<NetsuiteRequest>({ answer, toEntry: (call) => ({ ...toEntry(call), sql: '' }), send }),
    ...ledger,
    revoke: (accountId) => grants.endAll(({ businessId }) => accountOfRole(businessId ?? '') === accountId),
  }
}
