import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, brokenReply, type Call, HttpFront, type ServedControls } from '../kit/http/front.ts'
import { emptyReply, htmlReply, type Reply } from '../kit/http/response.ts'
import type { WebhookAnswer } from '../kit/http/webhook-sender.ts'
import { Limit } from '../kit/limits.ts'
import type { Clients } from '../kit/oauth/clients.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { errorReply, send } from './api/replies.ts'
import { callApi, callSubscriptions } from './api/routes.ts'
import type { Row } from './data/chart.ts'
import { findLogin } from './data/companies.ts'
import { createLedger, type Ledger } from './data/ledger.ts'
import { FAULTS } from './faults.ts'
import { createOAuth, RULES } from './oauth.ts'
import { type ChangeType, type OwnState, Subscriptions } from './webhooks.ts'

export interface BusinessCentralSimulatorOptions extends SimulatorOptions {
  /** Accounts of the load test's company; 20,000 when left out. */
  giantAccounts?: number
  /** Client ids and secrets that are accepted; any when left out. */
  clients?: Clients
  /** Calls a person makes in five minutes; 6,000 when left out, as at Microsoft. */
  callsPerWindow?: number
}

export interface BusinessCentralSimulator extends Simulator, ServedControls, Ledger {
  /** Tells everybody who subscribed to a company's resource; gives what they answered. */
  fireWebhook(companyId: string, resource: 'accounts' | 'generalLedgerEntries', changeType: ChangeType): Promise<WebhookAnswer[]>
  /** An administrator ends every authorization; `login` is the key of a sign-in. */
  revoke(login: string): void
}

const WINDOW_MS = 5 * 60_000

export function createBusinessCentralSimulator(options: BusinessCentralSimulatorOptions): BusinessCentralSimulator {
  const state = new SimulatorState<Row, OwnState>(options.stateFile, { subscriptions: [] })
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const ledger = createLedger(state, toLedgerOptions(options, now))
  const grants = new Grants(state, now, RULES)
  const oauth = createOAuth(front, grants, options.clients)
  const perWindow = new Limit(options.callsPerWindow ?? 6_000, WINDOW_MS)
  const subscriptions = new Subscriptions(state, now)

  async function answer(call: Call): Promise<Reply> {
    return oauth.answer(call) ?? (await answerApi(call))
  }

  async function answerApi(call: Call): Promise<Reply> {
    if (faults.take('slow')) await front.held.hold(call.response)
    const failure = armedReply(faults, failures())
    if (failure) return failure
    const grant = oauth.grantOf(call)
    const login = findLogin(grant?.login ?? null)
    if (login === null || faults.take('unauthorized')) {
      return errorReply(401, 'Unauthorized', 'The credentials provided are incorrect', { 'www-authenticate': 'Bearer' })
    }
    if (perWindow.isOver(login.key, now()) || faults.take('throttle')) return tooMany({})
    const asked = {
      request: call.request,
      path: call.path,
      query: call.query,
      body: call.body,
      login,
      ledger,
      faults,
      baseUrl: options.baseUrl(),
    }
    return brokenReply(faults, (await callSubscriptions(asked, subscriptions)) ?? callApi(asked))
  }

  return {
    key: 'business-central',
    ...front.serve(answer, send),
    ...ledger,
    fireWebhook: (companyId, resource, changeType) => subscriptions.notify(companyId, resource, changeType),
    revoke: (login) => grants.endAll((grant) => grant.login === login),
  }
}

/** What the API answers while one of these faults is armed; each with an id of the call. */
function failures() {
  return {
    unavailable: errorReply(503, 'Application_ServiceUnavailable', 'The request timed out in the queue.'),
    gatewayTimeout: htmlReply(504, '<html><body>Gateway Timeout</body></html>'),
    operationTimeout: errorReply(408, 'Internal_ServerError', 'The operation was canceled after 8 minutes.'),
    throttleWithWait: tooMany({ 'retry-after': '17' }),
    html: htmlReply(
      200,
      '<!doctype html><html><head><title>Business Central</title></head><body><h1>We’ll be right back</h1></body></html>',
    ),
    empty: emptyReply(200),
    forbidden: errorReply(403, 'Authorization_RequestDenied', 'The current permissions prevented the action.'),
  }
}

function tooMany(headers: Record<string, string>): Reply {
  return errorReply(429, 'Application_TooManyRequests', 'Too many requests reached. Actual (101). Maximum (100).', headers)
}
