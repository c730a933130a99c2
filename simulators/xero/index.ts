import type { Row } from '../kit/data/edited-list.ts'
import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, brokenReply, type Call, HttpFront, type ServedControls } from '../kit/http/front.ts'
import { bearerToken } from '../kit/http/request.ts'
import { emptyReply, htmlReply, jsonReply, type Reply } from '../kit/http/response.ts'
import type { LedgerSimulatorOptions } from '../kit/ledger-simulator.ts'
import { MinuteAndDayLimit } from '../kit/limits.ts'
import { Grants } from '../kit/oauth/grants.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import type { Simulator } from '../simulator.ts'
import { answerConnections, Connections, type OwnState } from './api/connections.ts'
import { Identity } from './api/identity.ts'
import { problemReply } from './api/replies.ts'
import { callAccounting } from './api/routes.ts'
import { createLedger, type Ledger } from './data/ledger.ts'
import { FAULTS } from './faults.ts'
import { createOAuth, RULES } from './oauth.ts'
import { Webhooks } from './webhooks.ts'

export interface XeroSimulatorOptions extends LedgerSimulatorOptions {
  /** Calls per organisation and minute; defaults to 60, as at Xero. */
  callsPerMinute?: number
  /** Calls per organisation and day; defaults to 5,000. */
  callsPerDay?: number
  /** Tier of the app: only `advanced` includes the journals; defaults to `advanced`. */
  tier?: 'core' | 'advanced'
}

export interface XeroSimulator extends Simulator, ServedControls, Ledger {
  /** Webhooks of the app. */
  webhooks: Pick<Webhooks, 'fire' | 'checkIntent'>
  /** Disconnects the organisation from every app, as the owner can. */
  revoke(tenantId: string): void
}

const APP_CALLS_PER_MINUTE = 10_000

/** Replies of the API while a fault is armed. */
const FAILURES = {
  unavailable: htmlReply(503, '<html><body>Service Unavailable</body></html>'),
  offline: problemReply(503, 'The organisation is offline'),
  internalError: problemReply(500, 'An error occurred in Xero'),
  html: htmlReply(200, '<!doctype html><html><head><title>Xero</title></head><body><h1>We’ll be back shortly</h1></body></html>'),
  empty: emptyReply(200),
  throttle: throttled('minute', 27),
  throttleDay: throttled('day', 18_000),
  throttleConcurrent: throttled('concurrent', 1),
}

export function createXeroSimulator(options: XeroSimulatorOptions): XeroSimulator {
  const state = new SimulatorState<Row, OwnState>(options.stateFile, { connections: [] })
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const ledger = createLedger(state, toLedgerOptions(options, now))
  const identity = new Identity(now)
  const connections = new Connections(state, now)
  const grants = new Grants(state, now, RULES)
  const hasJournals = (options.tier ?? 'advanced') === 'advanced'
  const oauth = createOAuth(front, grants, { clients: options.clients, connections, identity, hasJournals })
  const limit = new MinuteAndDayLimit(options.callsPerMinute ?? 60, options.callsPerDay ?? 5000)

  async function answer(call: Call): Promise<Reply> {
    const { path } = call
    const own = oauth.answer(call)
    if (own) return own
    if (path === '/.well-known/openid-configuration') return jsonReply(200, identity.discovery(options.baseUrl()))
    if (path === '/.well-known/openid-configuration/jwks') return jsonReply(200, identity.keySet())
    const [isConnections, id = ''] = /^\/connections(?:\/(.*))?$/.exec(path) ?? []
    if (isConnections !== undefined) return answerConnectionCall(call, id)
    if (path.startsWith('/api.xro/2.0/')) return await answerApi(call, path.slice('/api.xro/2.0/'.length))
    return jsonReply(404, { error: 'not_found' })
  }

  function answerConnectionCall({ request, query }: Call, id: string): Reply {
    const grant = grants.findByAccess(bearerToken(request))
    return grant ? answerConnections({ request, id, query, grant, connections }) : expired()
  }

  async function answerApi({ request, response, query }: Call, path: string): Promise<Reply> {
    if (faults.take('slow')) await front.held.hold(response)
    const grant = grants.findByAccess(bearerToken(request))
    if (!grant || faults.take('unauthorized')) return expired()
    const tenantId = String(request.headers['xero-tenant-id'] ?? '')
    if (faults.take('revoked')) connections.remove((each) => each.tenantId === tenantId)
    if (!connections.list(grant).some((each) => each.tenantId === tenantId)) return problemReply(403, 'AuthenticationUnsuccessful')
    const met = limit.spend(tenantId, now())
    const headers = {
      'x-daylimit-remaining': String(limit.day.left(tenantId, now())),
      'x-minlimit-remaining': String(limit.minute.left(tenantId, now())),
      'x-appminlimit-remaining': String(APP_CALLS_PER_MINUTE),
    }
    const failure = met ? throttled(met, limit[met].waitS(now())) : armedReply(faults, FAILURES)
    if (failure) return { ...failure, headers: { ...headers, ...failure.headers } }
    const books = ledger.booksOf(tenantId)
    const answered = callAccounting({ request, path, query, scopes: grant.scope.split(' '), books, now: now(), faults, hasJournals })
    return brokenReply(faults, { ...answered, headers: { ...headers, ...answered.headers } })
  }

  function expired(): Reply {
    return problemReply(401, `TokenExpired: token expired at ${now().toISOString()}`)
  }

  return {
    key: 'xero',
    ...front.serve(answer),
    ...ledger,
    webhooks: new Webhooks(now),
    revoke: (tenantId) => connections.remove((each) => each.tenantId === tenantId),
  }
}

/** Source: https://developer.xero.com/documentation/guides/oauth2/limits/ */
function throttled(problem: string, retryAfterS: number): Reply {
  return emptyReply(429, { 'retry-after': String(retryAfterS), 'x-rate-limit-problem': problem })
}
