import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, brokenReply, type Call, HttpFront } from '../kit/http/front.ts'
import { emptyReply, htmlReply, type Reply } from '../kit/http/response.ts'
import type { WebhookAnswer } from '../kit/http/webhook-sender.ts'
import type { LedgerSimulator, LedgerSimulatorOptions } from '../kit/ledger-simulator.ts'
import { Limit } from '../kit/limits.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import { errorReply, send } from './api/replies.ts'
import { callApi, callSubscriptions } from './api/routes.ts'
import type { Row } from './data/chart.ts'
import { findLogin } from './data/companies.ts'
import { createLedger, type Ledger } from './data/ledger.ts'
import { FAULTS } from './faults.ts'
import { createOAuth, RULES } from './oauth.ts'
import { type ChangeType, type OwnState, Subscriptions } from './webhooks.ts'

export interface BusinessCentralSimulatorOptions extends LedgerSimulatorOptions {
  /** Calls per user in five minutes; defaults to 6,000, as at Microsoft. */
  callsPerWindow?: number
}

export interface BusinessCentralSimulator extends LedgerSimulator, Ledger {
  /** Notifies the subscribers of a company's resource; returns their answers. */
  fireWebhook(companyId: string, resource: 'accounts' | 'generalLedgerEntries', changeType: ChangeType): Promise<WebhookAnswer[]>
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

/** Replies of the API while a fault is armed, each with a request id. */
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
