import { randomUUID } from 'node:crypto'
import { type Call, jsonReply } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import { takeNumber } from '../../kit/state.ts'
import { type Context, institutionOf, loginsOf, nowSeconds } from '../context.ts'
import { institutionView } from '../data/institutions.ts'
import { generateLink } from '../window/routes.ts'
import {
  accountTransactions,
  customerAccounts,
  customerOf,
  loginAccounts,
  refreshLogin,
  removeLogin,
  subscribeAccount,
  unsubscribeAccount,
} from './customers.ts'
import { badField, KEY_REFUSED, NO_CONTENT, Refusal } from './replies.ts'

const TOKEN_SECONDS = 7_200

/** Answers one API call; `kept` holds the last page of each account, for the fault that repeats it. */
export function answerApi(context: Context, call: Call, kept: Map<string, string>): Reply {
  const { bank, keys } = context
  const appKey = call.headers['finicity-app-key']
  if (bank.take('keyRefused') || typeof appKey !== 'string' || appKey === '' || (keys && keys.appKey !== appKey)) return KEY_REFUSED
  try {
    if (call.path === '/aggregation/v2/partners/authentication' && call.method === 'POST') return authenticate(context, bodyOf(call))
    checkToken(context, call)
    return route(context, call, kept)
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}

function authenticate(context: Context, body: Record<string, unknown>): Reply {
  const { bank, keys } = context
  const { state } = bank
  if (bank.take('partnerLocked') || state.failedAuthentications >= 5) throw new Refusal(401, 24302, 'Partner account is locked')
  const isRight =
    typeof body.partnerId === 'string' && (!keys || (keys.partnerId === body.partnerId && keys.partnerSecret === body.partnerSecret))
  if (bank.take('partnerRefused') || !isRight) {
    state.failedAuthentications += isRight ? 0 : 1
    throw new Refusal(401, 10001, 'Invalid credentials')
  }
  state.failedAuthentications = 0
  const token = randomUUID().replaceAll('-', '').slice(0, 20)
  state.tokens = [
    ...state.tokens.filter(({ issuedAt }) => issuedAt + TOKEN_SECONDS > nowSeconds(context)),
    { token, issuedAt: nowSeconds(context) },
  ]
  bank.save()
  return jsonReply(200, { token })
}

function checkToken(context: Context, call: Call): void {
  const known = context.bank.state.tokens.find(({ token }) => token === call.headers['finicity-app-token'])
  if (!known) throw new Refusal(401, 10022, 'Invalid token')
  if (context.bank.take('tokenExpired') || known.issuedAt + TOKEN_SECONDS <= nowSeconds(context))
    throw new Refusal(401, 10023, 'Token expired')
}

function route(context: Context, call: Call, kept: Map<string, string>): Reply {
  const { path, query } = call
  const is = (method: string, pattern: RegExp) => (call.method === method ? pattern.exec(path)?.slice(1) : undefined)
  if (context.bank.take('limitReached')) return { status: 429, type: 'text/plain', body: 'Too many requests' }
  let found = is('POST', /^\/aggregation\/v2\/customers\/(testing|active)$/)
  if (found) return addCustomer(context, found[0] ?? '', bodyOf(call))
  if (is('GET', /^\/aggregation\/v1\/customers$/)) return listCustomers(context, query)
  found = is('DELETE', /^\/aggregation\/v1\/customers\/([^/]+)$/)
  if (found) return removeCustomer(context, found[0] ?? '')
  found = is('POST', /^\/connect\/v2\/generate(\/lite|\/fix)?$/)
  if (found) return generateLink(context, found[0] ?? '', bodyOf(call))
  found = is('GET', /^\/aggregation\/v1\/customers\/([^/]+)\/accounts$/)
  if (found) return customerAccounts(context, found[0] ?? '')
  found = is('GET', /^\/aggregation\/v1\/customers\/([^/]+)\/institutionLogins\/([^/]+)\/accounts$/)
  if (found) return loginAccounts(context, found[0] ?? '', found[1] ?? '')
  found = is('POST', /^\/aggregation\/v1\/customers\/([^/]+)\/institutionLogins\/([^/]+)\/accounts$/)
  if (found) return refreshLogin(context, found[0] ?? '', found[1] ?? '')
  found = is('DELETE', /^\/aggregation\/v1\/customers\/([^/]+)\/institutionLogins\/([^/]+)$/)
  if (found) return removeLogin(context, found[0] ?? '', found[1] ?? '')
  found = is('GET', /^\/aggregation\/v4\/customers\/([^/]+)\/accounts\/([^/]+)\/transactions$/)
  if (found) return accountTransactions(context, found[0] ?? '', found[1] ?? '', query, kept)
  found = is('POST', /^\/aggregation\/v1\/customers\/([^/]+)\/accounts\/([^/]+)\/txpush$/)
  if (found) return subscribeAccount(context, found[0] ?? '', found[1] ?? '', call)
  found = is('DELETE', /^\/aggregation\/v1\/customers\/([^/]+)\/accounts\/([^/]+)\/txpush$/)
  if (found) return unsubscribeAccount(context, found[0] ?? '', found[1] ?? '')
  found = is('GET', /^\/institution\/v2\/institutions\/(\d+)$/)
  if (found) return oneInstitution(context, Number(found[0]))
  if (is('GET', /^\/institution\/v2\/institutions$/)) return listInstitutions(context, query)
  throw new Refusal(404, 10100, 'Resource not found')
}

function addCustomer(context: Context, type: string, body: Record<string, unknown>): Reply {
  const { state } = context.bank
  const { username } = body
  if (typeof username !== 'string' || username === '') throw badField('username is required')
  if (Object.values(state.customers).some((customer) => customer.username === username)) throw new Refusal(409, 10209, 'Duplicate customer')
  const id = String(6_030_000_000 + takeNumber(context.bank.state))
  state.customers[id] = { id, username, type, createdDate: nowSeconds(context) }
  context.bank.save()
  return jsonReply(201, { id, username, createdDate: nowSeconds(context) })
}

function listCustomers(context: Context, query: URLSearchParams): Reply {
  const wanted = query.get('username')
  const customers = Object.values(context.bank.state.customers).filter(({ username }) => wanted === null || username === wanted)
  const shown = customers.map(({ createdDate, ...customer }) => ({ ...customer, createdDate: String(createdDate) }))
  return jsonReply(200, { found: shown.length, displaying: shown.length, moreAvailable: false, customers: shown })
}

function removeCustomer(context: Context, id: string): Reply {
  customerOf(context, id)
  delete context.bank.state.customers[id]
  for (const login of loginsOf(context, id)) delete context.bank.state.logins[String(login.id)]
  context.bank.save()
  return NO_CONTENT
}

function oneInstitution(context: Context, id: number): Reply {
  const institution = institutionOf(context, id)
  if (!institution) throw new Refusal(404, 10100, 'Institution not found')
  return jsonReply(200, { institution: institutionView(institution) })
}

/** `start` is the page number. */
function listInstitutions(context: Context, query: URLSearchParams): Reply {
  const [start, limit] = [Number(query.get('start') ?? 1), Number(query.get('limit') ?? 25)]
  if (!(limit >= 1 && limit <= 1_000) || !(start >= 1)) throw badField('limit must be between 1 and 1000')
  const wanted = (query.get('search') ?? '').toLowerCase()
  const countries = query.get('supportedCountries')?.toUpperCase().split(',') ?? ['US']
  const all = context.directory.filter(({ name, country }) => name.toLowerCase().includes(wanted) && countries.includes(country))
  const page = all.slice((start - 1) * limit, start * limit)
  return jsonReply(200, {
    found: all.length,
    displaying: page.length,
    moreAvailable: start * limit < all.length,
    createdDate: nowSeconds(context),
    institutions: page.map(institutionView),
  })
}

function bodyOf(call: Call): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(call.body)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw badField('the body is not a JSON object')
}
