import type { IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from '../kit/faults.ts'
import { controlsOf } from '../kit/http/controls.ts'
import { HeldRequests } from '../kit/http/held-requests.ts'
import { type LoggedRequest, RequestLog, readBody, toEntry, withoutPrefix } from '../kit/http/request.ts'
import { cutReply, htmlReply, jsonReply, paddedReply, type Reply, send } from '../kit/http/response.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { authorize } from './authorize.ts'
import { callBooks } from './books-api.ts'
import { FAULTS } from './faults.ts'
import { Ledger } from './ledger.ts'
import { getLogin, getOrganization, type Login } from './organizations.ts'
import { listOrganizations, oneOrganization } from './organizations-api.ts'
import { errorReply, limitReply, NOT_A_TOKEN, REFUSED } from './replies.ts'
import { type GrantState, type Row, SimulatorState } from './state.ts'
import { Throttle } from './throttle.ts'
import { type Clients, requestToken, revokeToken } from './token-endpoint.ts'
import { Tokens } from './tokens.ts'

export interface ZohoSimulatorOptions extends SimulatorOptions {
  /** Accounts of the load test's organization; 20,000 when left out. */
  giantAccounts?: number
  /** Client ids and secrets that are accepted; any when left out. */
  clients?: Clients
  /** Calls an organization takes in a minute; 100 when left out, as at Zoho. The load test's has no limits. */
  callsPerMinute?: number
  /** Calls an organization takes in a day; 2,000 when left out. */
  callsPerDay?: number
  /**
   * Addresses of data centres by `location`, all served by this simulator: then the tokens of a person are good at that address only. Left out:
   * every data centre is at the public address.
   */
  addresses?(): Readonly<Record<string, string>>
}

export interface ZohoSimulator extends Simulator {
  editAccount(organizationId: string, accountId: string, changes: Row): Row
  addAccount(organizationId: string, properties: Row): Row
  removeAccount(organizationId: string, accountId: string): void
  editJournal(organizationId: string, journalId: string, changes: Row): Row
  removeJournal(organizationId: string, journalId: string): void
  listAccounts(organizationId: string): readonly Row[]
  /** Newest last. */
  listJournals(organizationId: string): readonly Row[]
  /** The person ends every authorization; `login` is the key of a sign-in. */
  revoke(login: string): void
  /** Lets the requests go on that `slow` holds. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly LoggedRequest[]
}

const HUGE_BYTES = 25 * 1024 * 1024
const HTML = '<!doctype html><html><head><title>Zoho</title></head><body><h1>We’ll be back soon</h1></body></html>'

export function createZohoSimulator(options: ZohoSimulatorOptions): ZohoSimulator {
  const state = new SimulatorState(options.stateFile)
  const now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
  const ledger = new Ledger(state, { seed: options.seed ?? 1, giantAccounts: options.giantAccounts ?? 20_000, now })
  const tokens = new Tokens(state, now)
  const faults = new Faults(FAULTS)
  const throttle = new Throttle(options.callsPerMinute ?? 100, options.callsPerDay ?? 2000)
  const held = new HeldRequests()
  const log = new RequestLog()
  const addressOf = (login: Login) => options.addresses?.()[login.location] ?? options.baseUrl()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    log.note(toEntry(request, url), response)
    const path = withoutPrefix(url.pathname, options.baseUrl())
    const isPost = request.method === 'POST'
    const form = new URLSearchParams(isPost ? await readBody(request) : '')
    if (path === '/oauth/v2/auth') {
      send(response, authorize({ request, query: url.searchParams, form: isPost ? form : null, tokens, accountsServerOf: addressOf }))
    } else if (isPost && path === '/oauth/v2/token') {
      const reply = requestToken({
        form,
        tokens,
        clients: options.clients,
        faults,
        isAtHome: (grant) => isAtHome(request, grant),
        apiDomainOf: (grant) => addressOf(getLogin(grant.login)),
      })
      if (reply) send(response, reply)
      else request.socket.destroy()
    } else if (isPost && path === '/oauth/v2/token/revoke') send(response, revokeToken(url.searchParams.get('token') ?? '', tokens))
    else if (path.startsWith('/books/v3/')) await answerApi(request, response, path.slice('/books/v3/'.length), url.searchParams)
    else send(response, jsonReply(404, { code: 5, message: 'Invalid URL Passed' }))
  }

  async function answerApi(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): Promise<void> {
    if (faults.take('slow')) await held.hold(response)
    const token = /^Zoho-oauthtoken (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const known = tokens.findByAccess(token)
    if (known && faults.take('revoked')) tokens.endGrant(known)
    const grant = tokens.findByAccess(token)
    if (!grant || !isAtHome(request, grant) || faults.take('invalidToken')) return send(response, NOT_A_TOKEN)
    if (faults.take('unauthorized')) return send(response, REFUSED)
    const login = getLogin(grant.login)
    if (path === 'organizations') return send(response, failBefore() ?? listOrganizations(login, faults.take('wrongEntity')))
    if (path.startsWith('organizations/'))
      return send(response, failBefore() ?? oneOrganization(login, path.slice('organizations/'.length)))
    if (path === 'bankaccounts' && !/banking/.test(grant.scope)) return send(response, REFUSED)
    const organizationId = query.get('organization_id') ?? ''
    if (!login.organizationIds.includes(organizationId)) return send(response, refuseOrganization(organizationId))
    const spent = throttle.spend(organizationId, now(), getOrganization(organizationId).isFree)
    const headers = {
      'x-rate-limit-limit': String(throttle.perDay),
      'x-rate-limit-remaining': String(spent.dayLeft),
      'x-rate-limit-reset': String(spent.resetS),
    }
    const failure = spent.problem ? limitReply(spent.problem) : failBefore()
    const books = ledger.booksOf(organizationId)
    const reply = { ...(failure ?? callBooks({ method: request.method ?? 'GET', path, query, books, faults })) }
    reply.headers = { ...headers, ...reply.headers }
    if (failure) return send(response, reply)
    if (faults.take('huge')) return send(response, paddedReply(reply, HUGE_BYTES))
    send(response, faults.take('truncated') ? cutReply(reply) : reply)
  }

  /** Where data centres have addresses of their own, tokens are good at one of them. */
  function isAtHome(request: IncomingMessage, grant: GrantState): boolean {
    return options.addresses === undefined || request.headers.host === new URL(addressOf(getLogin(grant.login))).host
  }

  function failBefore(): Reply | null {
    if (faults.take('unavailable')) return htmlReply(503, '<html><body>Service Unavailable</body></html>')
    if (faults.take('internalError')) return errorReply(500, 5, 'An internal error occurred')
    if (faults.take('html')) return htmlReply(200, HTML)
    if (faults.take('empty')) return { status: 200, type: '', body: '' }
    if (faults.take('errorInSuccess')) return errorReply(200, 9000, 'Something went wrong for Mei-Ling Chan')
    if (faults.take('throttle')) return limitReply('minute')
    if (faults.take('throttleDay')) return limitReply('day')
    if (faults.take('throttleConcurrent')) return limitReply('concurrent')
    if (faults.take('throttleOdd')) return limitReply('minute', 400)
    return null
  }

  return {
    key: 'zoho',
    ...controlsOf({ answer, faults, held, state }),
    editAccount: (organizationId, accountId, changes) => ledger.editAccount(organizationId, accountId, changes),
    addAccount: (organizationId, properties) => ledger.addAccount(organizationId, properties),
    removeAccount: (organizationId, accountId) => ledger.removeAccount(organizationId, accountId),
    editJournal: (organizationId, journalId, changes) => ledger.editJournal(organizationId, journalId, changes),
    removeJournal: (organizationId, journalId) => ledger.removeJournal(organizationId, journalId),
    listAccounts: (organizationId) => ledger.booksOf(organizationId).accounts,
    listJournals: (organizationId) => ledger.booksOf(organizationId).journals,
    revoke: (login) => tokens.endLogin(login),
    release: () => held.release(),
    countHeld: () => held.size,
    listRequests: () => log.entries,
  }
}

/** An organization that the person does not belong to; one that nobody has is told the same way. */
function refuseOrganization(organizationId: string): Reply {
  if (organizationId === '') return errorReply(400, 6, 'The parameter organization_id is missing')
  return errorReply(401, 6041, 'This user is not associated with the organization')
}
