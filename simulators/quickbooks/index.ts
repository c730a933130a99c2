import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { HeldRequests } from '../kit/http/held-requests.ts'
import { bearerToken, type LoggedRequest, RequestLog, readBody, toEntry, withoutPrefix } from '../kit/http/request.ts'
import { cutReply, paddedReply, type Reply } from '../kit/http/response.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import type { WebhookAnswer } from '../webhook-sender.ts'
import { authorize } from './authorize.ts'
import { callCompany } from './company-api.ts'
import { FAULTS } from './faults.ts'
import { Ledger } from './ledger.ts'
import { gatewayReply, htmlReply, jsonReply, send } from './replies.ts'
import { type Row, SimulatorState } from './state.ts'
import { Throttle } from './throttle.ts'
import { type Clients, requestToken, revokeToken } from './token-endpoint.ts'
import { Tokens } from './tokens.ts'
import { type EntityChange, fireWebhook } from './webhooks.ts'

export interface QuickbooksSimulatorOptions extends SimulatorOptions {
  /** Accounts of the load test's company, realm 9999; 20,000 when left out. */
  giantAccounts?: number
  /** Client ids and secrets that are accepted; any when left out. */
  clients?: Clients
  /** Calls a company takes in a minute; 500 when left out, as at Intuit. */
  callsPerMinute?: number
}

export interface QuickbooksSimulator extends Simulator {
  editAccount(realmId: string, accountId: string, changes: Record<string, unknown>): Row
  addAccount(realmId: string, properties: Record<string, unknown>): Row
  removeJournalEntry(realmId: string, entryId: string): void
  /** Tells the app's webhook address what changed, in the form of today where nothing else is said. */
  fireWebhook(
    target: { url: string; verifierToken: string },
    realmId: string,
    changes: readonly EntityChange[],
    form?: 'cloudEvents' | 'notifications',
  ): Promise<WebhookAnswer>
  /** The owner ends every authorization of the company. */
  revoke(realmId: string): void
  /** Lets the requests go on that `slow` holds. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly LoggedRequest[]
}

const HUGE_BYTES = 25 * 1024 * 1024
const HTML = '<!doctype html><html><head><title>QuickBooks</title></head><body><h1>We’ll be right back</h1></body></html>'

export function createQuickbooksSimulator(options: QuickbooksSimulatorOptions): QuickbooksSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now })
  const tokens = new Tokens(state, now)
  const faults = new Faults(FAULTS)
  const throttle = new Throttle(options.callsPerMinute ?? 500)
  const held = new HeldRequests()
  const log = new RequestLog()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    log.note(toEntry(request, url), response)
    const path = withoutPrefix(url.pathname, options.baseUrl())
    const body = request.method === 'POST' ? await readBody(request) : ''
    if (path === '/connect/oauth2') {
      const step = authorize(request, url.searchParams, request.method === 'POST' ? new URLSearchParams(body) : null, tokens, faults)
      if ('location' in step) send(response, htmlReply(302, ''), { location: step.location })
      else send(response, step, { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" })
      return
    }
    const company = /^\/v3\/company\/(\d{1,25})\/(.+)$/.exec(path)
    if (company)
      return await answerCompany(request, response, { realmId: company[1] ?? '', path: company[2] ?? '', query: url.searchParams, body })
    if (request.method === 'POST' && path === '/oauth2/v1/tokens/bearer') {
      const reply = requestToken(request, body, tokens, options.clients, faults)
      if (reply) send(response, reply)
      else request.socket.destroy()
    } else if (request.method === 'POST' && path === '/v2/oauth2/tokens/revoke')
      send(response, revokeToken(request, body, tokens, options.clients))
    else send(response, jsonReply(404, { error: 'not_found' }))
  }

  async function answerCompany(
    request: IncomingMessage,
    response: ServerResponse,
    call: { realmId: string; path: string; query: URLSearchParams; body: string },
  ): Promise<void> {
    if (faults.take('slow')) await held.hold(response)
    if (faults.take('unavailable')) return send(response, htmlReply(503, '<html><body>Service Unavailable</body></html>'))
    if (faults.take('html')) return send(response, htmlReply(200, HTML))
    if (faults.take('empty')) return send(response, { status: 200, type: '', body: '' })
    if (faults.take('throttle') || throttle.isOver(call.realmId, now())) {
      const detail = 'The request limit was reached. Try again later'
      return send(response, gatewayReply(request, now(), 429, { word: 'ThrottleExceeded', code: '3001', detail, type: 'SERVICE' }))
    }
    const token = bearerToken(request)
    const realmId = tokens.realmOf(token)
    if (realmId !== null && faults.take('revoked')) tokens.revokeRealm(realmId)
    if (tokens.realmOf(token) === null || faults.take('unauthorized')) {
      const fault = { word: 'AuthenticationFailed', code: '3200', detail: 'Token expired', type: 'AUTHENTICATION' }
      return send(response, gatewayReply(request, now(), 401, fault))
    }
    if (realmId !== call.realmId) {
      return send(
        response,
        gatewayReply(request, now(), 403, { word: 'ApplicationAuthorizationFailed', code: '3100', detail: null, type: 'SERVICE' }),
      )
    }
    const reply = callCompany({ request, ...call, books: ledger.booksOf(realmId), now: now(), faults })
    if (faults.take('huge')) return send(response, padded(reply))
    send(response, faults.take('truncated') ? cutReply(reply) : reply)
  }

  return {
    key: 'quickbooks',
    ...controlsOf({ answer, faults, held, state }),
    editAccount: (realmId, accountId, changes) => ledger.editAccount(realmId, accountId, changes),
    addAccount: (realmId, properties) => ledger.addAccount(realmId, properties),
    removeJournalEntry: (realmId, entryId) => ledger.removeJournalEntry(realmId, entryId),
    fireWebhook: (target, realmId, changes, form = 'cloudEvents') => fireWebhook(target, realmId, changes, { form, now: now() }),
    revoke: (realmId) => tokens.revokeRealm(realmId),
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log.entries,
  }
}

/** Blanks after a JSON or XML document change nothing but its size. */
function padded(reply: Reply): Reply {
  return paddedReply(reply, HUGE_BYTES)
}
