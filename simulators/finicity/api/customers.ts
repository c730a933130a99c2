import { type Call, jsonReply } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import { takeNumber } from '../../kit/state.ts'
import { aggregate, type Context, institutionOf, loginsOf, nowSeconds } from '../context.ts'
import { accountView } from '../data/accounts.ts'
import { movementsOf } from '../data/movements.ts'
import type { FaultName } from '../faults.ts'
import type { Login } from '../state.ts'
import { badField, NO_CONTENT, Refusal } from './replies.ts'
import { driftAccounts, driftTransactions } from './schema-drift.ts'

type Fields = Record<string, unknown>

const STATUS_FAULTS = [102, 103, 108, 109, 185, 187, 931, 936, 940, 948, 977] as const

export function customerOf(context: Context, id: string): { id: string } {
  if (context.bank.take('customerGone')) throw new Refusal(404, 14001, 'Customer not found')
  const customer = context.bank.state.customers[id]
  if (!customer) throw new Refusal(404, 14001, 'Customer not found')
  return customer
}

export function loginOf(context: Context, customerId: string, loginId: string): Login {
  customerOf(context, customerId)
  const login = context.bank.state.logins[loginId]
  if (!login || login.customerId !== customerId) throw new Refusal(404, 10100, 'Resource not found')
  return login
}

export function customerAccounts(context: Context, customerId: string): Reply {
  customerOf(context, customerId)
  aggregate(context)
  return jsonReply(200, { accounts: loginsOf(context, customerId).flatMap((login) => viewsOf(context, login)) })
}

export function loginAccounts(context: Context, customerId: string, loginId: string): Reply {
  const login = loginOf(context, customerId, loginId)
  aggregate(context)
  const accounts = withFaults(context, viewsOf(context, login))
  return jsonReply(200, { accounts: context.bank.take('schemaDrift') ? driftAccounts(accounts) : accounts })
}

/** Reads the bank again, on request of the owner. */
export function refreshLogin(context: Context, customerId: string, loginId: string): Reply {
  const login = loginOf(context, customerId, loginId)
  if (context.bank.take('slowReading')) throw new Refusal(503, 12001, 'The request is still processing')
  if (login.statusCode === 0) login.aggregatedAt = nowSeconds(context)
  context.bank.save()
  return jsonReply(200, { accounts: viewsOf(context, login) })
}

export function removeLogin(context: Context, customerId: string, loginId: string): Reply {
  loginOf(context, customerId, loginId)
  delete context.bank.state.logins[loginId]
  context.bank.save()
  return NO_CONTENT
}

export function accountTransactions(
  context: Context,
  customerId: string,
  accountId: string,
  query: URLSearchParams,
  kept: Map<string, string>,
): Reply {
  customerOf(context, customerId)
  aggregate(context)
  if (context.bank.take('accountGone')) throw new Refusal(404, 38003, 'Account not found')
  const [login] = loginsOf(context, customerId).filter(({ accounts }) => accounts.some(({ id }) => String(id) === accountId))
  const account = login?.accounts.find(({ id }) => String(id) === accountId)
  if (!login || !account) throw new Refusal(404, 38003, 'Account not found')
  const [from, to] = [numberOf(query, 'fromDate'), numberOf(query, 'toDate')]
  const [start, limit] = [Number(query.get('start') ?? 1), Number(query.get('limit') ?? 25)]
  if (!(limit >= 1 && limit <= 1_000) || !(start >= 1)) throw badField('limit must be between 1 and 1000')
  if (context.bank.take('lostPage')) return transactionsReply([], 9, true, from, to)
  const all = movementsOf(login, account, { from, to, now: nowSeconds(context), historyDays: context.historyDays }).filter(
    ({ status }) => query.get('includePending') === 'true' || status !== 'pending',
  )
  if (query.get('sort') === 'desc') all.reverse()
  const page = all.slice(start - 1, start - 1 + limit)
  const shown = context.bank.take('schemaDrift') ? driftTransactions(page) : page
  const reply = transactionsReply(shown, all.length, start - 1 + limit < all.length, from, to)
  const last = kept.get(accountId)
  if (start > 1 && last !== undefined && context.bank.take('repeatPage')) return { ...reply, body: last }
  kept.set(accountId, reply.body)
  return reply
}

export function subscribeAccount(context: Context, customerId: string, accountId: string, call: Call): Reply {
  customerOf(context, customerId)
  const body: unknown = JSON.parse(call.body || '{}')
  const url = typeof body === 'object' && body !== null && 'callbackUrl' in body ? body.callbackUrl : null
  if (typeof url !== 'string' || !URL.canParse(url)) throw badField('callbackUrl is required')
  const { state } = context.bank
  state.subscriptions = state.subscriptions.filter((each) => String(each.accountId) !== accountId || each.callbackUrl !== url)
  const made = ['account', 'transaction'].map((type) => ({
    id: 90_000 + takeNumber(context.bank.state),
    accountId: Number(accountId),
    type,
    callbackUrl: url,
    signingKey: `signing-key-${accountId}-${type}`,
  }))
  state.subscriptions.push(...made)
  context.bank.save()
  context.verifyListener(url)
  return jsonReply(201, { subscriptions: made })
}

export function unsubscribeAccount(context: Context, customerId: string, accountId: string): Reply {
  customerOf(context, customerId)
  context.bank.state.subscriptions = context.bank.state.subscriptions.filter((each) => String(each.accountId) !== accountId)
  context.bank.save()
  return NO_CONTENT
}

function viewsOf(context: Context, login: Login): Fields[] {
  const institution = institutionOf(context, login.institutionId)
  if (!institution) return []
  return login.accounts.map((account) => accountView(login, account, institution, nowSeconds(context)))
}

function withFaults(context: Context, accounts: Fields[]): Fields[] {
  for (const code of STATUS_FAULTS) {
    const name: FaultName = `status${code}`
    if (context.bank.take(name)) return accounts.map((account) => ({ ...account, aggregationStatusCode: code }))
  }
  if (context.bank.take('oneFails'))
    return accounts.map((account, place) => (place === 0 ? { ...account, aggregationStatusCode: 102 } : account))
  if (!context.bank.take('unread')) return accounts
  return accounts.map(
    ({ balance: _b, balanceDate: _d, aggregationSuccessDate: _s, aggregationStatusCode: _c, detail: _e, ...account }) => account,
  )
}

function transactionsReply(transactions: unknown[], found: number, more: boolean, from: number, to: number): Reply {
  const window = { fromDate: String(from), toDate: String(to), sort: 'asc' }
  return jsonReply(200, { found, displaying: transactions.length, moreAvailable: String(more), ...window, transactions })
}

function numberOf(query: URLSearchParams, name: string): number {
  const value = Number(query.get(name) ?? Number.NaN)
  if (!Number.isInteger(value)) throw badField(`${name} is required`)
  return value
}
