import { randomUUID } from 'node:crypto'
import type { Call as FrontCall } from '../../kit/http/front.ts'
import { type Fields, fieldsAt, parsed } from '../../kit/http/json-body.ts'
import { jsonReply, type Reply } from '../../kit/http/response.ts'
import { type Context, newId } from '../context.ts'
import { CAISSE, DAG_BANK } from '../data/institutions.ts'
import { settle } from '../data/refresh.ts'
import type { ProviderAccount, User } from '../state.ts'
import { toAccountView, toProviderAccountView, toProviderView, toTransactionView } from './views.ts'

export type Call = Pick<FrontCall, 'method' | 'path' | 'query' | 'headers' | 'body'>

/** Faults that change the content of one answer. */
export interface AnswerFaults {
  isRevoked: boolean
  isGone: boolean
  isRepeated(skip: number): boolean
}

const TOKEN_LIFE_S = 1_800
const MOST = 500
/** Most popular providers of this client. */
const POPULAR = [CAISSE, DAG_BANK]
const EVENTS = ['REFRESH', 'DATA_UPDATES', 'AUTO_REFRESH_UPDATES', 'LATEST_BALANCE_UPDATES', 'CREDIT_MATRIX_REPORT_UPDATES']

export function errorReply(status: number, errorCode: string, errorMessage: string, headers: Record<string, string> = {}): Reply {
  return jsonReply(status, { errorCode, errorMessage, referenceCode: `r${Date.UTC(2026, 0, 1)}` }, headers)
}

/** Client credentials grant with the user's name in a header; an unknown name creates a user. */
export function issueToken(context: Context, call: Call, keys: { clientId: string; secret: string } | undefined): Reply {
  const form = new URLSearchParams(call.body)
  const [clientId, secret] = [form.get('clientId') ?? '', form.get('secret') ?? '']
  const loginName = String(call.headers.loginname ?? '')
  if (loginName === '') return errorReply(401, 'Y016', 'loginName header missing')
  if (/\s/.test(loginName) || loginName.length < 3 || loginName.length > 150) return errorReply(400, 'Y801', 'Invalid length for loginName')
  if (clientId === '' || secret === '') return errorReply(400, 'Y303', 'clientId or secret is missing')
  if (keys && (keys.clientId !== clientId || keys.secret !== secret)) return errorReply(400, 'Y301', 'Invalid clientId or secret')
  context.state.users[loginName] ??= { id: newId(context), loginName, locale: 'en_US' }
  const accessToken = randomUUID().replaceAll('-', '')
  context.state.tokens[accessToken] = { loginName, expiresAt: context.nowMs() + TOKEN_LIFE_S * 1_000 }
  context.save()
  const issuedAt = `${new Date(context.nowMs()).toISOString().slice(0, 19)}Z`
  return jsonReply(201, { token: { accessToken, issuedAt, expiresIn: TOKEN_LIFE_S } })
}

/** The user of a token, or the error reply if the token is invalid. */
export function userOf(context: Context, token: string): User | Reply {
  const known = context.state.tokens[token]
  const user = known && context.state.users[known.loginName]
  if (!user) return errorReply(401, 'Y020', 'Invalid token in authorization header')
  return known.expiresAt > context.nowMs() ? user : errorReply(401, 'Y023', 'Token has expired')
}

/** Answers one call of an authenticated user. */
export function callApi(context: Context, user: User, call: Call, faults: AnswerFaults): Reply {
  const own = Object.values(context.state.providerAccounts).filter(({ loginName }) => loginName === user.loginName)
  for (const account of own) settle(context, account)
  const [, first = '', rest = ''] = /^\/([^/]+)(?:\/(.+))?$/.exec(call.path) ?? []
  switch (`${call.method} ${first}`) {
    case 'GET providers':
      return rest === '' ? listProviders(context, call.query) : readProvider(context, rest)
    case 'GET providerAccounts':
      return rest === '' ? listOf('providerAccount', own.map(toProviderAccountView)) : readProviderAccount(own, rest, faults)
    case 'DELETE providerAccounts':
      return deleteProviderAccount(context, own, rest)
    case 'GET accounts':
      return listAccounts(context, own, call.query)
    case 'GET transactions':
      return rest === 'count' ? countTransactions(own, call.query) : listTransactions(own, call.query, faults)
    case 'PUT user':
      return updateUser(context, user, call)
    default:
      return first === 'configs' ? callEvents(context, user, call) : errorReply(404, 'Y807', 'Resource not found')
  }
}

/**
 * Paging requires the filter for the cobrand alone, which is the default. Source: the API's own document, GET
 * /providers.
 */
function listProviders(context: Context, query: URLSearchParams): Reply {
  const priority = query.get('priority') ?? 'cobrand'
  if (priority === 'popular') {
    const popular = POPULAR.flatMap((id) => context.directory.find((each) => each.id === id) ?? [])
    return listOf('provider', popular.map(toProviderView))
  }
  if (priority !== 'cobrand') return errorReply(400, 'Y800', 'Invalid value for priority')
  const [skip, top] = [Number(query.get('skip') ?? 0), Number(query.get('top') ?? MOST)]
  if (!(top >= 1 && top <= MOST)) return errorReply(400, 'Y804', 'Permitted values of top between 1 - 500')
  return listOf('provider', context.directory.slice(skip, skip + top).map(toProviderView))
}

