import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, brokenReply, type Call, HttpFront, type ServedControls } from '../kit/http/front.ts'
import { emptyReply, htmlReply, type Reply } from '../kit/http/response.ts'
import type { WebhookAnswer } from '../kit/http/webhook-sender.ts'
import type { LedgerSimulatorOptions } from '../kit/ledger-simulator.ts'
import { Limit } from '../kit/limits.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import type { Simulator } from '../simulator.ts'
import { gatewayReply, jsonReply, send } from './api/replies.ts'
import { callCompany } from './api/routes.ts'
import type { Row } from './data/chart.ts'
import { createLedger, type Ledger } from './data/ledger.ts'
import { FAULTS } from './faults.ts'
import { createOAuth, RULES } from './oauth.ts'
import { type EntityChange, fireWebhook } from './webhooks.ts'

export interface QuickbooksSimulatorOptions extends LedgerSimulatorOptions {
  /** Calls per company and minute; defaults to 500, as at Intuit. */
  callsPerMinute?: number
}

export interface QuickbooksSimulator extends Simulator, ServedControls, Ledger {
  /** Notifies the app's webhook address of changes, in the current format by default. */
  fireWebhook(
    target: { url: string; verifierToken: string },
    realmId: string,
    changes: readonly EntityChange[],
    form?: 'cloudEvents' | 'notifications',
  ): Promise<WebhookAnswer>
  /** Ends every authorization of the company, as the owner can. */
  revoke(realmId: string): void
}

/** Replies of the API while a fault is armed. */
const FAILURES = {
  unavailable: htmlReply(503, '<html><body>Service Unavailable</body></html>'),
  html: htmlReply(200, '<!doctype html><html><head><title>QuickBooks</title></head><body><h1>We’ll be right back</h1></body></html>'),
  empty: emptyReply(200),
}

const THROTTLED = {
  word: 'ThrottleExceeded',
  code: '3001',
  detail: 'The request limit was reached. Try again later',
  type: 'SERVICE',
}
const EXPIRED = { word: 'AuthenticationFailed', code: '3200', detail: 'Token expired', type: 'AUTHENTICATION' }
const NOT_ITS_OWN = { word: 'ApplicationAuthorizationFailed', code: '3100', detail: null, type: 'SERVICE' }

export function createQuickbooksSimulator(options: QuickbooksSimulatorOptions): QuickbooksSimulator {
  const state = new SimulatorState<Row>(options.stateFile, {})
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const ledger = createLedger(state, toLedgerOptions(options, now))
  const grants = new Grants(state, now, RULES)
  const oauth = createOAuth(front, grants, options.clients)
  const perMinute = new Limit(options.callsPerMinute ?? 500, 60_000)

  async function answer(call: Call): Promise<Reply> {
    const [, realmId, path = ''] = /^\/v3\/company\/(\d{1,25})\/(.+)$/.exec(call.path) ?? []
    if (realmId !== undefined) return await answerCompany(call, realmId, path)
    return oauth.answer(call) ?? jsonReply(404, { error: 'not_found' })
  }

  async function answerCompany({ request, response, query, body }: Call, realmId: string, path: string): Promise<Reply> {
    if (faults.take('slow')) await front.held.hold(response)
    const failure = armedReply(faults, FAILURES)
    if (failure) return failure
    if (faults.take('throttle') || perMinute.isOver(realmId, now())) return gatewayReply(request, now(), 429, THROTTLED)
    const grant = oauth.grantOf({ request })
    if (!grant || faults.take('unauthorized')) return gatewayReply(request, now(), 401, EXPIRED)
    if (grant.businessId !== realmId) return gatewayReply(request, now(), 403, NOT_ITS_OWN)
    const books = ledger.booksOf(realmId)
    return brokenReply(faults, callCompany({ request, realmId, path, query, body, books, now: now(), faults }))
  }

  return {
    key: 'quickbooks',
    ...front.serve(answer, send),
    ...ledger,
    fireWebhook: (target, realmId, changes, form = 'cloudEvents') => fireWebhook(target, realmId, changes, { form, now: now() }),
    revoke: (realmId) => grants.endAll((grant) => grant.businessId === realmId),
  }
}
