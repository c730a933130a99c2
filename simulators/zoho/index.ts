import { toLedgerOptions } from '../kit/data/ledger-options.ts'
import { armedReply, brokenReply, type Call, HttpFront } from '../kit/http/front.ts'
import { emptyReply, htmlReply, jsonReply, type Reply } from '../kit/http/response.ts'
import type { LedgerSimulator, LedgerSimulatorOptions } from '../kit/ledger-simulator.ts'
import { MinuteAndDayLimit } from '../kit/limits.ts'
import { type Grant, Grants } from '../kit/oauth/grants.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import { listOrganizations, oneOrganization } from './api/organizations.ts'
import { errorReply, limitReply, NOT_A_TOKEN, REFUSED } from './api/replies.ts'
import { callBooks } from './api/routes.ts'
import { getLogin, getOrganization } from './data/companies.ts'
import { createLedger, type Ledger } from './data/ledger.ts'
import { FAULTS } from './faults.ts'
import { createOAuth, RULES } from './oauth.ts'

export interface ZohoSimulatorOptions extends LedgerSimulatorOptions {
  /** Calls per organization and minute; defaults to 100, as at Zoho. The load test's organization is unlimited. */
  callsPerMinute?: number
  /** Calls per organization and day; defaults to 2,000. */
  callsPerDay?: number
  /**
   * Addresses of data centres by `location`, all served by this simulator; the tokens of a user are then valid at that
   * address only. By default every data centre is at the public address.
   */
  addresses?(): Readonly<Record<string, string>>
}

export type ZohoSimulator = LedgerSimulator & Ledger

/** Replies of the API while a fault is armed. */
const FAILURES = {
  unavailable: htmlReply(503, '<html><body>Service Unavailable</body></html>'),
  internalError: errorReply(500, 5, 'An internal error occurred'),
  html: htmlReply(200, '<!doctype html><html><head><title>Zoho</title></head><body><h1>We’ll be back soon</h1></body></html>'),
  empty: emptyReply(200),
  errorInSuccess: errorReply(200, 9000, 'Something went wrong for Mei-Ling Chan'),
  throttle: limitReply('minute'),
  throttleDay: limitReply('day'),
  throttleConcurrent: limitReply('concurrent'),
  throttleOdd: limitReply('minute', 400),
}

export function createZohoSimulator(options: ZohoSimulatorOptions): ZohoSimulator {
  const state = new SimulatorState(options.stateFile, {})
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const ledger = createLedger(state, toLedgerOptions(options, now))
  const grants = new Grants(state, now, RULES)
  const perDay = options.callsPerDay ?? 2000
  const limit = new MinuteAndDayLimit(options.callsPerMinute ?? 100, perDay)
  const addressOf = (loginKey: string) => options.addresses?.()[getLogin(loginKey).location] ?? options.baseUrl()
  /** If data centres have their own addresses, tokens are valid at one of them. */
  const isAtHome = ({ headers }: Call, { login }: Grant) =>
    options.addresses === undefined || headers.host === new URL(addressOf(login)).host
  const oauth = createOAuth(front, grants, { clients: options.clients, centres: { addressOf, isAtHome } })

  async function answer(call: Call): Promise<Reply> {
    const isApi = call.path.startsWith('/books/v3/')
    return oauth.answer(call) ?? (isApi ? await answerApi(call) : jsonReply(404, { code: 5, message: 'Invalid URL Passed' }))
  }

  async function answerApi(call: Call): Promise<Reply> {
    if (faults.take('slow')) await front.held.hold(call.response)
    const grant = oauth.openGrant(/^Zoho-oauthtoken (\S+)$/.exec(call.headers.authorization ?? '')?.[1] ?? '')
    if (!grant || !isAtHome(call, grant) || faults.take('invalidToken')) return NOT_A_TOKEN
    if (faults.take('unauthorized')) return REFUSED
    const path = call.path.slice('/books/v3/'.length)
    const login = getLogin(grant.login)
    if (path === 'organizations') return armedReply(faults, FAILURES) ?? listOrganizations(login, faults.take('wrongEntity'))
    if (path.startsWith('organizations/')) {
      return armedReply(faults, FAILURES) ?? oneOrganization(login, path.slice('organizations/'.length))
    }
    if (path === 'bankaccounts' && !/banking/.test(grant.scope)) return REFUSED
    const organizationId = call.query.get('organization_id') ?? ''
    return login.organizationIds.includes(organizationId) ? answerBooks(call, path, organizationId) : refuseOrganization(organizationId)
  }

  function answerBooks({ method, query }: Call, path: string, organizationId: string): Reply {
    const met = getOrganization(organizationId).isFree ? null : limit.spend(organizationId, now())
    const headers = {
      'x-rate-limit-limit': String(perDay),
      'x-rate-limit-remaining': String(limit.day.left(organizationId, now())),
      'x-rate-limit-reset': String(limit.day.waitS(now())),
    }
    const failure = met ? limitReply(met) : armedReply(faults, FAILURES)
    if (failure) return { ...failure, headers: { ...headers, ...failure.headers } }
    const reply = callBooks({ method, path, query, books: ledger.booksOf(organizationId), faults })
    return brokenReply(faults, { ...reply, headers: { ...headers, ...reply.headers } })
  }

  return {
    key: 'zoho',
    ...front.serve(answer),
    ...ledger,
    revoke: (login) => grants.endAll((grant) => grant.login === login),
  }
}

/** An organization that the user does not belong to; a nonexistent one gets the same answer. */
function refuseOrganization(organizationId: string): Reply {
  if (organizationId === '') return errorReply(400, 6, 'The parameter organization_id is missing')
  return errorReply(401, 6041, 'This user is not associated with the organization')
}