function readProvider(context: Context, id: string): Reply {
  const found = context.directory.find((each) => String(each.id) === id)
  return found ? jsonReply(200, { provider: [toProviderView(found)] }) : errorReply(400, 'Y800', 'Invalid value for providerId')
}

function readProviderAccount(own: readonly ProviderAccount[], id: string, faults: AnswerFaults): Reply {
  const found = own.find((each) => String(each.id) === id)
  if (!found || faults.isGone) return errorReply(404, 'Y807', 'Resource not found')
  const shown = faults.isRevoked ? { ...found, status: 'FAILED', additionalStatus: 'CONSENT_REVOKED' } : found
  return jsonReply(200, { providerAccount: [toProviderAccountView(shown)] })
}

function deleteProviderAccount(context: Context, own: readonly ProviderAccount[], id: string): Reply {
  const found = own.find((each) => String(each.id) === id)
  if (!found) return errorReply(400, 'Y800', 'Invalid value for providerAccountId')
  delete context.state.providerAccounts[found.id]
  context.save()
  return { status: 204, type: '', body: '' }
}

/** Without a status filter, accounts that are active or to be closed. */
function listAccounts(context: Context, own: readonly ProviderAccount[], query: URLSearchParams): Reply {
  const wanted = (query.get('status') ?? 'ACTIVE,TO_BE_CLOSED').split(',')
  const owners = query.get('providerAccountId')?.split(',')
  const rows = own
    .filter(({ id }) => owners?.includes(String(id)) ?? true)
    .flatMap((owner) =>
      owner.accounts
        .filter(({ fields }) => wanted.includes(String(fields.accountStatus)))
        .map((each) => toAccountView(context, owner, each)),
    )
  return listOf('account', rows)
}

function transactionsOf(own: readonly ProviderAccount[], query: URLSearchParams): Fields[] {
  const accounts = query.get('accountId')?.split(',')
  const [from, to] = [query.get('fromDate') ?? '', query.get('toDate') ?? '9999']
  return own
    .flatMap((owner) => owner.transactions.map((each) => ({ owner, each })))
    .filter(({ each }) => (accounts?.includes(String(each.accountId)) ?? true) && each.day >= from && each.day <= to)
    .sort((a, b) => (a.each.day < b.each.day ? 1 : a.each.day > b.each.day ? -1 : b.each.id - a.each.id))
    .map(({ owner, each }) => toTransactionView(owner, each))
}

function listTransactions(own: readonly ProviderAccount[], query: URLSearchParams, faults: AnswerFaults): Reply {
  const [skip, top] = [Number(query.get('skip') ?? 0), Number(query.get('top') ?? MOST)]
  if (!(top >= 1 && top <= MOST)) return errorReply(400, 'Y804', 'Permitted values of top between 1 - 500')
  const rows = transactionsOf(own, query)
  const start = faults.isRepeated(skip) ? skip - top : skip
  const next = new URLSearchParams({ ...Object.fromEntries(query), skip: String(skip + top), top: String(top) })
  const link = skip + top < rows.length ? { link: `</transactions?${next}>;rel=next` } : {}
  return { ...listOf('transaction', rows.slice(start, start + top)), headers: link }
}

function countTransactions(own: readonly ProviderAccount[], query: URLSearchParams): Reply {
  return jsonReply(200, { transaction: { TOTAL: { count: transactionsOf(own, query).length } } })
}

function updateUser(context: Context, user: User, call: Call): Reply {
  const locale = fieldsAt(fieldsAt(parsed(call.body), 'user'), 'preferences').locale
  if (typeof locale !== 'string' || !/^(en|fr)_(CA|US)$/.test(locale)) return errorReply(400, 'Y800', 'Invalid value for locale')
  user.locale = locale
  context.save()
  return { status: 204, type: '', body: '' }
}

function callEvents(context: Context, user: User, call: Call): Reply {
  const [, name = ''] = /^\/configs\/notifications\/events(?:\/([A-Z_]+))?$/.exec(call.path) ?? []
  if (user.loginName !== context.adminLoginName) return errorReply(401, 'Y015', 'Unauthorized User')
  const known = context.state.subscriptions
  if (call.method === 'GET')
    return listOf(
      'event',
      Object.entries(known).map(([event, callbackUrl]) => ({ name: event, callbackUrl })),
    )
  const { callbackUrl } = fieldsAt(parsed(call.body), 'event')
  if (!EVENTS.includes(name)) return errorReply(400, 'Y803', 'eventName required')
  if (typeof callbackUrl !== 'string' || !URL.canParse(callbackUrl)) return errorReply(400, 'Y800', 'Invalid value for callbackUrl')
  if ((call.method === 'POST') === name in known) return errorReply(400, 'Y811', 'event value already exists')
  known[name] = callbackUrl
  context.save()
  return { status: call.method === 'POST' ? 201 : 204, type: '', body: '' }
}

/** Yodlee omits an empty list. */
function listOf(name: string, rows: readonly object[]): Reply {
  return jsonReply(200, rows.length === 0 ? {} : { [name]: rows })
}
