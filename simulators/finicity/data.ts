import { type Call, jsonReply } from '../bank-simulator.ts'
import type { Reply } from '../kit/http/response.ts'
import { accountView } from './book.ts'
import { driftAccounts, driftTransactions } from './drift.ts'
import type { FaultName } from './faults.ts'
import { movementsOf } from './movements.ts'
import { badField, NO_CONTENT, Refusal } from './replies.ts'
import type { Login } from './state.ts'
import { aggregate, institutionOf, loginsOf, nowSeconds, takeNumber, type World } from './world.ts'

type Fields = Record<string, unknown>

const STATUS_FAULTS = [102, 103, 108, 109, 185, 187, 931, 936, 940, 948, 977] as const

export function customerOf(world: World, id: string): { id: string } {
  if (world.context.take('customerGone')) throw new Refusal(404, 14001, 'Customer not found')
  const customer = world.context.state.customers[id]
  if (!customer) throw new Refusal(404, 14001, 'Customer not found')
  return customer
}

export function loginOf(world: World, customerId: string, loginId: string): Login {
  customerOf(world, customerId)
  const login = world.context.state.logins[loginId]
  if (!login || login.customerId !== customerId) throw new Refusal(404, 10100, 'Resource not found')
  return login
}

export function customerAccounts(world: World, customerId: string): Reply {
  customerOf(world, customerId)
  aggregate(world)
  return jsonReply(200, { accounts: loginsOf(world, customerId).flatMap((login) => viewsOf(world, login)) })
}

export function loginAccounts(world: World, customerId: string, loginId: string): Reply {
  const login = loginOf(world, customerId, loginId)
  aggregate(world)
  const accounts = spoilt(world, viewsOf(world, login))
  return jsonReply(200, { accounts: world.context.take('schemaDrift') ? driftAccounts(accounts) : accounts })
}

/** Reads the bank again, as the owner asked for. */
export function refreshLogin(world: World, customerId: string, loginId: string): Reply {
  const login = loginOf(world, customerId, loginId)
  if (world.context.take('slowReading')) throw new Refusal(503, 12001, 'The request is still processing')
  if (login.statusCode === 0) login.aggregatedAt = nowSeconds(world)
  world.context.save()
  return jsonReply(200, { accounts: viewsOf(world, login) })
}

export function removeLogin(world: World, customerId: string, loginId: string): Reply {
  loginOf(world, customerId, loginId)
  delete world.context.state.logins[loginId]
  world.context.save()
  return NO_CONTENT
}

export function accountTransactions(
  world: World,
  customerId: string,
  accountId: string,
  query: URLSearchParams,
  kept: Map<string, string>,
): Reply {
  customerOf(world, customerId)
  aggregate(world)
  if (world.context.take('accountGone')) throw new Refusal(404, 38003, 'Account not found')
  const [login] = loginsOf(world, customerId).filter(({ accounts }) => accounts.some(({ id }) => String(id) === accountId))
  const account = login?.accounts.find(({ id }) => String(id) === accountId)
  if (!login || !account) throw new Refusal(404, 38003, 'Account not found')
  const [from, to] = [numberOf(query, 'fromDate'), numberOf(query, 'toDate')]
  const [start, limit] = [Number(query.get('start') ?? 1), Number(query.get('limit') ?? 25)]
  if (!(limit >= 1 && limit <= 1_000) || !(start >= 1)) throw badField('limit must be between 1 and 1000')
  if (world.context.take('lostPage')) return transactionsReply([], 9, true, from, to)
  const all = movementsOf(login, account, { from, to, now: nowSeconds(world), historyDays: world.historyDays }).filter(
    ({ status }) => query.get('includePending') === 'true' || status !== 'pending',
  )
  if (query.get('sort') === 'desc') all.reverse()
  const page = all.slice(start - 1, start - 1 + limit)
  const shown = world.context.take('schemaDrift') ? driftTransactions(page) : page
  const reply = transactionsReply(shown, all.length, start - 1 + limit < all.length, from, to)
  const last = kept.get(accountId)
  if (start > 1 && last !== undefined && world.context.take('repeatPage')) return { ...reply, body: last }
  kept.set(accountId, reply.body)
  return reply
}

export function subscribeAccount(world: World, customerId: string, accountId: string, call: Call): Reply {
  customerOf(world, customerId)
  const body: unknown = JSON.parse(call.body || '{}')
  const url = typeof body === 'object' && body !== null && 'callbackUrl' in body ? body.callbackUrl : null
  if (typeof url !== 'string' || !URL.canParse(url)) throw badField('callbackUrl is required')
  const { state } = world.context
  state.subscriptions = state.subscriptions.filter((each) => String(each.accountId) !== accountId || each.callbackUrl !== url)
  const made = ['account', 'transaction'].map((type) => ({
    id: 90_000 + takeNumber(world),
    accountId: Number(accountId),
    type,
    callbackUrl: url,
    signingKey: `signing-key-${accountId}-${type}`,
  }))
  state.subscriptions.push(...made)
  world.context.save()
  world.verifyListener(url)
  return jsonReply(201, { subscriptions: made })
}

export function unsubscribeAccount(world: World, customerId: string, accountId: string): Reply {
  customerOf(world, customerId)
  world.context.state.subscriptions = world.context.state.subscriptions.filter((each) => String(each.accountId) !== accountId)
  world.context.save()
  return NO_CONTENT
}

function viewsOf(world: World, login: Login): Fields[] {
  const institution = institutionOf(world, login.institutionId)
  if (!institution) return []
  return login.accounts.map((account) => accountView(login, account, institution, nowSeconds(world)))
}

function spoilt(world: World, accounts: Fields[]): Fields[] {
  for (const code of STATUS_FAULTS) {
    const name: FaultName = `status${code}`
    if (world.context.take(name)) return accounts.map((account) => ({ ...account, aggregationStatusCode: code }))
  }
  if (world.context.take('oneFails'))
    return accounts.map((account, place) => (place === 0 ? { ...account, aggregationStatusCode: 102 } : account))
  if (!world.context.take('unread')) return accounts
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
